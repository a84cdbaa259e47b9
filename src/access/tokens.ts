/** Access tokens: secrets, scopes and expiry, and the interface of their store. Time and randomness are passed in. */
import { hash } from 'node:crypto';
import type { Token, TokenInformation, TokenRecord } from '../catalogue/writer.ts';
import type { RandomInt } from '../lib/random.ts';

export type { Token, TokenInformation, TokenRecord };

export interface TokenStore {
  /** Finds a token by the hash of its secret. It may have expired, but is not revoked. */
  find(hash: string): Token | undefined | Promise<Token | undefined>;
  add(token: Token, hash: string): Promise<void>;
  /** Returns false if no such token exists or it is already revoked. */
  revoke(id: string, revokedAt: string): Promise<boolean>;
  /** All of them, also those that expired or were revoked. */
  records(): Promise<TokenRecord[]>;
  /** Fails if the stored tokens are damaged. */
  verify(): Promise<void>;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 100;
const secretPattern = /^[0-9A-Za-z]{100}$/;
const bearerPattern = /^bearer +([^ ]+) *$/i;
/** A longer header is not read: it has more spaces than any client sends. */
const MAX_HEADER_LENGTH = 150;

export const LIST_IMAGES = 'image:list';
const CUSTOM_EXPIRY = 'image:custom-expiry';
const NO_RATE_LIMIT = 'api:ratelimit:disabled';

/** `randomInt` must be cryptographically secure. */
export function newSecret(randomInt: RandomInt): string {
  return Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/**
 * Secrets are stored and looked up by hash. A plain hash is enough for 595 random bits, and the timing of the index
 * lookup reveals nothing: an attacker cannot choose secrets whose hashes are close to a stored one.
 */
export const hashSecret = (secret: string): string => hash('sha256', secret);

/** The hash of the secret in an `Authorization` header; undefined if it is not a bearer token of the right form. */
export function hashIn(authorization: string): string | undefined {
  if (authorization.length > MAX_HEADER_LENGTH) return undefined;
  const secret = bearerPattern.exec(authorization)?.[1];
  return secret !== undefined && secretPattern.test(secret) ? hashSecret(secret) : undefined;
}

/** Why `hashIn` found nothing. */
export function explainMalformed(authorization: string): string {
  return /^bearer(?= |$)/i.test(authorization)
    ? `Invalid token: it must have ${SECRET_LENGTH} letters and digits, as in "Authorization: Bearer <token>".`
    : 'Invalid Authorization: the only scheme is Bearer, as in "Authorization: Bearer <token>".';
}

export const isLive = (token: Token, now: number): boolean => now < Date.parse(token.expires);

/** Whether the rate limit does not apply. */
export const isExempt = (scopes: string[]): boolean => scopes.includes(NO_RATE_LIMIT);

export const MIN_EXPIRY = 31;

/** A scope that allows only lifetimes that no call may ask for is of no use. */
export function isUsefulScope(scope: string): boolean {
  return isScope(scope) && (customExpiry(scope) ?? MIN_EXPIRY) >= MIN_EXPIRY;
}

export function isScope(scope: string): boolean {
  return [LIST_IMAGES, CUSTOM_EXPIRY, NO_RATE_LIMIT].includes(scope) || customExpiry(scope) !== undefined;
}

/** The longest link lifetime in seconds that the scopes allow; undefined if they allow no custom lifetime. */
export function expiryAllowance(scopes: string[]): number | undefined {
  if (scopes.includes(CUSTOM_EXPIRY)) return Number.POSITIVE_INFINITY;
  const allowances = scopes.map(customExpiry).filter((seconds) => seconds !== undefined);
  return allowances.length > 0 ? Math.max(...allowances) : undefined;
}

function customExpiry(scope: string): number | undefined {
  const seconds = /^image:custom-expiry:([1-9][0-9]{0,11})$/.exec(scope)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
