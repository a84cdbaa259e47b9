/** Albums against a naive model: lists of ids. Every change that places images again must leave them alone. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ListFilter } from '../../src/catalogue/catalogue.ts';
import { checkCatalogue, repairCatalogue } from '../../src/catalogue/documents/check.ts';
import { MAX_ALBUM_IMAGES } from '../../src/catalogue/writer.ts';
import {
  EditError,
  editEntry,
  findEntry,
  mergeEntries,
  removeEntry,
  saveOrder,
} from '../../src/changes/entries.ts';
import { editImages } from '../../src/changes/images.ts';
import { emptyTrash, restoreTrashed } from '../../src/changes/remove.ts';
import { undoChange } from '../../src/changes/undo.ts';
import { exportLines } from '../../src/cli/moving/copies.ts';
import type { Config } from '../../src/config/config.ts';
import { parseJsonBytes } from '../../src/lib/byte-string.ts';
import { openFiles, openSnapshot, openStore, openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, sqlite, tamper } from '../support/servers/engines.ts';
import { caller } from '../support/zukan/caller.ts';

const defaults = { now: '2026-01-02T00:00:00.000Z', newId: () => crypto.randomUUID() };
const all = [1, 2, 3, 4, 5, 6];
const names = ['One', 'Two', 'Three'];

interface Model {
  /** The images of each album, in its order, also those in the trash. */
  albums: Record<string, number[]>;
  /** The albums that have former names, by these. */
  aliases: Record<string, string>;
  trash: number[];
  /** Those rated nsfw. */
  explicit: number[];
}

const actions = [
  ...['add', 'add', 'remove', 'order', 'merge', 'remove album'],
  ...['trash', 'restore', 'empty', 'rate', 'import image', 'import album', 'undo'],
] as const;

interface Step {
  action: string;
  name: string;
  other: string;
  images: number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  images: fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 4 }),
});

const formerNames = ({ aliases }: Model, name: string) =>
  Object.keys(aliases).filter((former) => aliases[former] === name);

/** Undefined if the change is refused. */
function predict(
  { albums, aliases, trash, explicit }: Model,
  { action, name, other, images }: Step,
): Model | undefined {
  const model: Model = { albums: { ...albums }, aliases: { ...aliases }, trash, explicit };
  const album = albums[name];
  const isThere = images.every((image) => !trash.includes(image));
  /** What is in the trash comes last, unless the others are in this order already. */
  const arrange = (shown: number[]) => {
    const isKept = (image: number) => trash.includes(image) && !shown.includes(image);
    const isOld = album?.filter((image) => !trash.includes(image)).join() === shown.join();
    if (!isOld) model.albums[name] = [...shown, ...(album ?? []).filter(isKept)];
  };
  // A former name finds the album that has it.
  if (aliases[name] && (action === 'add' || action === 'import album')) return undefined;
  if (action === 'add' && isThere) model.albums[name] = [...new Set([...(album ?? []), ...images])];
  else if (action === 'remove' && album && isThere)
    model.albums[name] = album.filter((image) => !images.includes(image));
  else if (action === 'order' && album && isThere) arrange(images);
  else if (action === 'merge' && album && albums[other] && name !== other) {
    model.albums[other] = [...new Set([...albums[other], ...album])];
    delete model.albums[name];
    for (const former of [name, ...formerNames(model, name)]) model.aliases[former] = other;
  } else if (action === 'remove album' && album) {
    delete model.albums[name];
    for (const former of formerNames(model, name)) delete model.aliases[former];
  } else if (action === 'trash' && isThere) model.trash = [...trash, ...images];
  else if (action === 'restore' && images.every((image) => trash.includes(image)))
    model.trash = trash.filter((image) => !images.includes(image));
  else if (action === 'rate' && isThere) model.explicit = [...new Set([...explicit, ...images])];
  else if (action === 'import image' && isThere)
    model.explicit = explicit.filter((image) => !images.includes(image));
  else if (action === 'import album' && isThere) arrange(images);
  else return undefined;
  return model;
}

const idOf = (image: number) => uuid(4, image);
const imageRecord = (image: number) => keyed(image, { id: idOf(image), title: `picture ${image}` });

