/** `zukan token`: creates, lists and revokes access tokens. */
import { randomUUID } from 'node:crypto';
import { hashSecret, isUsefulScope, MIN_EXPIRY, newSecret, type Token } from '../../access/tokens.ts';
import type { Config } from '../../config/config.ts';
import { secureRandomInt } from '../../lib/random.ts';
import { openStore } from '../../server/engines.ts';
import {
  CommandError,
  type JsonFlag,
  printLine,
  printRecords,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';

interface TokenOptions extends JsonFlag {
  owner: string;
  purpose: string;
  scope: string[];
  issuedBy: string;
  expires: string;
}

const MAX_LIFETIME_MS = 100 * 365 * 86_400_000;
const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export async function createToken(config: Config, options: TokenOptions, terminal: Terminal): Promise<void> {
  const now = Date.now();
  const token: Token = {
    id: randomUUID(),
    owner: requireText('--owner', options.owner),
    purpose: requireText('--purpose', options.purpose),
    scopes: [...new Set(options.scope.map(checkScope))],
    issuedBy: options.issuedBy,
    createdAt: new Date(now).toISOString(),
    expires: new Date(now + parseDuration(options.expires)).toISOString(),
  };
  const secret = newSecret(secureRandomInt);
  await using store = await openStore(config);
  await store.tokens.add(token, hashSecret(secret));
  printLine(terminal, options.json ? JSON.stringify({ ...token, token: secret }) : secret);
}

export async function listTokens(config: Config, flags: JsonFlag, terminal: Terminal): Promise<void> {
  await using store = await openStore(config);
  const tokens = (await store.tokens.records()).map(({ hash, ...token }) => token);
  const now = new Date().toISOString();
  const header = ['id', 'state', 'owner', 'purpose', 'scopes', 'issued by', 'created', 'expires'];
  const rows = tokens.map(({ id, owner, purpose, scopes, issuedBy, createdAt, expires, revokedAt }) => {
    const state = revokedAt ? 'revoked' : expires <= now ? 'expired' : 'active';
    return [id, state, owner, purpose, scopes.join(' '), issuedBy, createdAt, expires];
  });
  printRecords(terminal, flags, tokens, { header, rows });
}

export async function revokeToken(config: Config, id: string, terminal: Terminal): Promise<void> {
  await using store = await openStore(config);
  const isRevoked = await store.tokens.revoke(id.toLowerCase(), new Date().toISOString());
  if (!isRevoked)
    throw new CommandError(`there is no active token with the id ${id}; "zukan token list" lists all tokens`);
  printLine(terminal, `revoked ${id}`);
}

/** `365d` to milliseconds. */
function parseDuration(text: string): number {
  const [, amount, unit] = /^([1-9][0-9]{0,8})([smhdw])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (units[unit ?? ''] ?? Number.NaN);
  if (!(milliseconds <= MAX_LIFETIME_MS))
    throw new UsageError(
      `--expires ${text}: must be a number followed by s, m, h, d or w, such as 365d, and at most 100 years`,
    );
  return milliseconds;
}

function requireText(option: string, text: string): string {
  if (text.trim() === '') throw new UsageError(`${option} must not be empty`);
  return text.trim();
}

function checkScope(scope: string): string {
  if (isUsefulScope(scope)) return scope;
  const known = `image:list, image:custom-expiry, image:custom-expiry:<seconds> (from ${MIN_EXPIRY}), api:ratelimit:disabled`;
  throw new UsageError(`--scope ${scope}: unknown scope; use one of ${known}`);
}
