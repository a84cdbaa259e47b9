/** Saves and removes images, with their places on shelves, their perceptual hashes, and which of their fields are edited. */
import type { PlacedImage, SavedImage } from './contract/writer.ts';
import { createLookup } from './lookup.ts';
import type { Placed, Placements } from './placements.ts';
import type { WriteSession } from './session.ts';

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

  /** Returns the rows that were removed. */
  async remove(ids: string[]): Promise<SavedImage[]> {
    const rows = await createLookup(this.#session).imagesById(ids);
    await this.#placements.remove(rows.map(({ number }) => number));
    await this.#removeFrom('image', 'number', rows);
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
    await this.#addDetails(images);
  }

  async #update(images: NumberedImage[]): Promise<void> {
    if (images.length === 0) return;
    const rows = images.map(({ row }) => row);
    const resized = await this.#placements.move(images.map(placed));
    // A trigger then tells the caches, also if the document is the same: a repair can change the size alone.
    const isOneOf = this.#session.dialect.isOneOf('$1', 'int');
    if (resized.length > 0)
      await this.#session.run(`update image set document = '' where number ${isOneOf}`, [resized]);
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
