/** A read that fails, or during which the catalogue changes, does not spoil the caches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Filter } from '../../src/catalogue/catalogue.ts';
import { checkCatalogue, repairCatalogue } from '../../src/catalogue/documents/check.ts';
import { type ImageSet, sliceImages } from '../../src/catalogue/sets/image-set.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import { defaultTuning } from '../../src/lib/tuning.ts';
import { openSnapshot, openStore, openWriter } from '../../src/server/engines.ts';
import { NameSearch } from '../../src/store/read/entries.ts';
import { ImageSets } from '../../src/store/read/image-sets.ts';
import { choose, type Selection } from '../../src/store/read/selection.ts';
import { CatalogueChanged, type Shelf } from '../../src/store/view.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { listed, sandbox } from '../support/catalogues/import.ts';
import { idsOf } from '../support/checks/distribution.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';
import { madeUpImage } from '../support/zukan/api.ts';
import { caller } from '../support/zukan/caller.ts';
import { blocksOf, sliceReader } from './slices.ts';

/** Fails once, as a disk or a network may, then returns slices of the items. */
function failOnce<T>(items: T[]) {
  let hasFailed = false;
  return async () => {
    if (!hasFailed) {
      hasFailed = true;
      throw new Error('broken');
    }
    return { version: 1, items };
  };
}

function selectAll(shelf: Shelf, version = 1): Selection {
  const choice = choose([shelf]);
  return {
    catalogue: { version, lastImage: 3, documentRevision: 1 },
    choices: [choice],
    excluded: [],
    sizes: new Map(),
  };
}

const imagesIn = (set: ImageSet | undefined) => set && sliceImages(set, { offset: 0, limit: 100 });

test('names are read again after a failure', async () => {
  const search = new NameSearch(sliceReader({ names: failOnce(['Ann']) }));
  await assert.rejects(search.find('artist', 'ann', caller), /broken/);
  assert.deepEqual(await search.find('artist', 'ann', caller), { version: 1, positions: [0] });
});

test('a shelf is read again after a failure', async () => {
  const sets = new ImageSets(sliceReader({ shelfBlocks: failOnce(blocksOf([1, 3])) }));
  await assert.rejects(sets.load(selectAll({ number: 1, size: 2 }), caller), /broken/);
  assert.deepEqual(imagesIn(await sets.load(selectAll({ number: 1, size: 2 }), caller)), [1, 3]);
});

test('names that change while they are read are read from the start', async () => {
  const versions = [Array(450).fill('old'), Array(450).fill('new')];
  let reads = 0;
  const search = new NameSearch(
    sliceReader({
      async names(_kind, from, limit) {
        const version = reads++ < 2 ? 0 : 1;
        return { version, items: versions[version]?.slice(from, from + limit) as string[] };
      },
    }),
  );
  assert.equal((await search.find('artist', 'old', caller)).positions.length, 0);
  assert.equal((await search.find('artist', 'new', caller)).positions.length, 450);
});

test('a shelf of another version than requested is neither returned nor cached', async () => {
  let version = 2;
  const sets = new ImageSets(sliceReader({ shelfBlocks: async () => ({ version, items: blocksOf([1]) }) }));
  await assert.rejects(sets.load(selectAll({ number: 7, size: 1 }), caller), CatalogueChanged);
  version = 1;
  assert.deepEqual(imagesIn(await sets.load(selectAll({ number: 7, size: 1 }), caller)), [1]);
});

test('gives up on names that change with every read', async () => {
  let version = 0;
  const search = new NameSearch(
    sliceReader({
      names: async () => ({ version: version++, items: [] }),
      currentVersion: () => Number.NaN,
    }),
  );
  await assert.rejects(search.find('artist', 'a', caller), Unavailable);
});

test('a repeated search is not scanned again until the names change', async () => {
  const items = ['Ann'];
  let version = 1;
  const search = new NameSearch(
    sliceReader({
      names: async (_kind, from, to) => ({ version, items: items.slice(from, to) }),
      currentVersion: () => version,
    }),
  );
  const first = await search.find('artist', '%n%', caller);
  assert.equal((await search.find('artist', '%n%', caller)).positions, first.positions);
  items.push('Ben');
  version = 2;
  assert.deepEqual(await search.find('artist', '%n%', caller), { version: 2, positions: [0, 1] });
});

await forEachEngine((engine) => {
  test('a repair reaches a catalogue that has shelves and sizes in memory', async () => {
    const box = sandbox(engine);
    await box.import(['nsfw', 'sfw', 'sfw'].map((nsfw, at) => madeUpImage(uuid(4, at + 1), { nsfw })));
    tamper(
      box.config,
      `update image_shelves set width = 5000 where image = 2;
       delete from shelf_block where shelf = (select number from shelf where id = 'sfw')`,
    );
    await using store = await openStore(box.config, { tuning: { ...defaultTuning, maxTestedImages: 0 } });
    const find = async (filter: Filter) => {
      const ids = idsOf(await listed(store.catalogue, filter, { offset: 0, limit: 9 }));
      return ids.map((id) => Number(id.slice(-1)));
    };
    assert.deepEqual(await find({ nsfw: ['sfw'], maxWidth: 5000 }), []);
    await using writer = await openWriter(box.config);
    await using snapshot = await openSnapshot(box.config);
    await repairCatalogue(snapshot, writer);
    await writer.renumberAll();
    await writer.commit();
    assert.deepEqual(await find({ minWidth: 100 }), []);
    assert.deepEqual(await find({ nsfw: ['sfw'], maxWidth: 5000 }), [2, 3]);
    await using repaired = await openSnapshot(box.config);
    assert.deepEqual(await Array.fromAsync(checkCatalogue(repaired)), []);
  });
});
