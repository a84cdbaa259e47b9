/**
 * Links to files that zukan serves: `/files/<name>?expires=<unix seconds>&signature=<base64url>`.
 *
 * Signing ten links with HMAC would cost half as much as the rest of a request. Instead, HMAC derives one key per
 * expiry time, and a link's signature is the SHA-256 of that key and the file name. A bare hash of key and message
 * allows length extension, but only file names of one strict form are ever verified, and an extended message contains
 * padding bytes that no such name contains.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { LinkedFile, SignLink } from '../catalogue/documents/image-document.ts';
import type { LinkSigner, Validity } from './link-signer.ts';
import { SignatureCache } from './signature-cache.ts';

export type LinkStatus = 'valid' | 'invalid' | 'expired';

/** The id of an image, the size of a thumbnail, and the type. */
const fileNamePattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-[1-9][0-9]{0,5})?\.[a-z]{3,4}$/;
const expiresPattern = /^[1-9][0-9]{0,11}$/;
const signaturePattern = /^[0-9A-Za-z_-]{43}$/;

export class FileLinks implements LinkSigner {
  readonly maxLifetime = Number.POSITIVE_INFINITY;
  readonly #keys: readonly string[];
  readonly #signatures: SignatureCache;
  /** Most links issued within a minute share an origin and an expiry time. */
  #latest: { origin: string; expires: number; isDefault: boolean; signLink: SignLink } | undefined;

  /** The first key signs, all verify. */
  constructor(keys: readonly string[], maxCachedBytes = 0) {
    this.#keys = keys;
    this.#signatures = new SignatureCache(maxCachedBytes);
  }

  signer(origin: string, { expires }: Validity, isDefault = false): SignLink {
    const last = this.#latest;
    if (last?.expires === expires && last.origin === origin && last.isDefault === isDefault)
      return last.signLink;
    const signLink = this.#createSigner(origin, expires, isDefault);
    this.#latest = { origin, expires, isDefault, signLink };
    return signLink;
  }

  verify(fileName: string, expires: unknown, signature: unknown, now: number): LinkStatus {
    if (!fileNamePattern.test(fileName)) return 'invalid';
    if (typeof expires !== 'string' || !expiresPattern.test(expires)) return 'invalid';
    if (typeof signature !== 'string' || !signaturePattern.test(signature)) return 'invalid';
    const given = Buffer.from(signature);
    const isSigned = this.#keys.some((key) => {
      return timingSafeEqual(given, Buffer.from(sign(deriveKey(key, Number(expires)), fileName)));
    });
    if (!isSigned) return 'invalid';
    return now < Number(expires) * 1000 ? 'valid' : 'expired';
  }

  #createSigner(origin: string, expires: number, isDefault: boolean): SignLink {
    const key = deriveKey(this.#keys[0] as string, expires);
    const isoExpires = new Date(expires * 1000).toISOString();
    const start = `${origin}/files/`;
    const middle = `?expires=${expires}&signature=`;
    const signName = (fileName: string) => sign(key, fileName);
    const signatureOf = isDefault
      ? (file: LinkedFile) => this.#signatures.get(file, expires, signName)
      : ({ fileName }: LinkedFile) => signName(fileName);
    return (file) => ({ url: start + file.fileName + middle + signatureOf(file), expires: isoExpires });
  }
}

function deriveKey(key: string, expires: number): string {
  return createHmac('sha256', key).update(`zukan link ${expires}`).digest('hex');
}

function sign(key: string, fileName: string): string {
  return hash('sha256', key + fileName, 'base64url');
}