async function apply(box: Sandbox, { action, name, other, images }: Step): Promise<void> {
  const ids = images.map(idOf);
  if (action === 'import image') await box.import(images.map(imageRecord));
  else if (action === 'import album') await box.import([{ type: 'album', name, images: ids }]);
  else {
    await using writer = await openWriter(box.config);
    const edit = (changes: object) => editImages(writer, ids, { create: true, ...changes }, defaults);
    const album = () => findEntry(writer, 'album', name);
    if (action === 'add') await edit({ addAlbums: [name] });
    if (action === 'remove') await edit({ removeAlbums: [name] });
    if (action === 'rate') await edit({ rating: 'nsfw' });
    if (action === 'order')
      await editEntry(writer, await album(), { fields: { images: ids }, addAliases: [], removeAliases: [] });
    if (action === 'merge')
      await mergeEntries(writer, await album(), await findEntry(writer, 'album', other));
    if (action === 'remove album')
      await removeEntry(writer, await album(), { block: false, now: defaults.now });
    if (action === 'trash' && (await writer.trashImages(ids)).length < ids.length)
      throw new EditError('gone');
    if (action === 'restore') await restoreTrashed(writer, ids);
    await writer.commit();
  }
}

async function check(config: Config, { albums, trash, explicit }: Omit<Model, 'aliases'>): Promise<void> {
  await using store = await openStore(config);
  const list = await store.catalogue.list('album', { offset: 0, limit: 25 });
  const found = new Map(list.items.map(({ id, json }) => [parseJsonBytes(json).name as string, id]));
  assert.deepEqual([...found.keys()].sort(), Object.keys(albums).sort());
  for (const [name, images] of Object.entries(albums)) {
    const id = found.get(name) as string;
    const read = async (filter: ListFilter) => {
      const page = await store.catalogue.albumImages(id, filter, { offset: 0, limit: 25 }, caller);
      assert.ok('items' in page);
      const ids = page.items.map((image) => image.toImage(() => ({ url: '', expires: '' })).id);
      assert.equal(page.total, ids.length);
      return ids;
    };
    const shown = images.filter((image) => !trash.includes(image));
    assert.deepEqual(await read({}), shown.map(idOf), name);
    const second = await store.catalogue.albumImages(id, {}, { offset: 1, limit: 2 }, caller);
    assert.ok('items' in second);
    assert.deepEqual(
      [second.total, ...second.items.map(({ fileName }) => fileName.slice(0, 36))],
      [shown.length, ...shown.slice(1, 3).map(idOf)],
    );
    const safe = shown.filter((image) => !explicit.includes(image));
    assert.deepEqual(await read({ nsfw: ['sfw'] }), safe.map(idOf), name);
    assert.equal((await store.catalogue.one('album', id))?.images, shown.length);
    const filtered = await store.catalogue.images({ album: [id] }, { offset: 0, limit: 25 }, caller);
    assert.ok('items' in filtered);
    assert.equal(filtered.total, shown.length);
  }
  await using snapshot = await openSnapshot(config);
  for await (const { problem } of checkCatalogue(snapshot)) assert.fail(problem);
  assert.deepEqual(shelfProblems(config), []);
}

async function undoLast(config: Config): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const [last] = await snapshot.changeLog.list({ limit: 1 });
  const options = { openWriter: () => openWriter(config), isDryRun: false, isStrict: false };
  assert.deepEqual((await undoChange(last?.number ?? 0, options)).kept, []);
}

async function exportAll(config: Config): Promise<string[]> {
  return Array.fromAsync(exportLines(config, openFiles(config), undefined, undefined, () => {}));
}

await forEachEngineInDepth((engine) => {
  const numRuns = atDepth(engine === sqlite ? 2 : 1, engine === sqlite ? 200 : 30);

  test('albums are what a list of ids would be, whatever happens to their images', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        const box = sandbox(engine);
        const { config } = box;
        await box.import(all.map(imageRecord));
        let model: Model = { albums: {}, aliases: {}, trash: [], explicit: [] };
        let former: Model | undefined;
        for (const step of steps) {
          if (step.action === 'undo' && former) {
            await undoLast(config);
            [model, former] = [former, undefined];
          } else if (step.action === 'empty') {
            const { signal } = new AbortController();
            await emptyTrash(
              {},
              {
                files: openFiles(config),
                openWriter: () => openWriter(config),
                signal,
              },
            );
            const isLeft = (image: number) => !model.trash.includes(image);
            for (const [name, images] of Object.entries(model.albums))
              model.albums[name] = images.filter(isLeft);
            // They come back as new images.
            await box.import(model.trash.map(imageRecord));
            model = { ...model, trash: [], explicit: model.explicit.filter(isLeft) };
            former = undefined;
          } else {
            const next = predict(model, step);
            if (!next) continue;
            const isChange = JSON.stringify(next) !== JSON.stringify(model);
            await apply(box, step);
            former = isChange ? model : undefined;
            model = next;
          }
          await check(config, model);
        }
        const exported = await exportAll(config);
        const copy = sandbox(engine);
        await copy.import(exported);
        assert.deepEqual(await exportAll(copy.config), exported);
        const { added, updated } = await copy.import(exported);
        assert.deepEqual([added, updated], [0, 0]);
      }),
      { numRuns },
    );
  });
});

