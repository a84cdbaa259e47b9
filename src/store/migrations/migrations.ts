/** Migrations that SQL alone cannot express, and those that both databases run. Once released, never edit one; append a new one. */
import { readTexts } from '../../catalogue/documents/document.ts';
import { withoutTitle } from '../../catalogue/lines.ts';
import { normaliseName } from '../../catalogue/names.ts';
import { termsOf } from '../../catalogue/search/words.ts';
import { blockOf, changeSizes, lastOf, packImages, packKeys } from '../../catalogue/sets/blocks.ts';
import { BEFORE_1_0 } from '../../lib/version.ts';
import type { TableSyntax } from './tables.ts';

type Value = string | number;

/** Values are bound to `$1`, `$2` and so on. */
export interface Statement {
  text: string;
  values: Value[];
}

/**
 * A step that SQL alone cannot express. It is a generator, because one database answers at once and the other one later: it
 * yields statements, and gets their rows. `newId` makes random ids.
 */
export type DataMigration = (newId: NewId) => Generator<Statement, void, unknown[]>;
export type NewId = () => string;

export interface Schema {
  /** How many steps version 1.0.0 had applied. Databases count on from there. */
  base: number;
  /** Makes what version 1.0.0 made. */
  creation: string;
  /** SQL, or what computes it. */
  steps: (string | DataMigration)[];
}

export const newestStep = ({ base, steps }: Schema): number => base + steps.length;

/** The steps that a database lacks: all of them if it is new, where `done` is 0. Throws if this version cannot migrate it. */
export function missingSteps(schema: Schema, done: number): Schema['steps'] {
  const { base, creation, steps } = schema;
  if (done > newestStep(schema))
    throw new Error('the catalogue was created by a newer version of zukan; upgrade zukan to open it');
  if (done > 0 && done < base) throw new Error(`the catalogue ${BEFORE_1_0}`);
  return done === 0 ? [creation, ...steps] : steps.slice(done - base);
}

function* query<T>(text: string, ...values: Value[]): Generator<Statement, T[], unknown[]> {
  return (yield { text, values }) as T[];
}

const BATCH_SIZE = 1000;

interface Row {
  folder: string;
  path: string;
  image: string;
}

/** Gives the paths of source files one form of Unicode. They were stored as the disk wrote them. */
export function* normalisePaths(): Generator<Statement, void, unknown[]> {
  const folders = yield* query<{ folder: string; choice: string }>(
    'select folder, choice from source_folder',
  );
  for (const { folder, choice } of folders) {
    if (normaliseName(folder) === folder) continue;
    yield* query('delete from source_folder where folder = $1', folder);
    yield* query(
      'insert into source_folder (folder, choice) values ($1, $2) on conflict do nothing',
      ...[normaliseName(folder), choice],
    );
  }
  for (let last: Row = { folder: '', path: '', image: '' }; ; ) {
    const rows = yield* query<Row>(
      `select folder, path, image from source_file where (folder, path, image) > ($1, $2, $3)
       order by folder, path, image limit ${BATCH_SIZE}`,
      ...[last.folder, last.path, last.image],
    );
    for (const { folder, path, image } of rows) {
      const after = [normaliseName(folder), normaliseName(path)] as const;
      if (after[0] === folder && after[1] === path) continue;
      yield* query(
        `insert into source_file (folder, path, image, state, fingerprint)
         select $1, $2, image, state, fingerprint from source_file where folder = $3 and path = $4 and image = $5
         on conflict do nothing`,
        ...[...after, folder, path, image],
      );
      yield* query(
        'delete from source_file where folder = $1 and path = $2 and image = $3',
        folder,
        path,
        image,
      );
    }
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1) ?? last;
  }
}

/** The titles of pictures were in the summaries of changes, where they outlived the pictures. */
export function* removeTitles(): Generator<Statement, void, unknown[]> {
  const rows = yield* query<{ number: number; summary: string }>(
    `select number, summary from change where summary like '%title %'`,
  );
  for (const { number, summary } of rows)
    if (withoutTitle(summary) !== summary)
      yield* query('update change set summary = $2 where number = $1', number, withoutTitle(summary));
}

/** Gives a catalogue a random identity, which tells its files, tokens and backups from those of others. */
export const addIdentity: DataMigration = function* (newId) {
  yield* query('create table if not exists identity (id text not null)');
  yield* query('insert into identity select $1 where not exists (select 1 from identity)', newId());
};

/** The last time that was noted (lib/clock.ts). */
const ADD_CLOCK = `
  create table clock (at text not null, since text not null);
  insert into clock values (coalesce((select at from change order by number desc limit 1), ''), '')`;

/** What the pages of the studio call their edits, so that one that is sent again is not applied again. */
const ADD_APPLIED_EDITS =
  'create table if not exists applied_edit (change int primary key, id text not null unique)';

/** What the databases write differently. */
export interface Dialect {
  /** `image_shelves.shelves` with another shelf. */
  addShelf: (shelf: string) => string;
  /** The shelves in `image_shelves.shelves`. */
  parseShelves: (stored: unknown) => number[];
  syntax: TableSyntax;
  /** What else the tables with the blocks of shelves and sizes need. */
  afterBlocks?: string[];
}

