/**
 * The layout of the memory that caches image documents. One thread writes (document-cache/filler.ts) and any number read
 * (document-cache/cache.ts), without locks:
 *
 *     header | addresses of texts | texts and documents, appended → … free … ← addresses of documents, by image number
 *
 * Texts that many documents share are numbered from 1. A text or document is never changed. It is published by storing how
 * many words are used, and then its address. Whatever else the writer does, it does while the epoch is odd: readers find
 * nothing then, and discard what they have read if the epoch changed meanwhile.
 */

/** Words of four bytes in the header. */
export const EPOCH = 0;
/** Changes when all addresses become invalid. */
export const GENERATION = 1;
/** The number of the last change that the cache has followed: its lower and its higher 32 bits. */
export const REVISION = 2;
/** The highest image number that has room for an address. */
export const MAX_IMAGE = 3;
export const COUNT = 4;
export const USED_WORDS = 5;
export const REVISION_HIGH = 6;
/** The addresses of shared texts begin here. */
export const TEXT_ADDRESSES = 8;

/** The words before the bytes of a document. Positions have 16 bits, two in a word. */
export const LENGTH = 0;
export const LISTS_AND_END = 1;
export const FILE_NAME_AND_KEY = 2;
export const LINK_END_AND_EXPIRES = 3;
/** The numbers of shared texts; 0 if the document is stored whole. */
export const CATEGORIES = 4;
export const CHARACTERS = 5;
export const ARTIST = 6;
export const DOCUMENT_WORDS = 7;
/** A shared text has only its length. */
export const TEXT_WORDS = 1;

/** In bytes. Longer documents do not occur in real catalogues, and are not cached. Their positions would not fit. */
export const MAX_DOCUMENT_LENGTH = 64 * 1024 - 1;

/** Memory that cannot cache anything, for commands that read few documents. */
export function noDocumentMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(TEXT_ADDRESSES * 4);
}

/** Of the memory, for the addresses of shared texts. */
const TEXT_ADDRESS_PART = 1 / 64;

/** Where texts and documents begin. Address 0 means "not cached". */
export function firstAddress(words: Uint32Array): number {
  return TEXT_ADDRESSES + Math.floor(words.length * TEXT_ADDRESS_PART);
}

/** What the cache's revision is as a number. */
export const revisionIn = (words: Uint32Array): number =>
  (words[REVISION_HIGH] as number) * 2 ** 32 + (words[REVISION] as number);

export const isOpen = (epoch: number): boolean => (epoch & 1) === 0;

/** The word with the address of an image's document. */
export const addressIndex = (words: Uint32Array, image: number): number => words.length - 1 - image;