await forEachEngineInDepth((engine) => {
  test('a check finds and repairs images on the shelves of albums that do not have them', async () => {
    const box = sandbox(engine);
    const { config } = box;
    await box.import([
      ...all.map(imageRecord),
      { type: 'album', name: 'One', images: [3, 1, 2].map(idOf) },
      { type: 'album', name: 'Two', images: [4].map(idOf) },
    ]);
    tamper(config, `delete from album_image where image = '${idOf(1)}'`);
    tamper(
      config,
      `insert into album_image values ((select number from shelf where name = 'Two'), 7, '${idOf(5)}')`,
    );
    tamper(
      config,
      `insert into album_image values ((select number from shelf where name = 'Two'), 8, '${uuid(4, 99)}')`,
    );
    const find = async () => {
      await using snapshot = await openSnapshot(config);
      return (await Array.fromAsync(checkCatalogue(snapshot))).map(({ problem }) => problem);
    };
    assert.deepEqual(await find(), [
      'the order of an album has an image or an album that does not exist',
      `image ${idOf(1)}: is on the wrong shelves`,
      `image ${idOf(5)}: is on the wrong shelves`,
    ]);
    {
      await using writer = await openWriter(config);
      await using snapshot = await openSnapshot(config);
      await repairCatalogue(snapshot, writer);
      await writer.commit();
    }
    assert.deepEqual(await find(), []);
    await check(config, { albums: { One: [3, 2], Two: [4, 5] }, trash: [], explicit: [] });
  });

  test('an album of a file names images that exist, each once', async () => {
    const box = sandbox(engine);
    await box.import(all.map(imageRecord));
    const album = (...images: number[]) => ({ type: 'album', name: 'One', images: images.map(idOf) });
    await assert.rejects(box.import([album(1, 9)]), /there is no image/);
    await box.import([album(2, 1, 2)]);
    await check(box.config, { albums: { One: [2, 1] }, trash: [], explicit: [] });
    // Without a list, the images stay.
    const { updated } = await box.import([{ type: 'album', name: 'One', description: 'Some.' }]);
    assert.equal(updated, 1);
    await check(box.config, { albums: { One: [2, 1] }, trash: [], explicit: [] });
  });

  test('an album of a file names images by their files, too', async () => {
    const box = sandbox(engine);
    mkdirSync(join(box.folder, 'pictures'));
    for (const seed of [1, 2, 3]) writeFileSync(join(box.folder, `pictures/${seed}.png`), tinyPicture(seed));
    const image = (seed: number) => ({
      ...{ type: 'image', id: idOf(seed), nsfw: 'sfw', file: `pictures/${seed}.png` },
    });
    const album = (...images: string[]) => ({ type: 'album', name: 'One', images });
    const records = [1, 2, 3].map(image);
    await box.import([...records, album('pictures/3.png', idOf(1), './pictures/2.png')]);
    const expected = { albums: { One: [3, 1, 2] }, trash: [], explicit: [] };
    await check(box.config, expected);
    for (const wrong of ['pictures/4.png', '../pictures/1.png'])
      await assert.rejects(
        box.import([...records, album(wrong)]),
        new RegExp(`no earlier line has the "file" "${wrong}"`),
      );
    await assert.rejects(box.import([album('pictures/1.png')]), /no earlier line has the "file"/);
    await check(box.config, expected);
  });

  test('an album has at most ten thousand images', async () => {
    const { config, import: importRecords } = sandbox(engine);
    await importRecords([{ type: 'album', name: 'Full' }]);
    await using writer = await openWriter(config);
    const album = await findEntry(writer, 'album', 'Full');
    const ids = Array.from({ length: MAX_ALBUM_IMAGES + 1 }, (_, index) => uuid(4, index + 1));
    const message = 'the album "Full" would have more than 10000 images';
    await assert.rejects(saveOrder(writer, album, ids), { message });
    await saveOrder(writer, album, ids.slice(1));
  });
});
