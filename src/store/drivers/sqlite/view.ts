/** One version of the embedded catalogue. Valid inside a read transaction of that version only. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type NewestPage, newestBelow } from '../../../catalogue/sets/choose-images.ts';
import type { Bounds, ImageDimensions } from '../../../catalogue/sets/dimension-index.ts';
import type { Document, Kind } from '../../../catalogue/types.ts';
import type { FileFacts } from '../../contract/catalogue.ts';
import { boundsCondition } from '../../queries.ts';
import {
  buildSnapshot,
  type Shelf,
  type ShelfSnapshot,
  SNAPSHOT_QUERY,
  type SnapshotRow,
} from '../../shelves.ts';
import type { DocumentChanges, Draw, StoredEntry, View } from '../../view.ts';
import { hasShelf } from './dialect.ts';
import { DocumentVerifier, isWhole, verifyEntry } from './verification.ts';

/** Takes less than a millisecond. */
const VERIFIED_PER_CALL = 50;
const ENTRY = 'select number, document, size, cover from shelf';

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select coalesce(max(number), 0) from image',
  documentRevision: 'select coalesce(max(number), 0) from document_change',
  snapshot: SNAPSHOT_QUERY,
  imageNumber: 'select number from image where id = ?',
  file: 'select key, etag, mimetype from image where id = ?',
  entry: `${ENTRY} where kind = ? and id = ?`,
  entryShelf: 'select number, size from shelf where kind = ? and id = ?',
  entryAt: `${ENTRY} where kind = ? and position = ?`,
  document: 'select document from image where number = ?',
  documentsAfter: 'select number, document from image where number > ? order by number limit ?',
  documentChanges: 'select number, image from document_change where number > ? order by number limit ?',
  imagesOn:
    'select image from placement where shelf = ? and position >= ? and position < ? order by position',
  imageAt: 'select image from placement where shelf = ? and position = ?',
  isPlaced: `select 1 from image_shelves where image = ? and ${hasShelf('?')}`,
  isWithin: `select 1 from image_shelves where image = ?1 and ${boundsCondition('?2', '?3', '?4', '?5')}`,
  dimensions: 'select image, width, height from image_shelves where image > ? order by image limit ?',
  dimensionsOf: 'select image, width, height from image_shelves where image = ?',
  names: 'select name from shelf where kind = ? and position >= ? and position < ? order by position',
  hashes: 'select image, hash from perceptual_hash where image > ? order by image limit ?',
};

export type Statements = Record<keyof typeof texts, StatementSync>;

/** Rows come as arrays, which takes half the time of objects. */
export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return [name, statement];
  });
  return Object.fromEntries(prepared) as Statements;
}

/** The rows of a statement, with the types that its columns have. */
export function allRows<Row extends unknown[]>(statement: StatementSync, ...values: Value[]): Row[] {
  return statement.all(...values) as unknown[] as Row[];
}

/** The first row, if there is one. */
export function firstRow<Row extends unknown[]>(
  statement: StatementSync,
  ...values: Value[]
): Row | undefined {
  return statement.get(...values) as unknown[] | undefined as Row | undefined;
}

type Value = string | number;

export class SqliteView implements View {
  readonly snapshot: ShelfSnapshot;
  /** The number of the last change to a document. The same in all connections, unlike the version. */
  readonly documentRevision: number;
  readonly #statements: Statements;
  readonly #verifier: DocumentVerifier;
  #lastVerified = 0;

  constructor(statements: Statements, version: number) {
    const [lastImage] = firstRow<[number]>(statements.lastImage) as [number];
    const [documentRevision] = firstRow<[number]>(statements.documentRevision) as [number];
    this.#statements = statements;
    this.#verifier = new DocumentVerifier(lastImage);
    this.documentRevision = documentRevision;
    this.snapshot = buildSnapshot(version, lastImage, allRows<SnapshotRow>(statements.snapshot));
  }

