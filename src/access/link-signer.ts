/** Expiring links to image bytes, whether zukan or the object storage serves them. */
import type { SignLink } from '../catalogue/documents/image-document.ts';

/** When a link works, in seconds since 1970. */
export interface Validity {
  begins: number;
  expires: number;
}

export interface LinkSigner {
  /** The longest possible lifetime of a link, in seconds. */
  readonly maxLifetime: number;
  /**
   * Returns a function that signs links with the same validity. `origin` is the origin that the client called. Links of the
   * default validity are the same for all clients.
   */
  signer(origin: string, validity: Validity, isDefault?: boolean): SignLink;
}

/** Default links expire at the end of a bucket of a sixtieth of their lifetime, at most five minutes. */
const BUCKETS_PER_LIFETIME = 60;
const MAX_BUCKET = 300;
/** The end of the year 9999; an ISO timestamp has four digits for the year. */
const MAX_EXPIRES = 253_402_300_799;

/**
 * The validity of a link issued now. An exact lifetime is kept to the second. Any other is rounded up to the end of a
 * bucket: all links issued within a bucket are equal, and browsers and CDNs can cache them.
 */
export function linkValidity(now: number, lifetime: number, isExact: boolean): Validity {
  const bucket = isExact ? 1 : Math.min(MAX_BUCKET, Math.max(1, Math.floor(lifetime / BUCKETS_PER_LIFETIME)));
  const expires = Math.ceil((now / 1000 + lifetime) / bucket) * bucket;
  return { begins: expires - lifetime - (isExact ? 0 : bucket), expires: Math.min(MAX_EXPIRES, expires) };
}
