/** Gives an image the file of another row, with everything that follows from the bytes. Pure. */
import { composeDocument, readDocument, splitDocument } from './document.ts';
import type { ImageRow, SavedImage } from './writer.ts';

type FileRow = Omit<ImageRow, 'id' | 'edited' | 'number'>;

export function giveFile(image: SavedImage, file: FileRow): SavedImage {
  const { key, eTag, mimetype, perceptualHash } = file;
  const { categories, characters, ...fields } = readDocument(image.document);
  const texts = (entries: object[]) => entries.map((entry) => JSON.stringify(entry));
  const [, , , , , artist] = splitDocument(image.document);
  const [, , , , , , previews] = splitDocument(file.document);
  const { meta } = readDocument(file.document);
  const lists = [texts(categories), texts(characters)] as const;
  const document = composeDocument({ ...fields, meta }, key, artist, ...lists, previews);
  return { ...image, key, eTag, mimetype, perceptualHash, document };
}
