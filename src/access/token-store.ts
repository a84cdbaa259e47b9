/** Where access tokens are kept. */
import type Type from 'typebox';
import type * as schemas from '../schemas.ts';

export type TokenInformation = Type.Static<typeof schemas.TokenInformation>;

export interface Token extends TokenInformation {
  id: string;
}

export interface TokenStore {
  /** Finds a token by the hash of its secret unless it is revoked. It may have expired. */
  find(hash: string): Promise<Token | undefined>;
  add(token: Token, hash: string): Promise<void>;
  list(): Promise<(Token & { revokedAt: string | null })[]>;
  /** Returns false if there is no such live token. */
  revoke(id: string, revokedAt: string): Promise<boolean>;
}
