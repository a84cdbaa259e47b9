/** The addresses of pictures, and what clients are given to come back with, signed so that nothing has to be stored: links and cursors. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Filter } from '../catalogue/catalogue.ts';
import { ID_LENGTH, type LinkedFile, type SignLink } from '../catalogue/documents/image-document.ts';
import { fold } from '../catalogue/names.ts';

// Lasting addresses: `/pictures/<id>/<size>.webp` for a thumbnail, and `/pictures/<id>/original.<type>`. Pages add `?v=<version>`, so
// a replaced file has a new address. Each file has exactly these two, so nobody can fill a cache with copies.

/** The origin may be empty: for a page of this site. */
export function lastingLinks(origin: string): SignLink {
  return (file) => ({ url: origin + pictureAddress(file), expires: '' });
}

/** With the version of the file, if that is known. */
export function pictureAddress(file: LinkedFile): string {
  const [id, end] = [file.fileName.slice(0, ID_LENGTH), file.fileName.slice(ID_LENGTH)];
  const path = `/pictures/${id}/${end.startsWith('-') ? end.slice(1) : `original${end}`}`;
  const eTag = file.eTag?.();
  return eTag === undefined ? path : `${path}?v=${versionOf(eTag)}`;
}

/** The start of the entity tag: enough that no two files of an image have the same. */
const VERSION_LENGTH = 10;

function versionOf(eTag: string): string {
  return eTag.replaceAll(/[^0-9A-Za-z_-]/g, '').slice(0, VERSION_LENGTH);
}

const idForm = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.source;
const addressPattern = new RegExp(
  `^/pictures/(${idForm})/(?:([1-9][0-9]{0,5})\\.webp|(original\\.[a-z]{3,4}))$`,
);
const versionPattern = new RegExp(`^v=[0-9A-Za-z_-]{0,${VERSION_LENGTH}}$`);

export interface PictureAddress {
  id: string;
  /** In links to this service. */
  fileName: string;
  /** Of a thumbnail. */
  size: number | undefined;
}

/** `path` and `search` are those of a request, as they were sent. Other forms of the same address would be other copies in caches. */
export function parsePictureAddress(path: string, search: string): PictureAddress | undefined {
  const [, id, size, original] = addressPattern.exec(path) ?? [];
  if (!id || (search !== '' && !versionPattern.test(search))) return undefined;
  const fileName = original ? original.replace('original', id) : `${id}-${size}.webp`;
  return { id, fileName, size: size === undefined ? undefined : Number(size) };
}

// Expiring links to image bytes: when they expire, and the links to files that zukan serves itself,
// `/files/<name>?expires=<unix seconds>&signature=<base64url>`. Links to object storage are in media/s3/client.ts.

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

type LinkStatus = 'valid' | 'invalid' | 'expired';

/** Of the name of a file: the id of an image, the size of a thumbnail, and the type. */
const linkPattern = new RegExp(
  `^/files/(${idForm}(?:-[1-9][0-9]{0,5})?\\.[a-z]{3,4})\\?expires=([1-9][0-9]{0,11})&signature=([0-9A-Za-z_-]{43})$`,
);

interface FileLink {
  fileName: string;
  expires: number;
  signature: string;
}

/**
 * `target` is the path and the query of a request, as they were sent. A link has only the form in which it was issued: if others
 * worked, caches would keep a copy for each.
 */
export function parseFileLink(target: string): FileLink | undefined {
  const [, fileName, expires, signature] = linkPattern.exec(target) ?? [];
  if (!fileName || !signature) return undefined;
  return { fileName, expires: Number(expires), signature };
}

/**
 * Signing every link with HMAC would be slow. Instead, HMAC derives one key per expiry time, and a link's signature is the
 * SHA-256 of that key and the file name. A bare hash of key and message allows length extension, but only file names of one
 * strict form are ever verified, and an extended message contains padding bytes that no such name contains.
 */
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
    if (last?.origin === origin && last.expires === expires && last.isDefault === isDefault)
      return last.signLink;
    const signLink = this.#signLink(origin, expires, isDefault);
    this.#latest = { origin, expires, isDefault, signLink };
    return signLink;
  }

  verify({ fileName, expires, signature }: FileLink, now: number): LinkStatus {
    const given = Buffer.from(signature);
    const isSigned = this.#keys.some((key) => {
      return timingSafeEqual(given, Buffer.from(sign(deriveKey(key, expires), fileName)));
    });
    if (!isSigned) return 'invalid';
    return now < expires * 1000 ? 'valid' : 'expired';
  }

  #signLink(origin: string, expires: number, isDefault: boolean): SignLink {
    const key = deriveKey(this.#keys[0] as string, expires);
    const cache = isDefault ? this.#signatures : undefined;
    const isoExpires = new Date(expires * 1000).toISOString();
    const [start, middle] = [`${origin}/files/`, `?expires=${expires}&signature=`];
    return (file) => {
      const make = () => sign(key, file.fileName);
      const signature = cache ? cache.get(file, expires, make) : make();
      return { url: start + file.fileName + middle + signature, expires: isoExpires };
    };
  }
}

