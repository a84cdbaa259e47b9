/** What is stored of a token. A backup restores tokens together with the catalogue. */

import type * as schemas from '../../catalogue/schemas.ts';
import type * as Type from '../../lib/json-schema.ts';

export type TokenInformation = Type.Static<typeof schemas.TokenInformation>;

export interface Token extends TokenInformation {
  id: string;
}

export interface TokenRecord extends Token {
  /** Of its secret. */
  hash: string;
  revokedAt: string | null;
}
