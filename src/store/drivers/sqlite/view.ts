/** One version of the embedded catalogue. Valid inside a read transaction of that version only. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { FileFacts } from '../../../catalogue/catalogue.ts';
import type { Document, Kind } from '../../../catalogue/schemas.ts';
import type { ImageDimensions } from '../../../catalogue/sets/image-set.ts';
import { type NewestPage, newestBelow } from '../../../catalogue/sets/orders.ts';
import type { Placed } from '../../../catalogue/writer.ts';
import {
  type AliasRow,
  buildSnapshot,
  type DocumentChanges,
  endOfPrefix,
  firstTitleWords,
  type Place,
  type Shelf,
  type ShelfSnapshot,
  SNAPSHOT_QUERY,
  type SnapshotRow,
  type StoredEntry,
  type TitleQuery,
  type View,
} from '../../view.ts';
import { DocumentVerifier, isWhole, verifyEntry } from './database.ts';
import { dialect } from './schema.ts';

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

  file(image: string): FileFacts | undefined {
    const row = firstRow<[string, string, FileFacts['mimetype']]>(this.#statements.file, image);
    return row && { key: row[0], eTag: row[1], mimetype: row[2] };
  }

  entry(kind: Kind, id: string): StoredEntry | undefined {
    const { entry, mergedEntry } = this.#statements;
    const row = firstRow<EntryRow>(entry, kind, id) ?? firstRow<EntryRow>(mergedEntry, kind, id);
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
      isSuccessor: since <= this.snapshot.documentRevision,
      images: rows.map(([, image]) => image),
      next: rows.length < limit ? undefined : rows.at(-1),
    };
  }

  imagesOn(shelf: number, from: number, to: number): number[] {
    return allRows<[number]>(this.#statements.imagesOn, shelf, from, to).map(([image]) => image);
  }

  imagesAt(places: Place[]): number[] {
    return places.map(({ shelf, position }) => this.#imageAt(shelf, position));
  }

  placements(images: number[]): Placed[] {
    return images.flatMap((image) => {
      const row = firstRow<[string, number, number]>(this.#statements.placement, image);
      return row ? { image, shelves: dialect.parseShelves(row[0]), width: row[1], height: row[2] } : [];
    });
  }

  albumImages(shelf: number, offset: number, limit: number): number[] {
    return allRows<[number]>(this.#statements.albumImages, shelf, offset, limit).map(([image]) => image);
  }

  newest({ number, size }: Shelf, below: number | undefined, limit: number): NewestPage {
    return newestBelow({ size, at: (position) => this.#imageAt(number, position) }, below, limit);
  }

  names(kind: Kind, from: number, to: number): string[] {
    return allRows<[string]>(this.#statements.names, kind, from, to).map(([name]) => name);
  }

  aliases(kind: Kind, after: string, limit: number): AliasRow[] {
    return allRows(this.#statements.aliases, kind, after, limit);
  }

  sizes(kind: Kind, from: number, to: number): number[] {
    return allRows<[number]>(this.#statements.sizes, kind, from, to).map(([size]) => size);
  }

  titleWords(prefix: string, limit: number): string[] {
    const rows = allRows<[string]>(this.#statements.titleWords, prefix, endOfPrefix(prefix), limit);
    return rows.map(([word]) => word);
  }

  titleCounts(words: string[], max: number): number[] {
    return words.map((word) => (firstRow<[number]>(this.#statements.titleCount, word, max) as [number])[0]);
  }

  titled({ wanted, required, oneOf, scanned, limit }: TitleQuery): number[] {
    const found = wanted.flatMap((word) => this.#titledFrom(0, word, scanned));
    const candidates = [...new Set(found)].sort((a, b) => b - a).slice(0, scanned);
    const hasOne = this.#testTitles(oneOf, candidates);
    const images: number[] = [];
    for (const image of candidates) {
      if (required.every((word) => this.#isTitled(word, image)) && hasOne(image)) images.push(image);
      if (images.length === limit) break;
    }
    return images;
  }

  hashes(above: number, limit: number): [image: number, hash: string][] {
    return allRows(this.#statements.hashes, above, limit);
  }

  dimensions(above: number, limit: number): ImageDimensions[] {
    return allRows(this.#statements.dimensions, above, limit);
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

  /** A test whether a candidate has one of the words in its title, if there are any. Candidates are given newest first. */
  #testTitles(words: string[], candidates: number[]): (image: number) => boolean {
    if (words.length === 0) return () => true;
    // Most words have few images among the candidates: reading these takes less time than looking up every candidate.
    const titled = new Set<number>();
    const frequent: string[] = [];
    for (const word of words) {
      const images = this.#titledFrom(candidates.at(-1) ?? 0, word, candidates.length);
      if (images.length === candidates.length) frequent.push(word);
      for (const image of images) titled.add(image);
    }
    return (image) => titled.has(image) || frequent.some((word) => this.#isTitled(word, image));
  }

  #isTitled(word: string, image: number): boolean {
    return this.#statements.isTitled.get(word, image) !== undefined;
  }

  #titledFrom(first: number, word: string, limit: number): number[] {
    return allRows<[number]>(this.#statements.titledImages, word, first, limit).map(([image]) => image);
  }

  #document(image: number): Document | undefined {
    return firstRow<[Document]>(this.#statements.document, image)?.[0];
  }

  #imageAt(shelf: number, position: number): number {
    return (firstRow<[number]>(this.#statements.imageAt, shelf, position) as [number])[0];
  }
}

type EntryRow = [shelf: number, id: string, document: string, images: number, coverNumber: number | null];

/** A missing row is damage. */
function toEntry([shelf, id, document, images, coverNumber]: EntryRow | [] = []): StoredEntry {
  return {
    id: id as string,
    document: verifyEntry(document),
    shelf: shelf as number,
    images: images as number,
    coverNumber: coverNumber ?? null,
  };
}

// The statements of the embedded catalogue.

const ENTRY = 'select number, id, document, size, cover from shelf';

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
  mergedEntry: `${ENTRY} where number = (select shelf from alias where kind = ? and key = ?)`,
  entryShelf: `select number, size from shelf where number = coalesce(
    (select number from shelf where kind = ?1 and id = ?2), (select shelf from alias where kind = ?1 and key = ?2))`,
  entryAt: `${ENTRY} where kind = ? and position = ?`,
  document: 'select document from image where number = ?',
  documentsAfter: 'select number, document from image where number > ? order by number limit ?',
  documentChanges: 'select number, image from document_change where number > ? order by number limit ?',
  imagesOn:
    'select image from placement where shelf = ? and position >= ? and position < ? order by position',
  imageAt: 'select image from placement where shelf = ? and position = ?',
  albumImages: `select number from album_image join image on image.id = album_image.image
    where album = ?1 order by position limit ?3 offset ?2`,
  placement: 'select shelves, width, height from image_shelves where image = ?',
  dimensions: 'select image, width, height from image_shelves where image > ? order by image limit ?',
  names: 'select name from shelf where kind = ? and position >= ? and position < ? order by position',
  aliases: `select key, alias.name, position from alias join shelf on number = alias.shelf
    where alias.kind = ? and key > ? order by key limit ?`,
  sizes: 'select size from shelf where kind = ? and position >= ? and position < ? order by position',
  titleWords: firstTitleWords('?1', '?2', '?3'),
  titleCount: 'select count(*) from (select 1 from title_word where word = ? limit ?)',
  titledImages: 'select image from title_word where word = ? and image >= ? order by image desc limit ?',
  isTitled: 'select 1 from title_word where word = ? and image = ?',
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
