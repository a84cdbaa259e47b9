/** Writes images, and which files they came from. */
import { dirname, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readTexts } from '../../catalogue/documents/document.ts';
import type { Document } from '../../catalogue/schemas.ts';
import { termsOf } from '../../catalogue/search/words.ts';
import type { Placed } from '../../catalogue/sets/image-set.ts';
import type {
  KnownFile,
  PlacedImage,
  RemovedSource,
  SavedImage,
  SourceFile,
  SourceFileReader,
  SourceFileWriter,
} from '../../catalogue/writer.ts';
import { createLookup } from '../read/snapshot.ts';
import {
  KNOWN_FILES,
  REMOVED_SOURCES,
  type ReadSession,
  readPages,
  readValues,
  type WriteSession,
} from '../session.ts';
import { BlockWriter, type Placements } from './placements.ts';

// Saves and removes images, with their places on shelves, their perceptual hashes, the terms of their texts, and which of
// their fields are edited.

type NumberedImage = PlacedImage & { row: SavedImage };

export class ImageWriter {
  readonly #session: WriteSession;
  readonly #placements: Placements;
  readonly #texts: BlockWriter<string>;
  /** Both stores number images without gaps, so that a seed gives the same order on both. */
  #lastImage: number;
  readonly #reserved = new Set<number>();

  constructor(session: WriteSession, placements: Placements, lastImage: number) {
    this.#session = session;
    this.#placements = placements;
    this.#texts = new BlockWriter(session, 'text_block', 'term');
    this.#lastImage = lastImage;
  }

  /** No new image gets one of these numbers. */
  reserve(numbers: number[]): void {
    for (const number of numbers) this.#reserved.add(number);
  }

