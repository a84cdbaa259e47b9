/** Documents in the rows of statements. */
import type { EntryDetails } from '../../catalogue/catalogue.ts';
import { ImageDocument } from '../../catalogue/image-document.ts';

/** The column is null in a row without a document. */
export function readImages(rows: unknown[][], column: number): ImageDocument[] {
  const documents = rows.map((row) => row[column] as string | null);
  return documents.flatMap((document) => (document === null ? [] : [new ImageDocument(document)]));
}

/** From rows of document, size and, if wanted, the document of the cover. A row without an entry has none of them. */
export function readEntries(rows: unknown[][]): EntryDetails[] {
  return rows.flatMap((row) => {
    const [, document, images, cover] = row as [number, string | null, number, string | null];
    return document === null
      ? []
      : [{ document, images, cover: cover ? new ImageDocument(cover) : undefined }];
  });
}
