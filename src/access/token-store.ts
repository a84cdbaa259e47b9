/** The interface of a token store. */
import type Type from 'typebox';
import type * as schemas from '../schemas.ts';

export type TokenInformation = Type.Static<typeof schemas.TokenInformation>;

export interface Token extends TokenInformation {
  id: string;
}

/** Everything that is stored of a token. */
export interface TokenRecord extends Token {
  /** Of its secret. */
  hash: string;
  revokedAt: string | null;
}

export interface TokenStore {
  /** Finds a token by the hash of its secret. It may have expired, but is not revoked. */
  find(hash: string): Token | undefined | Promise<Token | undefined>;
  add(token: Token, hash: string): Promise<void>;
  list(): Promise<(Token & { revokedAt: string | null })[]>;
  /** Returns false if no such token exists or it is already revoked. */
  revoke(id: string, revokedAt: string): Promise<boolean>;
  /** For a backup. */
  records(): Promise<TokenRecord[]>;
  /** Adds all of them or none. Those that exist already stay as they are. */
  restore(records: TokenRecord[]): Promise<void>;
}
