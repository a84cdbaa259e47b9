/**
 * Notices a damaged database file. SQLite detects damage to its own structures, but returns damaged text as it is, and
 * responses are joined from stored texts without parsing them.
 */

import { parseDetails } from '../../../catalogue/documents/details.ts';
import { fileName, parseStored } from '../../../catalogue/documents/document.ts';
import { parsePreviews } from '../../../catalogue/documents/thumbnails.ts';
import { emptyBits, hasBit, setBit } from '../../../catalogue/sets/bits.ts';
import type { Artist, Document, Image } from '../../../catalogue/types.ts';

export class DamagedError extends Error {}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = [11, 26];

export function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  // The low byte is the primary code.
  return error instanceof DamagedError || (errcode !== undefined && damageCodes.includes(errcode & 0xff));
}

/** Verifies image documents of one version of the catalogue, each when it is read for the first time. */
export class DocumentVerifier {
  readonly #verified: Uint32Array;

  constructor(lastImage: number) {
    this.#verified = emptyBits(lastImage + 1);
  }

  verify(image: number, document: unknown): Document {
    if (typeof document !== 'string') throw new DamagedError(`the document of image ${image} is missing`);
    // Parsing takes as long as reading, so it is not repeated. The health check looks at every document again.
    if (hasBit(this.#verified, image)) return document;
    this.verifyAgain(image, document);
    return document;
  }

  verifyAgain(image: number, document: unknown): void {
    if (typeof document !== 'string' || !isWhole(document))
      throw new DamagedError(`the document of image ${image} is damaged`);
    setBit(this.#verified, image);
  }
}

/** Parses the public JSON without the contents of its placeholders, and what follows it. */
export function isWhole(document: Document): boolean {
  try {
    const stored = parseStored(document);
    const image = JSON.parse(stored.json) as Image;
    const { id, url, categories, characters, createdAt, meta } = image;
    // The cache looks for the lists, and the file name repeats the id.
    const hasLists = Array.isArray(categories) && Array.isArray(characters) && typeof createdAt === 'string';
    const hasLink = url === '' && stored.fileName === fileName(id, meta.mimetype) && stored.key !== '';
    const hasArtist = (JSON.parse(stored.artist) as Artist).id === image.artist;
    const hasPreviews = stored.previews === undefined || parsePreviews(stored.previews) !== undefined;
    const { title, description, takenAt, fileName: source } = parseDetails(stored.details);
    const hasDetails = [title, description, takenAt, source].every((text) => typeof text === 'string');
    const hasMeta = meta.expires === '' && typeof meta.dimens === 'object';
    return hasLists && hasLink && hasArtist && hasDetails && hasPreviews && hasMeta;
  } catch {
    return false;
  }
}

/** Verifies the JSON of an artist, character or category. */
export function verifyEntry(document: unknown): string {
  try {
    if (typeof (JSON.parse(document as string) as { id: unknown }).id === 'string') return document as string;
  } catch {}
  throw new DamagedError('the document of an artist, character or category is damaged');
}