  imageNumber(id: string): number | undefined {
    return firstRow<[number]>(this.#statements.imageNumber, id)?.[0];
  }

  file(image: string): FileFacts | undefined {
    const row = firstRow<[string, string, FileFacts['mimetype']]>(this.#statements.file, image);
    return row && { key: row[0], eTag: row[1], mimetype: row[2] };
  }

  entry(kind: Kind, id: string): StoredEntry | undefined {
    const row = firstRow<EntryRow>(this.#statements.entry, kind, id);
    return row && toEntry(row);
  }

  entryShelves(kind: Kind, ids: string[]): (Shelf | undefined)[] {
    return ids.map((id) => {
      const row = firstRow<[number, number]>(this.#statements.entryShelf, kind, id);
      return row && { number: row[0], size: row[1] };
    });
  }

  entriesAt(kind: Kind, positions: number[]): StoredEntry[] {
    const { entryAt } = this.#statements;
    return positions.map((position) => toEntry(firstRow<EntryRow>(entryAt, kind, position)));
  }

  documents(images: number[]): Document[] {
    return images.map((image) => this.#verifier.verify(image, this.#document(image)));
  }

  wholeDocuments(images: number[]): [image: number, document: Document][] {
    return images.flatMap((image) => {
      const document = this.#document(image);
      return document !== undefined && isWhole(document) ? [[image, document]] : [];
    });
  }

  documentChanges(since: number, after: DocumentChanges['next'], limit: number): DocumentChanges {
    const rows = allRows<[number, number]>(this.#statements.documentChanges, after?.[0] ?? since, limit);
    return {
      // A number that is lower than before shows that this is another database.
      isSuccessor: since <= this.documentRevision,
      images: rows.map(([, image]) => image),
      next: rows.length < limit ? undefined : rows.at(-1),
    };
  }

  imagesOn(shelf: number, from: number, to: number): number[] {
    return allRows<[number]>(this.#statements.imagesOn, shelf, from, to).map(([image]) => image);
  }

  imagesAt(shelf: number, positions: number[]): number[] {
    return positions.map((position) => this.#imageAt(shelf, position));
  }

  draw({ places, required, excluded, bounds, overlapping, limit }: Draw): number[] {
    const images: number[] = [];
    for (const { shelf, position } of places) {
      if (images.length === limit) break;
      const image = this.#imageAt(shelf, position);
      const isOn = (other: number) => this.#statements.isPlaced.get(image, other) !== undefined;
      if (bounds && !this.#isWithin(bounds, image)) continue;
      const isRepeated = overlapping.slice(0, overlapping.indexOf(shelf)).some(isOn);
      if (!isRepeated && required.every((shelves) => shelves.some(isOn)) && !excluded.some(isOn))
        images.push(image);
    }
    return images;
  }

  newest({ number, size }: Shelf, below: number | undefined, limit: number): NewestPage {
    return newestBelow({ size, at: (position) => this.#imageAt(number, position) }, below, limit);
  }

  names(kind: Kind, from: number, to: number): string[] {
    return allRows<[string]>(this.#statements.names, kind, from, to).map(([name]) => name);
  }

  hashes(above: number, limit: number): [image: number, hash: string][] {
    return allRows(this.#statements.hashes, above, limit);
  }

  dimensions(above: number, limit: number): ImageDimensions[] {
    return allRows(this.#statements.dimensions, above, limit);
  }

  dimensionsOf(images: number[]): ImageDimensions[] {
    return images.flatMap((image) => allRows<ImageDimensions>(this.#statements.dimensionsOf, image));
  }

  /** Verifies the next few documents, and starts over after the last one. */
  verifyNext(): void {
    const { documentsAfter } = this.#statements;
    const rows = allRows<[number, unknown]>(documentsAfter, this.#lastVerified, VERIFIED_PER_CALL);
    for (const [image, document] of rows) {
      this.#verifier.verifyAgain(image, document);
      this.#lastVerified = image;
    }
    if (rows.length < VERIFIED_PER_CALL) this.#lastVerified = 0;
  }

  #isWithin({ minWidth, minHeight, ratioWidth, ratioHeight }: Bounds, image: number): boolean {
    const values = [image, minWidth, minHeight, ratioWidth, ratioHeight];
    return this.#statements.isWithin.get(...values) !== undefined;
  }

  #document(image: number): Document | undefined {
    return firstRow<[Document]>(this.#statements.document, image)?.[0];
  }

  #imageAt(shelf: number, position: number): number {
    return (firstRow<[number]>(this.#statements.imageAt, shelf, position) as [number])[0];
  }
}

type EntryRow = [shelf: number, document: string, images: number, coverNumber: number | null];

/** A missing row is damage. */
function toEntry([shelf, document, images, coverNumber]: EntryRow | [] = []): StoredEntry {
  return {
    document: verifyEntry(document),
    shelf: shelf as number,
    images: images as number,
    coverNumber: coverNumber ?? null,
  };
}
