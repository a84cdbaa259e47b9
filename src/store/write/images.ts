/**
 * Saves and removes images, with their places on shelves, their perceptual hashes, the words of their titles, and which of
 * their fields are edited.
 */
import { readTitle } from '../../catalogue/documents/document.ts';
import { titleWords } from '../../catalogue/search/title-words.ts';
import type { Placed, PlacedImage, SavedImage } from '../../catalogue/writer.ts';
import { createLookup } from '../lookup.ts';
import type { WriteSession } from '../session.ts';
import type { Placements } from './placements.ts';

/** Images read at a time when all titles are indexed. */
const INDEX_BATCH_SIZE = 1000;

type Titled = Pick<SavedImage, 'number' | 'document'>;

/** A row of `title_word`. A type, because an interface is no record. */
type TitleWord = { word: string; image: number };

type NumberedImage = PlacedImage & { row: SavedImage };

export class ImageWriter {
  readonly #session: WriteSession;
  readonly #placements: Placements;
  /** Both stores number images without gaps, so that a seed gives the same order on both. */
  #lastImage: number;
  readonly #reserved = new Set<number>();

  constructor(session: WriteSession, placements: Placements, lastImage: number) {
    this.#session = session;
    this.#placements = placements;
    this.#lastImage = lastImage;
  }

  /** No new image gets one of these numbers. */
  reserve(numbers: number[]): void {
    for (const number of numbers) this.#reserved.add(number);
  }

  async save(images: PlacedImage[]): Promise<void> {
    const [added, updated] = [[] as NumberedImage[], [] as NumberedImage[]];
    for (const { row, ...placement } of images)
      if (row.number === undefined) added.push({ row: { ...row, number: this.#nextNumber() }, ...placement });
      else updated.push({ row: { ...row, number: row.number }, ...placement });
    await this.#add(added);
    await this.#update(updated);
  }

  /** Adds removed images again, with the numbers that they had. */
  async restore(images: NumberedImage[]): Promise<void> {
    await this.#session.insert(
      'image',
      ['number', 'id', 'etag', 'key', 'mimetype', 'document'],
      // `#update` saves the document: a trigger then tells the caches.
      images.map(({ row }) => [row.number, row.id, row.eTag, row.key, row.mimetype, '']),
    );
    await this.#update(images);
  }

  /** Replaces the hashes of the images; null leaves an image without one. */
  async saveHashes(images: Pick<SavedImage, 'number' | 'perceptualHash'>[]): Promise<void> {
    await this.#removeFrom('perceptual_hash', 'image', images);
    await this.#addHashes(images);
  }

  /** Replaces the words of all titles. */
  async indexTitles(): Promise<void> {
    await this.#session.run('delete from title_word');
    const text = 'select number, document from image where number > $1 order by number limit $2';
    for (let last = 0; ; ) {
      const rows = await this.#session.query<Titled>(text, [last, INDEX_BATCH_SIZE]);
      await this.#addWords(wordsOf(rows));
      if (rows.length < INDEX_BATCH_SIZE) return;
      last = rows.at(-1)?.number ?? last;
    }
  }

  /** Returns the rows that were removed. */
  async remove(ids: string[]): Promise<SavedImage[]> {
    const rows = await createLookup(this.#session).imagesById(ids);
    await this.#placements.remove(rows.map(({ number }) => number));
    await this.#removeFrom('image', 'number', rows);
    await this.#removeWords(wordsOf(rows));
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
    await this.#session.insert(
      'image',
      ['number', 'id', 'etag', 'key', 'mimetype', 'document'],
      images.map(({ row }) => [row.number, row.id, row.eTag, row.key, row.mimetype, row.document]),
    );
    await this.#placements.append(images.map(placed));
    await this.#addWords(wordsOf(images.map(({ row }) => row)));
    await this.#addDetails(images);
  }

  async #update(images: NumberedImage[]): Promise<void> {
    if (images.length === 0) return;
    const rows = images.map(({ row }) => row);
    await this.#updateWords(rows);
    await this.#placements.move(images.map(placed));
    await this.#session.runWith(
      { number: 'int', eTag: 'text', key: 'text', mimetype: 'text', document: 'text' },
      rows,
      `update image set etag = given.eTag, key = given.key, mimetype = given.mimetype, document = given.document
       from given where given.number = image.number`,
    );
    await this.#removeFrom('perceptual_hash', 'image', rows);
    await this.#removeFrom('edited', 'image', rows);
    await this.#addDetails(images);
  }

  /** Call it before the documents change. */
  async #updateWords(rows: Titled[]): Promise<void> {
    const isOneOf = this.#session.dialect.isOneOf('$1', 'int');
    const text = `select number, document from image where number ${isOneOf}`;
    const former = wordsOf(await this.#session.query<Titled>(text, [rows.map(({ number }) => number)]));
    const current = wordsOf(rows);
    const without = (some: TitleWord[], others: TitleWord[]) => {
      const keys = new Set(others.map(keyOf));
      return some.filter((one) => !keys.has(keyOf(one)));
    };
    await this.#removeWords(without(former, current));
    await this.#addWords(without(current, former));
  }

  /** Some may be there already: see `#add`. */
  async #addWords(words: TitleWord[]): Promise<void> {
    await this.#session.runWith(
      { word: 'text', image: 'int' },
      words,
      'insert into title_word (word, image) select word, image from given where true on conflict do nothing',
    );
  }

  async #removeWords(words: TitleWord[]): Promise<void> {
    await this.#session.runWith(
      { word: 'text', image: 'int' },
      words,
      'delete from title_word where (word, image) in (select word, image from given)',
    );
  }

  async #addDetails(images: NumberedImage[]): Promise<void> {
    const rows = images.map(({ row }) => row);
    await this.#addHashes(rows);
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
    const isOneOf = this.#session.dialect.isOneOf('$1', 'int');
    const numbers = images.map(({ number }) => number);
    await this.#session.run(`delete from ${table} where ${column} ${isOneOf}`, [numbers]);
  }
}

function placed({ row, ...placement }: NumberedImage): Placed {
  return { image: row.number, ...placement };
}

function wordsOf(images: Titled[]): TitleWord[] {
  return images.flatMap(({ number, document }) =>
    titleWords(readTitle(document)).map((word) => ({ word, image: number })),
  );
}

const keyOf = ({ word, image }: TitleWord): string => `${image} ${word}`;
