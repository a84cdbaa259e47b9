/** An image as it is stored. */
import type { Document, Mimetype } from '../../catalogue/types.ts';

/**
 * A stored image. `eTag` identifies its bytes: their hash, or the entity tag that a record gave. (The document has the
 * entity tag that the file is served with, which some storage assigns itself.) `number` is its position in the order of
 * adding, absent until it is saved.
 */
export interface ImageRow {
  number?: number;
  id: string;
  key: string;
  eTag: string;
  mimetype: Mimetype;
  document: Document;
  /** What it looks like (media/perceptual-hash.ts): `''` if it has too little detail, null if it was not computed. */
  perceptualHash: string | null;
  /** The fields that an operator decided (edit-image.ts). */
  edited: string;
}

export type SavedImage = ImageRow & { number: number };
