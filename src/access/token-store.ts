/** The interface of a token store. */
import type { Token, TokenInformation, TokenRecord } from '../store/contract/token-record.ts';

export type { Token, TokenInformation, TokenRecord };

export interface TokenStore {
  /** Finds a token by the hash of its secret. It may have expired, but is not revoked. */
  find(hash: string): Token | undefined | Promise<Token | undefined>;
  add(token: Token, hash: string): Promise<void>;
  list(): Promise<(Token & { revokedAt: string | null })[]>;
  /** Returns false if no such token exists or it is already revoked. */
  revoke(id: string, revokedAt: string): Promise<boolean>;
  /** For a backup. */
  records(): Promise<TokenRecord[]>;
}
