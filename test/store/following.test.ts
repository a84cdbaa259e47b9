/** Shelves and sizes in memory follow the catalogue: what is read after a commit, and that nothing of another version is used. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Filter } from '../../src/catalogue/catalogue.ts';
import { checkCatalogue, repairCatalogue } from '../../src/catalogue/documents/check.ts';
import { sliceImages } from '../../src/catalogue/sets/image-set.ts';
import type { Placement } from '../../src/catalogue/writer.ts';
import { defaultTuning } from '../../src/lib/tuning.ts';
import { openSnapshot, openStore, openWriter } from '../../src/server/engines.ts';
import { ImageSets } from '../../src/store/read/image-sets.ts';
import type { Selection } from '../../src/store/read/selection.ts';
import { CatalogueChanged } from '../../src/store/view.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { listed, sandbox } from '../support/catalogues/import.ts';
import { idsOf } from '../support/checks/distribution.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';
import { madeUpImage } from '../support/zukan/api.ts';
import { caller } from '../support/zukan/caller.ts';

describe('after a commit', () => {
  const [ALL, SOME] = [1, 2];
  const MANY = 100_000;
  const placed = (width: number, ...shelves: number[]): Placement => ({
    width,
    height: 1,
    shelves: [ALL, ...shelves],
  });

  /** A catalogue in which image 1 has the first placement, and what was read of it. */
  function start(...images: (Placement | undefined)[]) {
    const state = { version: 1, images, changed: [] as number[], isSuccessor: true, reads: [] as string[] };
    const numbersOn = (shelf: number) =>
      state.images.flatMap((image, at) => (image?.shelves.includes(shelf) ? [at + 1] : []));
    const slice = <T>(items: T[], read: string) => {
      state.reads.push(read);
      return { version: state.version, items };
    };
    const unexpected = () => assert.fail();
    const sets = new ImageSets({
      ...{ imagesPerSlice: MANY, placementsPerSlice: 2, namesPerSlice: 9, hashesPerSlice: MANY },
      ...{ readNames: unexpected, readSizes: unexpected, readAliases: unexpected, readHashes: unexpected },
      currentVersion: unexpected,
      readShelf: async (shelf, from, to) => slice(numbersOn(shelf).slice(from, to), `shelf ${shelf}`),
      readDimensions: async () =>
        slice(
          state.images.flatMap((image, at) =>
            image ? [[at + 1, image.width, 1] as [number, number, number]] : [],
          ),
          'sizes',
        ),
      readPlacements: async (numbers) =>
        slice(
          numbers.flatMap((image) => {
            const placement = state.images[image - 1];
            return placement ? [{ image, ...placement }] : [];
          }),
          `images ${numbers}`,
        ),
      readChanges: async (since) => ({
        ...{ version: state.version, isSuccessor: state.isSuccessor },
        ...{ images: since < state.version ? state.changed : [], next: undefined },
      }),
    });
    /** The images of the second shelf that are wider than 10 pixels, and what is read to find them. */
    const find = async () => {
      const shelf = (number: number) => ({ number, size: numbersOn(number).length });
      const choices = [ALL, SOME].map((number) => ({ shelves: [shelf(number)], size: shelf(number).size }));
      const selection = {
        catalogue: {
          version: state.version,
          lastImage: state.images.length,
          documentRevision: state.version,
        },
        choices: choices as Selection['choices'],
        excluded: [],
        sizes: new Map([['minWidth=11', (width: number) => width > 10]]),
      };
      const set = await sets.load(selection, caller);
      return [sliceImages(set, { offset: 0, limit: 99 }), state.reads.splice(0)];
    };
    const commit = (changed: number[], images: (Placement | undefined)[]) =>
      Object.assign(state, { version: state.version + 1, changed, images });
    return { state, find, commit };
  }

  const [wide, wideSome, some] = [placed(20), placed(20, SOME), placed(5, SOME)];

  test('only what has changed is read again', async () => {
    const { find, commit } = start(wideSome, wide, undefined, some, some);
    assert.deepEqual(await find(), [[1], [`shelf ${ALL}`, `shelf ${SOME}`, 'sizes']]);
    assert.deepEqual(await find(), [[1], []]);
    // One left, one entered, one came back, one was removed, one grew, and two were added.
    commit([1, 2, 3, 4, 5], [wide, wideSome, wideSome, undefined, wideSome, some, wideSome]);
    assert.deepEqual(await find(), [
      [2, 3, 5, 7],
      ['images 1,2', 'images 3,4', 'images 5,6', 'images 7'],
    ]);
    commit([], [wide, wideSome, wideSome, undefined, wideSome, some, wideSome]);
    assert.deepEqual(await find(), [[2, 3, 5, 7], []]);
  });

  test('the newest images were removed, and others got their numbers', async () => {
    const { find, commit } = start(wideSome, wideSome, wideSome);
    await find();
    commit([2, 3], [wideSome]);
    assert.deepEqual(await find(), [[1], ['images 2,3']]);
    commit([], [wideSome, some, wideSome]);
    assert.deepEqual(await find(), [[1, 3], ['images 2,3']]);
  });

  test('another catalogue is read as a whole', async () => {
    const { state, find, commit } = start(wideSome, wide, wide);
    await find();
    commit([], [wide, wideSome, wide]);
    state.isSuccessor = false;
    assert.deepEqual(await find(), [[2], [`shelf ${SOME}`, 'sizes']]);
  });

  test('after a large import, what is needed is read as a whole', async () => {
    const { find, commit } = start(wideSome, undefined, wide);
    await find();
    commit([], [wideSome, undefined, ...Array(MANY / 2 + 1).fill(wide), wideSome]);
    assert.deepEqual(await find(), [
      [1, MANY / 2 + 4],
      [`shelf ${ALL}`, `shelf ${SOME}`, 'sizes'],
    ]);
  });

  test('a shelf that missed a change is read again', async () => {
    const { find, commit } = start(wideSome, wide, wide);
    await find();
    commit([], [wideSome, wideSome, wide]);
    assert.deepEqual(await find(), [[1, 2], [`shelf ${SOME}`]]);
  });

  test('changes of another version are refused', async () => {
    const { state, find, commit } = start(wideSome, wide, some);
    await find();
    commit([1], [wide, wide, some]);
    const finding = find();
    state.version++;
    await assert.rejects(finding, CatalogueChanged);
  });
});

await forEachEngine((engine) => {
  test('a repair reaches a catalogue that has shelves and sizes in memory', async () => {
    const box = sandbox(engine);
    await box.import(['nsfw', 'sfw', 'sfw'].map((nsfw, at) => madeUpImage(uuid(4, at + 1), { nsfw })));
    tamper(
      box.config,
      `update image_shelves set width = 5000 where image = 2;
       update placement set image = 4 where image = 3 and shelf = (select number from shelf where id = 'sfw')`,
    );
    await using store = await openStore(box.config, { tuning: { ...defaultTuning, maxTestedImages: 0 } });
    const find = async (filter: Filter) => {
      const ids = idsOf(await listed(store.catalogue, filter, { offset: 0, limit: 9 }));
      return ids.map((id) => Number(id.slice(-1)));
    };
    assert.deepEqual(await find({ minWidth: 100 }), [2]);
    assert.deepEqual(await find({ nsfw: ['sfw'], maxWidth: 5000 }), [2]);
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
