/** The sizes of images in memory: what is read after a change, and that they are those of the version. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkCatalogue, repairCatalogue } from '../../src/catalogue/documents/check.ts';
import type { ImageDimensions } from '../../src/catalogue/sets/dimension-index.ts';
import { openSnapshot, openStore, openWriter } from '../../src/server/engines.ts';
import { Dimensions } from '../../src/store/dimensions.ts';
import type { ChangedDimensions } from '../../src/store/slices.ts';
import { CatalogueChanged } from '../../src/store/versions.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { listed, sandbox } from '../support/catalogues/import.ts';
import { idsOf } from '../support/checks/distribution.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';
import { madeUpImage } from '../support/zukan/api.ts';
import { sliceReader } from './slices.ts';

const wide = { minWidth: 10, minHeight: 1, ratioWidth: 0, ratioHeight: 0 };

describe('sizes in memory', () => {
  /** A catalogue whose images are as wide as `widths` says, and what was read of it. */
  function start(widths: number[]) {
    const state = { version: 1, widths, changed: [] as number[], isSuccessor: true, reads: [] as string[] };
    const sizeOf = (image: number): ImageDimensions[] => {
      const width = state.widths[image - 1];
      return width ? [[image, width, 1]] : [];
    };
    const slice = (items: ImageDimensions[]) => ({ version: state.version, items });
    const dimensions = new Dimensions({
      ...sliceReader({ itemsPerSlice: 3 }),
      async readDimensions(above) {
        state.reads.push(`above ${above}`);
        return slice(state.widths.flatMap((_, at) => (at < above ? [] : sizeOf(at + 1))).slice(0, 3));
      },
      async readChangedDimensions(since, after): Promise<ChangedDimensions> {
        if (since === Number.MAX_SAFE_INTEGER)
          return { ...slice([]), documentRevision: 7, isSuccessor: false, images: [], next: undefined };
        state.reads.push(`changes since ${since}`);
        const images = state.changed.slice(after?.[0] ?? 0).slice(0, 2);
        const end = (after?.[0] ?? 0) + images.length;
        const next: [number, number] | undefined = end < state.changed.length ? [end, 0] : undefined;
        const { isSuccessor } = state;
        return { ...slice(images.flatMap(sizeOf)), documentRevision: 8, isSuccessor, images, next };
      },
    });
    const load = async () => {
      const index = await dimensions.load({ version: state.version, lastImage: state.widths.length });
      return state.widths.flatMap((_, at) => (index.has(wide, at + 1) ? [at + 1] : []));
    };
    return { state, load };
  }

  test('only what has changed is read again', async () => {
    const { state, load } = start([5, 15, 25, 5, 15]);
    assert.deepEqual(await load(), [2, 3, 5]);
    assert.deepEqual(state.reads.splice(0), ['above 0', 'above 3']);
    assert.deepEqual(await load(), [2, 3, 5]);
    assert.deepEqual(state.reads, []);
    // One grew, one was removed, one shrank, and two were added.
    Object.assign(state, { version: 2, widths: [50, 0, 25, 5, 1, 5, 60], changed: [1, 2, 5] });
    assert.deepEqual(await load(), [1, 3, 7]);
    assert.deepEqual(state.reads, ['changes since 7', 'changes since 7', 'above 5']);
  });

  test('the newest images were removed', async () => {
    const { state, load } = start([5, 15, 25, 15]);
    await load();
    Object.assign(state, { version: 2, widths: [5, 15], changed: [3, 4] });
    assert.deepEqual(await load(), [2]);
    Object.assign(state, { version: 3, widths: [5, 15, 1, 30], changed: [] });
    assert.deepEqual(await load(), [2, 4]);
  });

  test('another catalogue is read as a whole', async () => {
    const { state, load } = start([5, 15, 25]);
    await load();
    Object.assign(state, { version: 2, widths: [15, 5], isSuccessor: false });
    assert.deepEqual(await load(), [1]);
  });

  test('sizes of another version are refused', async () => {
    const { state, load } = start([5, 15, 25]);
    const loading = load();
    state.version = 2;
    await assert.rejects(loading, CatalogueChanged);
  });
});

await forEachEngine((engine) => {
  test('a repair of sizes reaches a catalogue that has them in memory', async () => {
    const box = sandbox(engine);
    await box.import([madeUpImage(uuid(4, 1)), madeUpImage(uuid(4, 2))]);
    tamper(box.config, 'update image_shelves set width = 5000 where image = 2');
    await using store = await openStore(box.config);
    const wide = async () => idsOf(await listed(store.catalogue, { minWidth: 100 }, { offset: 0, limit: 9 }));
    assert.deepEqual(await wide(), [uuid(4, 2)]);
    await using writer = await openWriter(box.config);
    await using snapshot = await openSnapshot(box.config);
    await repairCatalogue(snapshot, writer);
    await writer.commit();
    assert.deepEqual(await wide(), []);
    await using repaired = await openSnapshot(box.config);
    assert.deepEqual(await Array.fromAsync(checkCatalogue(repaired)), []);
  });
});