function deriveKey(key: string, expires: number): string {
  return createHmac('sha256', key).update(`zukan link ${expires}`).digest('hex');
}

function sign(key: string, fileName: string): string {
  return hash('sha256', key + fileName, 'base64url');
}

const SIGNATURE_LENGTH = 43;
/** A signature, and before it the tag of the links that it belongs to. */
const WORDS = 1 + Math.ceil(SIGNATURE_LENGTH / 4);

/**
 * Signatures of default links, by image number. All default links of a minute expire together, and under load most images
 * are linked several times in that minute. As bytes without objects, they cost the garbage collector nothing.
 */
class SignatureCache {
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;
  /** Changes with the expiry time and the revision, so nothing has to be cleared then. */
  #tag = 1;
  #expires = 0;
  #revision: number | undefined;

  /** The system provides the memory only when it is written to. */
  constructor(maxBytes: number) {
    this.#words = new Uint32Array(Math.floor(maxBytes / 4));
    this.#bytes = Buffer.from(this.#words.buffer);
  }

  /** The signature of a file, made with `sign` if it is not cached. */
  get({ number, revision }: LinkedFile, expires: number, sign: () => string): string {
    // A thumbnail, of no revision.
    if (number === undefined) return sign();
    if (expires !== this.#expires || revision !== this.#revision) {
      this.#tag++;
      [this.#expires, this.#revision] = [expires, revision];
    }
    const index = number * WORDS;
    const start = (index + 1) * 4;
    if (this.#words[index] === this.#tag)
      return this.#bytes.toString('latin1', start, start + SIGNATURE_LENGTH);
    const signature = sign();
    if (index + WORDS > this.#words.length) return signature;
    this.#words[index] = this.#tag;
    this.#bytes.write(signature, start, 'latin1');
    return signature;
  }
}

// Pagination cursors (`X-Next-Cursor`): a number that says where the next page starts, signed together with its scope (the
// order and the filters). The server stores nothing, and a forged cursor or one from another scope is recognised.

/** Together a multiple of three, so that base64url needs no padding. */
const POSITION_BYTES = 5;
const SIGNATURE_BYTES = 16;
const cursorPattern = /^[0-9A-Za-z_-]{28}$/;

export class Cursors {
  readonly #keys: readonly string[];

  /** The first key signs, all verify. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  write(number: number, scope: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeUIntBE(number, 0, POSITION_BYTES);
    return Buffer.concat([position, signPosition(this.#keys[0] as string, position, scope)]).toString(
      'base64url',
    );
  }

  /** Returns undefined if the cursor was not issued by this service for this scope. */
  read(cursor: string, scope: string): number | undefined {
    if (!cursorPattern.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    const [position, signature] = [bytes.subarray(0, POSITION_BYTES), bytes.subarray(POSITION_BYTES)];
    const isValid = this.#keys.some((key) => timingSafeEqual(signature, signPosition(key, position, scope)));
    return isValid ? position.readUIntBE(0, POSITION_BYTES) : undefined;
  }
}

function signPosition(key: string, position: Uint8Array, scope: string): Buffer {
  return createHmac('sha256', key)
    .update('zukan cursor ')
    .update(position)
    .update(scope)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}

/**
 * The scope of a cursor, as text. The order is that of a seed, or newest first without one. The order, case and repeats of
 * names in a list do not matter, and neither does an empty list. Fields that are not given are left out, so a new filter does
 * not invalidate older cursors.
 */
export function cursorScope(seed: string | undefined, filter: Filter): string {
  const fields = Object.entries(filter).map(
    ([field, value]) => [field, Array.isArray(value) ? canonicalValue(field, value) : value] as const,
  );
  const { categories = [] }: { categories?: readonly string[] } = Object.fromEntries(fields);
  // With fewer than two categories, "any" and "all" mean the same, and "all" is the default.
  const isMatchAny = filter.match === 'any' && categories.length > 1;
  const conditions = fields
    .filter(([field, value]) => (field === 'match' ? isMatchAny : isGiven(value)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([seed ?? null, conditions]);
}

/** Older versions took one artist and one character. */
function canonicalValue(field: string, value: readonly string[]): string | string[] {
  const [first, ...others] = canonicalList(value);
  const wasSingle = field === 'artist' || field === 'character';
  return wasSingle && first !== undefined && others.length === 0 ? first : canonicalList(value);
}

function canonicalList(names: readonly string[]): string[] {
  return [...new Set(names.map(fold))].sort();
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
