/** Links to image bytes, whoever serves them. */
import type { SignLink } from '../catalogue/image-document.ts';

/** From when to when a link works, in seconds since 1970. */
export interface Validity {
  begins: number;
  expires: number;
}

export interface LinkSigner {
  /** The longest possible lifetime of a link, in seconds. */
  readonly maxLifetime: number;
  /** For links that are all valid for the same time. `origin` is the address that the client called. */
  signer(origin: string, validity: Validity): SignLink;
}
