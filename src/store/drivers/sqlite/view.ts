/** One version of the embedded catalogue. Valid inside a read transaction of that version only. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Document, Kind } from '../../../catalogue/schemas.ts';
import {
  buildSnapshot,
  type DocumentChanges,
  type EntryRow,
  type ListName,
  type Lists,
  listReads,
  lookUps,
  type Shelf,
  type ShelfSnapshot,
  SNAPSHOT_QUERY,
  type SnapshotRow,
  type StoredEntry,
  toEntry,
  type View,
} from '../../view.ts';
import { DocumentVerifier, isWhole, verifyEntry } from './database.ts';
import { withSqliteParameters } from './session.ts';

/** Takes less than a millisecond. */
const VERIFIED_PER_CALL = 50;

export class SqliteView implements View {
  readonly snapshot: ShelfSnapshot;
  readonly #statements: Statements;
  readonly #verifier: DocumentVerifier;
  #lastVerified = 0;

  constructor(statements: Statements, version: number) {
    const [lastImage] = firstRow<[number]>(statements.lastImage) as [number];
    const [documentRevision] = firstRow<[number]>(statements.documentRevision) as [number];
    this.#statements = statements;
    this.#verifier = new DocumentVerifier(lastImage);
    const rows = allRows<SnapshotRow>(statements.snapshot);
    this.snapshot = buildSnapshot({ version, lastImage, documentRevision }, rows);
  }

  imageNumber(id: string): number | undefined {
    return firstRow<[number]>(this.#statements.imageNumber, id)?.[0];
  }

  entry(kind: Kind, id: string): StoredEntry | undefined {
    const row = firstRow<Row>(this.#statements.entry, kind, id);
    return row && readEntry(row);
  }

  entryShelves(kind: Kind, ids: string[]): (Shelf | undefined)[] {
    return ids.map((id) => {
      const row = firstRow<[number, number]>(this.#statements.entryShelf, kind, id);
      return row && { number: row[0], size: row[1] };
    });
  }

  entriesAt(kind: Kind, positions: number[]): StoredEntry[] {
    const { entryAt } = this.#statements;
    return positions.map((position) => readEntry(firstRow<Row>(entryAt, kind, position)));
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
      isSuccessor: since <= this.snapshot.documentRevision,
      images: rows.map(([, image]) => image),
      next: rows.length < limit ? undefined : rows.at(-1),
    };
  }

  imageSizes(images: number[]): [image: number, width: number, height: number][] {
    return images.flatMap((image) => {
      const size = firstRow<[number, number]>(this.#statements.imageSize, image);
      return size ? [[image, ...size]] : [];
    });
  }

  list<Name extends ListName>(name: Name, ...parameters: Lists[Name][0]): Lists[Name][1][] {
    const rows = allRows(this.#statements[name], ...parameters);
    return (rows[0]?.length === 1 ? rows.flat() : rows) as Lists[Name][1][];
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

  #document(image: number): Document | undefined {
    return firstRow<[Document]>(this.#statements.document, image)?.[0];
  }
}

type Row = EntryRow<Uint8Array | null>;

/** A missing row is damage. */
function readEntry(row: Row | undefined): StoredEntry {
  const json = verifyEntry(row?.[2]);
  return toEntry(row as Row, json);
}

/** As bytes: responses need them so, and decoding long texts only to encode them again takes milliseconds. */
const withBytes = (entry: string) => `select number, id, cast(document as blob), size, cover from (${entry})`;

const texts = {
  begin: 'begin',
  commit: 'commit',
  version: 'pragma data_version',
  lastImage: 'select coalesce(max(number), 0) from image',
  documentRevision: 'select coalesce(max(number), 0) from document_change',
  snapshot: SNAPSHOT_QUERY,
  ...listReads((columns) => columns),
  imageNumber: lookUps.imageNumber('$1'),
  document: lookUps.document('$1'),
  imageSize: lookUps.imageSize('$1'),
  entry: withBytes(lookUps.entry('$1', '$2')),
  entryAt: withBytes(lookUps.entryAt('$1', '$2')),
  entryShelf: lookUps.entryShelf('$1', '$2'),
  documentsAfter: 'select number, document from image where number > $1 order by number limit $2',
  documentChanges: 'select number, image from document_change where number > $1 order by number limit $2',
};

export type Statements = Record<keyof typeof texts, StatementSync>;

/** Rows come as arrays, which takes half the time of objects. */
export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = database.prepare(withSqliteParameters(text));
    statement.setReturnArrays(true);
    return [name, statement];
  });
  return Object.fromEntries(prepared) as Statements;
}

/** The rows of a statement, with the types that its columns have. */
function allRows<Row extends unknown[]>(statement: StatementSync, ...values: Value[]): Row[] {
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
