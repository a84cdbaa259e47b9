/**
 * Links to image bytes that expire: `/files/<name>?expires=<unix seconds>&signature=<base64url>`.
 *
 * Signing ten links with HMAC would cost half as much as the rest of a request, so a key is derived by HMAC once for
 * each expiry moment, and a link is signed by hashing that key and the file's name in one go. A bare
 * hash of key and message is open to extension: who has the hash of m can make the one of m + padding + more. Here
 * that gains nothing, because only names of one strict form (`isFileName`) are ever verified, and
 * padding begins with a byte that no such name contains.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { SignLink } from '../catalogue/image-document.ts';
import type { LinkSigner, Validity } from './link-signer.ts';

/** Seconds since 1970. */
type Moment = number;

export type Verdict = 'valid' | 'forged' | 'expired';

const fileNameForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z]{3,4}$/;
const momentForm = /^[1-9][0-9]{0,11}$/;
const signatureForm = /^[0-9A-Za-z_-]{43}$/;
/** A default link lives up to this part longer than it must, so that equal links are given for a while. */
const BUCKETS_IN_A_LIFETIME = 60;
const MAX_BUCKET = 300;
/** The end of the year 9999: later years have no place in an ISO timestamp. */
const LAST_MOMENT = 253_402_300_799;

export class Links implements LinkSigner {
  readonly maxLifetime = Number.POSITIVE_INFINITY;
  readonly #keys: readonly string[];
  /** What signed last: most links of a minute expire together, and lead to the same origin. */
  #latest: { origin: string; expires: Moment; signLink: SignLink } | undefined;

  /** The first key signs, all verify. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  signer(origin: string, { expires }: Validity): SignLink {
    if (this.#latest?.expires !== expires || this.#latest.origin !== origin)
      this.#latest = { origin, expires, signLink: this.#signLink(origin, expires) };
    return this.#latest.signLink;
  }

  verify(fileName: string, expires: unknown, signature: unknown, now: number): Verdict {
    if (!fileNameForm.test(fileName)) return 'forged';
    if (typeof expires !== 'string' || !momentForm.test(expires)) return 'forged';
    if (typeof signature !== 'string' || !signatureForm.test(signature)) return 'forged';
    const given = Buffer.from(signature);
    const isOurs = this.#keys.some((key) => {
      return timingSafeEqual(given, Buffer.from(sign(deriveKey(key, Number(expires)), fileName)));
    });
    if (!isOurs) return 'forged';
    return now < Number(expires) * 1000 ? 'valid' : 'expired';
  }

  #signLink(origin: string, expires: Moment): SignLink {
    const key = deriveKey(this.#keys[0] as string, expires);
    const iso = new Date(expires * 1000).toISOString();
    const start = `${origin}/files/`;
    const middle = `?expires=${expires}&signature=`;
    return (fileName) => ({ url: start + fileName + middle + sign(key, fileName), expires: iso });
  }
}

/**
 * From when to when a link that is given now works: exactly as long as was asked for, or to the end of a short bucket, the
 * same for all links of that bucket.
 */
export function validityOf(now: number, lifetime: number, isExact: boolean): Validity {
  const bucket = isExact
    ? 1
    : Math.min(MAX_BUCKET, Math.max(1, Math.floor(lifetime / BUCKETS_IN_A_LIFETIME)));
  const expires = Math.ceil((now / 1000 + lifetime) / bucket) * bucket;
  return { begins: expires - lifetime - (isExact ? 0 : bucket), expires: Math.min(LAST_MOMENT, expires) };
}

function deriveKey(key: string, expires: Moment): string {
  return createHmac('sha256', key).update(`zukan link ${expires}`).digest('hex');
}

function sign(key: string, fileName: string): string {
  return hash('sha256', key + fileName, 'base64url');
}