  /** `former` are the rows of those that exist. */
  async save(images: PlacedImage[], former: SavedImage[]): Promise<void> {
    const [added, updated] = [[] as NumberedImage[], [] as NumberedImage[]];
    for (const { row, ...placement } of images)
      if (row.number === undefined) added.push({ row: { ...row, number: this.#nextNumber() }, ...placement });
      else updated.push({ row: { ...row, number: row.number }, ...placement });
    await this.#add(added);
    await this.#update(updated, former);
  }

  /** Adds removed images again, with the numbers that they had. */
  async restore(images: NumberedImage[]): Promise<void> {
    // `#update` saves the document: a trigger then tells the caches.
    await this.#insert(images.map(({ row }) => ({ ...row, document: '' })));
    await this.#update(images, []);
  }

  /** Replaces the hashes of the images; null leaves an image without one. */
  async saveHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void> {
    await this.#removeFrom('perceptual_hash', 'image', images);
    await this.#addHashes(images);
  }

  /** Indexes the texts of all images again. */
  async indexTexts(): Promise<void> {
    this.#texts.clear();
    await this.#session.run('delete from text_block');
    const text = 'select number, document from image where number > $1 order by number';
    const keyOf = ({ number }: Pick<SavedImage, 'number' | 'document'>) => [number];
    for await (const rows of readPages(this.#session, text, [], [0], keyOf))
      for (const { number, document } of rows) await this.#moveTexts(number, undefined, document);
  }

  /** Writes what waits in memory. */
  async write(): Promise<void> {
    await this.#texts.write();
  }

  /** Returns the rows that were removed. */
  async remove(ids: string[]): Promise<SavedImage[]> {
    const rows = await createLookup(this.#session).imagesById(ids);
    await this.#placements.remove(rows.map(({ number }) => number));
    await this.#removeFrom('image', 'number', rows);
    for (const { number, document } of rows) await this.#moveTexts(number, document, undefined);
    await this.#removeFrom('perceptual_hash', 'image', rows);
    await this.#removeFrom('edited', 'image', rows);
    return rows;
  }

  #nextNumber(): number {
    do this.#lastImage++;
    while (this.#reserved.has(this.#lastImage));
    return this.#lastImage;
  }

  async #add(images: NumberedImage[]): Promise<void> {
    const [first] = images;
    if (!first) return;
    // What is left of images that had the numbers of new ones, such as after a backup of some tables was restored.
    for (const table of ['image_shelves', 'perceptual_hash', 'edited'])
      await this.#session.run(`delete from ${table} where image >= $1`, [first.row.number]);
    const rows = images.map(({ row }) => row);
    await this.#insert(rows);
    await this.#placements.append(images.map(placed));
    for (const { number, document } of rows) await this.#moveTexts(number, undefined, document);
    await this.#addHashes(rows);
    await this.#addEdited(rows);
  }

  async #insert(rows: SavedImage[]): Promise<void> {
    await this.#session.insert(
      'image',
      ['number', 'id', 'etag', 'key', 'mimetype', 'document'],
      rows.map(({ number, id, eTag, key, mimetype, document }) => [
        number,
        id,
        eTag,
        key,
        mimetype,
        document,
      ]),
    );
  }

  /** Of what has a table of its own, writes only what is different. */
  async #update(images: NumberedImage[], former: SavedImage[]): Promise<void> {
    if (images.length === 0) return;
    const rows = images.map(({ row }) => row);
    const before = new Map(former.map((row) => [row.number, row]));
    const changed = (field: 'perceptualHash' | 'edited') =>
      rows.filter((row) => before.get(row.number)?.[field] !== row[field]);
    for (const { number, document } of rows)
      await this.#moveTexts(number, before.get(number)?.document, document);
    await this.#placements.move(images.map(placed));
    await this.#session.runWith(
      { number: 'int', document: 'text' },
      rows,
      'update image set document = given.document from given where given.number = image.number',
    );
    // Apart, because SQLite would also write the index of entity tags again.
    await this.#session.runWith(
      { number: 'int', eTag: 'text', key: 'text', mimetype: 'text' },
      rows.filter(({ number, eTag, key, mimetype }) => {
        const file = before.get(number);
        return file?.eTag !== eTag || file.key !== key || file.mimetype !== mimetype;
      }),
      `update image set etag = given.eTag, key = given.key, mimetype = given.mimetype
       from given where given.number = image.number`,
    );
    await this.saveHashes(changed('perceptualHash'));
    const edited = changed('edited');
    const wasEdited = edited.filter(({ number }) => before.get(number)?.edited !== '');
    await this.#removeFrom('edited', 'image', wasEdited);
    await this.#addEdited(edited);
  }

  /** From the terms of the texts that an image had to those that it has. */
  async #moveTexts(image: number, before: Document | undefined, after: Document | undefined): Promise<void> {
    const [had, has] = [readTexts(before), readTexts(after)];
    if (isDeepStrictEqual(had, has)) return;
    this.#texts.move(image, termsOf(had), termsOf(has));
    await this.#texts.writeIfMany();
  }

  async #addEdited(rows: Pick<SavedImage, 'number' | 'edited'>[]): Promise<void> {
    const edited = rows.flatMap(({ number, edited }) => (edited === '' ? [] : [[number, edited]]));
    await this.#session.insert('edited', ['image', 'fields'], edited);
  }

  async #addHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void> {
    const rows = images.flatMap(({ number, perceptualHash }) =>
      perceptualHash === null ? [] : [[number, perceptualHash]],
    );
    await this.#session.insert('perceptual_hash', ['image', 'hash'], rows);
  }

  async #removeFrom(table: string, column: string, images: { number: number }[]): Promise<void> {
    if (images.length === 0) return;
    const numbers = images.map(({ number }) => number);
    await this.#session.run(`delete from ${table} where ${column} = any($1)`, [numbers]);
  }
}

function placed({ row, ...placement }: NumberedImage): Placed {
  return { image: row.number, ...placement };
}

/** The nearest one first. */
function* foldersAround(folder: string): Generator<string, void> {
  for (let around = dirname(folder); around !== dirname(around); around = dirname(around)) yield around;
}

