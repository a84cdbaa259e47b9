/** Access tokens: their secret, their scopes, and whether one still counts. Time and chance are passed in. */
import { hash } from 'node:crypto';
import type { RandomInt } from '../random.ts';
import type { Token } from './token-store.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 100;
const secretForm = /^[0-9A-Za-z]{100}$/;
const bearer = /^bearer +([^ ]+) *$/i;

export const LIST_IMAGES = 'image:list';
const CUSTOM_EXPIRY = 'image:custom-expiry';
const NO_RATE_LIMIT = 'api:ratelimit:disabled';

/** `chance` must be a cryptographic one. */
export function newSecret(randomInt: RandomInt): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/**
 * The form in which a secret is stored and looked up. A plain hash is enough for 595 random bits, and looking it up in
 * an index tells a guesser nothing by its timing: which hashes are near the right one cannot be chosen.
 */
export const hashSecret = (secret: string): string => hash('sha256', secret);

/** The secret in an `Authorization` header, or undefined where the header has none that could be ours. */
export function secretIn(authorization: string): string | undefined {
  const secret = bearer.exec(authorization)?.[1];
  return secret !== undefined && secretForm.test(secret) ? secret : undefined;
}

export const isLive = (token: Token, now: number): boolean => now < Date.parse(token.expires);

/** Exempt from the rate limit. */
export const isExempt = (scopes: string[]): boolean => scopes.includes(NO_RATE_LIMIT);

export function isScope(scope: string): boolean {
  return [LIST_IMAGES, CUSTOM_EXPIRY, NO_RATE_LIMIT].includes(scope) || customExpiry(scope) !== undefined;
}

/** The longest link lifetime, in seconds, that the scopes allow to ask for; undefined when they allow none. */
export function expiryAllowance(scopes: string[]): number | undefined {
  if (scopes.includes(CUSTOM_EXPIRY)) return Number.POSITIVE_INFINITY;
  const allowances = scopes.map(customExpiry).filter((seconds) => seconds !== undefined);
  return allowances.length > 0 ? Math.max(...allowances) : undefined;
}

function customExpiry(scope: string): number | undefined {
  const seconds = /^image:custom-expiry:([1-9][0-9]{0,11})$/.exec(scope)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
