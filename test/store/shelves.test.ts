/** Which images are on which shelf, compared with a simple model while transactions add, move and remove images. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listImages } from '../../src/catalogue/sets/blocks.ts';
import type { CatalogueWriter, ImageRow } from '../../src/catalogue/writer.ts';
import { createCatalogue, openWriter } from '../../src/server/engines.ts';
import { documentWith } from '../support/catalogues/document.ts';
import { sandbox } from '../support/catalogues/import.ts';
import type { StoredBlock } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, tablesIn } from '../support/servers/engines.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

const TRANSACTIONS = atDepth(5, 30);
const MAX_STEPS = 20;
const DOCUMENT = documentWith({ source: 'd\tß\\\n' });

/** The shelves of each image, in the order of adding. */
type Model = Map<ImageRow, number[]>;

const SIZE = { width: 4, height: 3 };

const newRow = (): ImageRow => ({
  id: randomUUID(),
  key: 'k',
  eTag: 'e',
  mimetype: 'image/png',
  document: DOCUMENT,
  perceptualHash: null,
  edited: '',
});

const imagesOn = (model: Model, shelf: number) =>
  [...model].flatMap(([{ id }, shelves]) => (shelves.includes(shelf) ? [id] : []));

await forEachEngine((engine) => {
  test('shelves hold the right images in order after every transaction', async () => {
    const randomInt = seededRandomInt(31);
    const { config } = sandbox(engine);
    await createCatalogue(config);
    const pick = <T>(items: T[]) => items[randomInt(items.length)] as T;
    let shelves: number[] = [];
    const model: Model = new Map();

    const steps: ((writer: CatalogueWriter) => Promise<void>)[] = [
      async (writer) => {
        const added = Array.from({ length: 1 + randomInt(9) }, newRow);
        const placed = added.map((row) => ({
          row,
          ...SIZE,
          shelves: shelves.filter(() => randomInt(2) > 0),
        }));
        await writer.saveImages(placed);
        for (const { row, shelves } of placed) model.set(row, shelves);
      },
      async (writer) => {
        const chosen = [...model.keys()].filter(() => randomInt(8) === 0);
        for (const row of chosen)
          model.set(
            row,
            shelves.filter(() => randomInt(2) > 0),
          );
        const saved = await writer.imagesById(chosen.map(({ id }) => id));
        const after = new Map(chosen.map((row) => [row.id, model.get(row) as number[]]));
        await writer.saveImages(
          saved.map((row) => ({ row, ...SIZE, shelves: after.get(row.id) as number[] })),
        );
      },
      async (writer) => {
        const removed = [...model.keys()].filter(() => randomInt(20) === 0);
        await writer.takeDownImages(removed.map(({ id }) => id));
        for (const row of removed) model.delete(row);
      },
      async (writer) => {
        const shelf = pick(shelves);
        const found = (await Array.fromAsync(writer.imagesOn(shelf))).flat();
        assert.deepEqual(
          found.map(({ id }) => id),
          imagesOn(model, shelf),
        );
      },
    ];

    for (let round = 0; round < TRANSACTIONS; round++) {
      await using writer = await openWriter(config);
      const { catalogue, rating } = writer.fixedShelves;
      shelves = [catalogue, ...Object.values(rating)];
      for (let step = randomInt(MAX_STEPS); step >= 0; step--) await pick(steps)(writer);
      await writer.commit();
      const { blocks, images, sizes, documents } = tablesIn(config, {
        blocks: 'select shelf, block, images from shelf_block order by shelf, block',
        images: 'select number, id from image',
        sizes: 'select number, size from shelf order by number',
        documents: 'select distinct document from image',
      });
      const ids = new Map((images as { number: number; id: string }[]).map(({ number, id }) => [number, id]));
      const stored = (shelf: number) =>
        (blocks as StoredBlock[])
          .filter((block) => block.shelf === shelf)
          .flatMap(({ block, images }) => listImages([block, images]).map((image) => ids.get(image)));
      for (const shelf of shelves) assert.deepEqual(stored(shelf), imagesOn(model, shelf));
      for (const { number, size } of sizes as { number: number; size: number }[])
        assert.equal(size, imagesOn(model, number).length);
      assert.deepEqual(
        documents.map((row) => ({ ...row })),
        model.size > 0 ? [{ document: DOCUMENT }] : [],
        'every character arrives',
      );
    }
  });
});
