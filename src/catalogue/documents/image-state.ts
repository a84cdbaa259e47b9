/** What an operator can change of an image, and versions of it. Pure. */
import { hash } from 'node:crypto';
import type { Entry, ImageRow } from '../../store/contract/writer.ts';
import type { Image, Rating } from '../types.ts';
import { readDocument, type StoredImage } from './document.ts';

/** Entries are ids. */
export interface ImageState {
  rating: Rating;
  artist: string;
  categories: string[];
  characters: string[];
  source: Image['source'];
  edited: string;
  /** Identifies its file. */
  eTag: string;
}

/** `image` is the document of the row, for callers that have read it. */
export function stateOf(
  { document, edited, eTag }: Pick<ImageRow, 'document' | 'edited' | 'eTag'>,
  image: StoredImage = readDocument(document),
): ImageState {
  const { nsfw: rating, artist, categories, characters, source } = image;
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).sort();
  const lists = { categories: ids(categories), characters: ids(characters) };
  return { rating, artist, ...lists, source, edited, eTag };
}

/** Differs if an operator or an import changed the image, but not if an entry was renamed or a thumbnail was made. */
export function versionOf(state: ImageState): string {
  const { rating, artist, categories, characters, source, edited, eTag } = state;
  const fields = [rating, artist, categories, characters, source.name, source.url, edited, eTag];
  return shortHash(JSON.stringify(fields));
}

export function entryVersion({ name, document, aliases = [] }: Entry): string {
  return shortHash(JSON.stringify([name, document, aliases.toSorted()]));
}

export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
