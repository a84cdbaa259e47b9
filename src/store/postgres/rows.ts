/** Documents in the rows of statements. */
import { ImageDocument } from '../../catalogue/image-document.ts';

export function readImages(rows: unknown[][], column: number): ImageDocument[] {
  return readDocuments(rows, column).map((document) => new ImageDocument(document));
}

/** The column is null in a row without a document. */
export function readDocuments(rows: unknown[][], column: number): string[] {
  return rows.map((row) => row[column] as string | null).filter((document) => document !== null);
}

/** Images from rows of number and document, in the order of the numbers. */
export function inOrder(numbers: number[], rows: unknown[][]): ImageDocument[] {
  const documents = new Map(rows.map(([, number, document]) => [number as number, document as string]));
  return numbers.map((number) => new ImageDocument(documents.get(number) as string));
}