/** For catalogues that could not be filtered by the type of the file. */
const addTypes = ({ addShelf }: Dialect): string => `
  insert into shelf (kind, id, name) values
    ('type', 'jpeg', 'jpeg'), ('type', 'png', 'png'), ('type', 'webp', 'webp'), ('type', 'gif', 'gif'), ('type', 'avif', 'avif');
  update shelf set size = (select count(*) from image where mimetype = 'image/' || shelf.id) where kind = 'type';
  update image_shelves set shelves = ${addShelf('placed.shelf')}
  from (select image.number as image, shelf.number as shelf from image join shelf on kind = 'type' and 'image/' || shelf.id = mimetype)
    as placed
  where placed.image = image_shelves.image`;

interface PlacementRow {
  image: number;
  shelves: unknown;
  width: number;
  height: number;
}

/** The parameters of one statement; SQLite takes no more. */
const MAX_VALUES = 900;

/** Inserts rows of three values, many at a time. */
class RowWriter {
  readonly #target: string;
  readonly #values: Value[] = [];

  /** A table and its columns. */
  constructor(target: string) {
    this.#target = target;
  }

  *add(...row: [Value, Value, Value]): Generator<Statement, void, unknown[]> {
    this.#values.push(...row);
    if (this.#values.length >= MAX_VALUES) yield* this.write();
  }

  *write(): Generator<Statement, void, unknown[]> {
    const rows = this.#values.flatMap((_, index) =>
      index % 3 === 0 ? [`($${index + 1}, $${index + 2}, $${index + 3})`] : [],
    );
    if (rows.length > 0)
      yield* query(`insert into ${this.#target} values ${rows}`, ...this.#values.splice(0));
  }
}

/**
 * Stores the images of a shelf in blocks, and the sizes of all images, instead of a row for each image on each shelf, which a commit
 * in a large catalogue had to move.
 */
const packShelves = ({ parseShelves, syntax: { int, end }, afterBlocks = [] }: Dialect): DataMigration =>
  function* () {
    yield* query(`create table shelf_block
      (shelf ${int} not null, block ${int} not null, images text not null, primary key (shelf, block))${end}`);
    yield* query(`create table size_block (block ${int} primary key, sizes text not null)${end}`);
    for (const statement of afterBlocks) yield* query(statement);
    const rows = new RowWriter('shelf_block (shelf, block, images)');
    for (let above = 0; ; ) {
      const [next] = yield* query<{ image: number }>(
        'select image from image_shelves where image > $1 order by image limit 1',
        above,
      );
      if (!next) break;
      const block = blockOf(next.image);
      above = lastOf(block);
      const placed = (yield* query<PlacementRow>(
        'select image, shelves, width, height from image_shelves where image >= $1 and image <= $2 order by image',
        ...[next.image, above],
      )).map(({ shelves, ...placed }) => ({ ...placed, shelves: parseShelves(shelves) }));
      for (const [shelf, { content }] of packImages(placed)) yield* rows.add(shelf, block, content);
      yield* query('insert into size_block (block, sizes) values ($1, $2)', block, changeSizes('', placed));
    }
    yield* rows.write();
    yield* query('drop table placement');
  };

/** Indexes the texts of images in blocks, as the shelves, instead of a row for each word of a title. */
const indexTexts = ({ syntax: { int, key, endOfIndex } }: Dialect): DataMigration =>
  function* () {
    yield* query(`create table text_block
      (term ${key} not null, block ${int} not null, images text not null, primary key (term, block))${endOfIndex}`);
    const rows = new RowWriter('text_block (term, block, images)');
    let images: [image: number, terms: Set<string>][] = [];
    const pack = function* () {
      const [[first] = [0]] = images;
      // In the order of the index, which takes less time.
      const packed = packKeys(images);
      for (const term of [...packed.keys()].sort())
        yield* rows.add(term, blockOf(first), packed.get(term)?.content ?? '');
      images = [];
    };
    for (let last = 0; ; ) {
      const read = yield* query<{ number: number; document: string }>(
        `select number, document from image where number > $1 order by number limit ${BATCH_SIZE}`,
        last,
      );
      for (const { number, document } of read) {
        if (blockOf(number) !== blockOf(last)) yield* pack();
        images.push([number, termsOf(readTexts(document))]);
        last = number;
      }
      if (read.length < BATCH_SIZE) break;
    }
    yield* pack();
    yield* rows.write();
    yield* query('drop table title_word');
  };

export const sharedMigrations = (dialect: Dialect): Schema['steps'] => [
  normalisePaths,
  removeTitles,
  ADD_CLOCK,
  addIdentity,
  'create index if not exists trash_etag on trash (etag)',
  ADD_APPLIED_EDITS,
  addTypes(dialect),
  packShelves(dialect),
  indexTexts(dialect),
  `create table site_text (field text primary key, value text not null)${dialect.syntax.endOfIndex}`,
  `create index trash_number on trash (number); create index trash_removed_at on trash (removed_at)`,
];