export function createSourceFileReader(session: ReadSession): SourceFileReader {
  const isImported = async (folder: string) =>
    (await session.query('select 1 from source_file where folder = $1 limit 1', [folder])).length > 0;
  return {
    find: (folder, paths) =>
      session.query<KnownFile>(`${KNOWN_FILES} where folder = $1 and path = any($2)`, [folder, paths]),
    findRemoved: (folder, paths) =>
      session.query<RemovedSource>(`${REMOVED_SOURCES} and folder = $1 and path = any($2)`, [folder, paths]),
    async *all(folder) {
      const text = `${KNOWN_FILES} where folder = $1 and (path, source_file.image) > ($2, $3)
        order by path, source_file.image`;
      const pages = readPages<KnownFile>(session, text, [folder], ['', ''], ({ path, image }) => [
        path,
        image,
      ]);
      for await (const page of pages) yield* page;
    },
    async overlapping(folder) {
      const rows = await session.query<{ folder: string }>(
        'select distinct folder from source_file where folder > $1 and folder < $2',
        [`${folder}${sep}`, `${folder}${String.fromCharCode(sep.charCodeAt(0) + 1)}`],
      );
      const folders = rows.map((row) => row.folder);
      for (const around of foldersAround(folder)) if (await isImported(around)) folders.push(around);
      return folders;
    },
    ofImages: (ids) =>
      session.query(`${KNOWN_FILES} where source_file.image = any($1) order by folder, path`, [ids]),
    async knownBytes(hashes) {
      const text = 'select etag as value from image where etag = any($1)';
      return new Set(await readValues<string>(session, text, [hashes]));
    },
    async choiceFor(folder) {
      const text =
        'select folder, choice from source_folder where folder = any($1) order by length(folder) desc limit 1';
      const folders = [folder, ...foldersAround(folder)];
      const [row] = await session.query<{ folder: string; choice: string }>(text, [folders]);
      if (row) return { folder: row.folder, choice: JSON.parse(row.choice) };
      return (await isImported(folder)) ? { folder, choice: {} } : undefined;
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

export function createSourceFileWriter(session: WriteSession): SourceFileWriter {
  const key = { folder: 'text', path: 'text', image: 'text' } as const;
  const insert = async (files: SourceFile[], onConflict: string) => {
    await session.runWith(
      { ...key, state: 'text', fingerprint: 'text' },
      files,
      `insert into source_file (folder, path, image, state, fingerprint)
       select folder, path, image, state, fingerprint from given where true
       on conflict (folder, path, image) do ${onConflict}`,
    );
  };
  return {
    // Older versions told files apart by the form of their names.
    restore: (files) => insert(files, 'nothing'),
    async save(files) {
      await insert(files, 'update set state = excluded.state, fingerprint = excluded.fingerprint');
      await session.runWith(
        key,
        files,
        `update source_file set state = 'replaced', fingerprint = '' from given
         where source_file.folder = given.folder and source_file.path = given.path
           and source_file.image <> given.image`,
      );
    },
    async remove(files) {
      await session.runWith(
        key,
        files,
        'delete from source_file where (folder, path, image) in (select folder, path, image from given)',
      );
    },
    ofFolder: (folder) =>
      session.stream('select path, image, state from source_file where folder = $1', [folder]),
    ofImages: (ids) =>
      session.query('select folder, path, image, state from source_file where image = any($1)', [ids]),
    async provided(images) {
      const text = `select distinct image as value from source_file where image = any($1) and state <> 'replaced'`;
      return new Set(await readValues<string>(session, text, [images]));
    },
    async detach(images) {
      await session.run('delete from source_file where image = any($1)', [images]);
    },
    async forget(images) {
      await session.run(`update source_file set fingerprint = '' where image = any($1)`, [images]);
    },
    async choose(folder, choice) {
      await session.run(
        `insert into source_folder (folder, choice) values ($1, $2)
         on conflict (folder) do update set choice = excluded.choice`,
        [folder, JSON.stringify(choice)],
      );
    },
  };
}
