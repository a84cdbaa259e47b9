/** Versions of images and entries. A change names the one that it is based on, so that nobody overwrites what they have not seen. */
import { hash } from 'node:crypto';
import type { ImageState } from '../catalogue/documents/edit-image.ts';
import type { Entry } from '../catalogue/writer.ts';

/** Differs if an operator or an import changed the image, but not if an entry was renamed or a thumbnail was made. */
export function versionOf(state: ImageState): string {
  const { rating, artist, categories, characters, source, title, description, takenAt, edited, eTag } = state;
  const texts = [source.name, source.url, title, description, takenAt];
  const fields = [rating, artist, categories, characters, ...texts, edited, eTag];
  return shortHash(JSON.stringify(fields));
}

export function entryVersion({ name, document, aliases = [] }: Entry): string {
  return shortHash(JSON.stringify([name, document, aliases.toSorted()]));
}

export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
