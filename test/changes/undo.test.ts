/** Random changes of every kind, undone in any order, compared with whole copies of the catalogue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { catalogueLines, imageLine } from '../../src/catalogue/lines.ts';
import type { Kind, Rating } from '../../src/catalogue/schemas.ts';
import type { CatalogueWriter, SavedEntry } from '../../src/catalogue/writer.ts';
import {
  blockNames,
  createEntry,
  EditError,
  editEntry,
  mergeEntries,
  removeEntry,
} from '../../src/changes/entries.ts';
import { editImages, type ImageEdit } from '../../src/changes/images.ts';
import { removeImages, restoreTrashed } from '../../src/changes/remove.ts';
import { undoChange } from '../../src/changes/undo.ts';
import type { Config } from '../../src/config/config.ts';
import { RecordError } from '../../src/import/records/lines.ts';
import type { EntryLine } from '../../src/import/records/record.ts';
import { openFiles, openSnapshot, openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, forEachEngineInDepth, sqlite, testOnOneStore } from '../support/servers/engines.ts';

const now = '2026-01-02T00:00:00.000Z';
const names = ['Ann', 'Bob', 'Cleo', 'dots'];
const kinds: Kind[] = ['artist', 'category', 'character', 'album'];
const actions = [
  'import',
  'edit',
  'album',
  'order',
  'entry',
  'merge',
  'remove entry',
  'block',
  'trash',
  'restore',
  'undo',
] as const;

interface Step {
  action: (typeof actions)[number];
  image: number;
  count: number;
  kind: Kind;
  name: string;
  other: string;
  rating: Rating;
}

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions),
  image: fc.integer({ min: 1, max: 6 }),
  count: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom(...kinds),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  rating: fc.constantFrom('sfw', 'questionable', 'nsfw'),
});

/** The whole catalogue as a file, and its problems. */
async function copyOf(config: Config): Promise<string> {
  await using snapshot = await openSnapshot(config);
  const lines: string[] = [];
  for await (const line of catalogueLines(
    snapshot,
    async function* (images) {
      for await (const image of images) yield imageLine(image);
    },
    { hasTrash: true },
  ))
    lines.push(line);
  for await (const { problem } of checkCatalogue(snapshot)) assert.fail(problem);
  assert.deepEqual(shelfProblems(config), []);
  return lines.join('\n');
}

async function entryCalled(writer: CatalogueWriter, kind: Kind, name: string): Promise<SavedEntry> {
  const [entry] = await writer.entriesByName(kind, [name]);
  if (!entry) throw new EditError('there is none');
  return entry;
}

async function shownImages(writer: CatalogueWriter, { images = [] }: SavedEntry): Promise<string[]> {
  const found = await writer.findImageIds(images);
  return images.filter((id) => found.images.has(id));
}

let ids = 0;
const newId = () => uuid(9, ++ids);

async function moveToTrash(config: Config, ids: string[], { allowAgain }: { allowAgain: boolean }) {
  await removeImages(
    { ids },
    {
      files: openFiles(config),
      openWriter: () => openWriter(config),
      openSnapshot: () => openSnapshot(config),
      concurrency: 2,
      now,
      reason: '',
      allowAgain,
      isDryRun: false,
      toTrash: true,
      signal: new AbortController().signal,
    },
  );
}

async function apply({ config, import: importRecords }: Sandbox, step: Step): Promise<void> {
  const { action, image, count, kind, name, other, rating } = step;
  const images = Array.from({ length: count }, (_, index) => uuid(4, ((image + index - 1) % 6) + 1));
  if (action === 'import') {
    const record = (id: string, index: number) =>
      keyed(Number.parseInt(id.slice(-2), 16), {
        id,
        nsfw: rating,
        artist: name,
        categories: index ? [] : [other],
        ...(rating === 'nsfw' && {
          title: `${name} ${index}`,
          takenAt: '2024-02-03',
          alt: name,
          licence: other,
        }),
        ...(rating === 'sfw' && { fileName: `${other}.png` }),
      });
    await importRecords([
      { type: 'artist', name, url: `https://example.org/${rating}` },
      { type: 'category', name: other },
      ...images.map(record),
    ]);
    return;
  }
  if (action === 'trash') return moveToTrash(config, images, { allowAgain: false });
  if (action === 'undo') {
    await using snapshot = await openSnapshot(config);
    const changes = await snapshot.changeLog.list({ limit: 100 });
    const change = changes[image % changes.length];
    if (change) await undo(config, change.number);
    return;
  }
  await using writer = await openWriter(config);
  if (action === 'edit') {
    const texts =
      rating === 'sfw' ? { title: other, licence: '' } : { description: name, takenAt: '', credit: other };
    const edit = { create: true, rating, artist: name, addCategories: [other], ...texts };
    await editImages(writer, images, edit, { now, newId });
  } else if (action === 'album') {
    const albums = rating === 'nsfw' ? { removeAlbums: [name] } : { addAlbums: [name] };
    await editImages(writer, images, { create: true, ...albums }, { now, newId });
  } else if (action === 'order') {
    const album = await entryCalled(writer, 'album', name);
    const reversed = (await shownImages(writer, album)).reverse();
    await editEntry(writer, album, {
      fields: { images: reversed.slice(Number(rating === 'nsfw')) },
      addAliases: [],
      removeAliases: [],
    });
  } else if (action === 'entry') {
    const entry = await entryCalled(writer, kind, name).catch(() =>
      createEntry(writer, { type: kind, name } as EntryLine, { now, newId }),
    );
    const description = kind === 'artist' ? { licence: rating, credit: other } : { description: rating };
    const fields = { ...description, name: rating === 'sfw' ? other : name };
    await editEntry(writer, entry, { fields, addAliases: [`${other} ${rating}`], removeAliases: [] });
  } else if (action === 'merge')
    await mergeEntries(writer, await entryCalled(writer, kind, name), await entryCalled(writer, kind, other));
  else if (action === 'remove entry')
    await removeEntry(writer, await entryCalled(writer, kind, name), { block: rating === 'nsfw', now });
  else if (action === 'block') {
    if (rating === 'sfw') await writer.decisions.unblockNames(kind, [name]);
    else await blockNames(writer, kind, [`${name} blocked`], now, { skips: rating === 'nsfw' });
  } else if (action === 'restore') await restoreTrashed(writer, images);
  await writer.commit();
}

/** Returns what had to stay. */
async function undo(config: Config, number: number): Promise<object[]> {
  const openOnce = () => openWriter(config);
  const { kept } = await undoChange(number, { openWriter: openOnce, isDryRun: false, isStrict: false });
  return kept;
}

async function lastChange(config: Config): Promise<number> {
  await using snapshot = await openSnapshot(config);
  return (await snapshot.changeLog.list({ limit: 1 }))[0]?.number ?? 0;
}

/** Applies what is possible, and calls back after each change that was made. */
async function applyAll(
  box: Sandbox,
  steps: Step[],
  onChange: (number: number, before: string) => void,
): Promise<void> {
  let before = await copyOf(box.config);
  let last = await lastChange(box.config);
  for (const step of steps) {
    try {
      await apply(box, step);
    } catch (error) {
      const isRefusal = error instanceof EditError || error instanceof RecordError;
      if (!isRefusal && !(error as Error).message.startsWith('nothing was imported')) throw error;
      assert.equal(await copyOf(box.config), before);
      continue;
    }
    const number = await lastChange(box.config);
    const after = await copyOf(box.config);
    if (number > last) onChange(number, before);
    else assert.equal(after, before);
    [before, last] = [after, number];
  }
}

await forEachEngine((engine) => {
  const numRuns = atDepth(engine === sqlite ? 2 : 1, engine === sqlite ? 300 : 40);

  test('undoing changes from the last one on leads back through every former catalogue', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const box = sandbox(engine);
        await box.import([{ type: 'artist', name: 'Ann' }, keyed(1, { id: uuid(4, 1), artist: 'Ann' })]);
        const copies: [number, string][] = [];
        await applyAll(box, steps, (number, before) => copies.push([number, before]));
        for (const [number, before] of copies.reverse()) {
          assert.deepEqual(await undo(box.config, number), [], `change ${number}`);
          assert.equal(await copyOf(box.config), before, `change ${number}`);
        }
      }),
      { numRuns },
    );
  });

  const testOnce = testOnOneStore(engine);
  testOnce(
    'undoing all changes in any order, as often as needed, leads back to the first catalogue',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 3, maxLength: 10 }),
          fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
          async (steps, order) => {
            const box = sandbox(engine);
            await box.import([{ type: 'artist', name: 'Ann' }, keyed(1, { id: uuid(4, 1), artist: 'Ann' })]);
            const first = await copyOf(box.config);
            const left: number[] = [];
            await applyAll(
              box,
              steps.filter(({ action }) => action !== 'undo'),
              (number) => left.push(number),
            );
            for (let round = 0; left.length > 0; round++) {
              assert.ok(round < 40, `changes ${left} cannot be undone`);
              // Any order, but from the last one on in the end: a change may depend on those after it.
              const at = round < 20 ? (order[round % order.length] as number) % left.length : left.length - 1;
              const [number] = left.slice(at) as [number];
              if ((await undo(box.config, number)).length === 0) left.splice(at, 1);
            }
            assert.equal(await copyOf(box.config), first);
          },
        ),
        { numRuns },
      );
    },
  );
});

await forEachEngineInDepth((engine) => {
  async function begin(records: object[]) {
    const box = sandbox(engine);
    await box.import(records);
    return { ...box, first: await copyOf(box.config) };
  }

  test('a category stays while undoing may bring back an image that has it', async () => {
    const box = await begin([{ type: 'artist', name: 'Ann' }, keyed(1, { id: uuid(4, 1), artist: 'Ann' })]);
    const { config, first } = box;
    const common = { image: 1, count: 1, kind: 'artist', name: 'Ann', other: 'Ann', rating: 'sfw' } as const;
    for (const action of ['import', 'trash', 'restore'] as const) await apply(box, { action, ...common });
    assert.deepEqual(await undo(config, 4), []);
    // The image is in the trash again.
    assert.notDeepEqual(await undo(config, 2), []);
    for (const number of [3, 2]) assert.deepEqual(await undo(config, number), [], `change ${number}`);
    assert.equal(await copyOf(config), first);
  });

  async function edit(config: Config, images: number[], change: Partial<ImageEdit>): Promise<void> {
    await using writer = await openWriter(config);
    const ids = images.map((image) => uuid(4, image));
    await editImages(writer, ids, { create: true, ...change }, { now, newId });
    await writer.commit();
  }

  test('a category stays while undoing a later edit may bring it back', async () => {
    const { config, first } = await begin([keyed(1, { id: uuid(4, 1) })]);
    await edit(config, [1], { addCategories: ['cat'] });
    await edit(config, [1], { removeCategories: ['cat'] });
    assert.notDeepEqual(await undo(config, 2), []);
    for (const number of [3, 2]) assert.deepEqual(await undo(config, number), [], `change ${number}`);
    assert.equal(await copyOf(config), first);
  });

  test('undoing a creation says of an entry that was removed since that it was', async () => {
    const { config, first } = await begin([keyed(1, { id: uuid(4, 1) })]);
    await edit(config, [1], { addCategories: ['cat'] });
    {
      await using writer = await openWriter(config);
      await removeEntry(writer, await entryCalled(writer, 'category', 'cat'), { block: false, now });
      await writer.commit();
    }
    const kept = (await undo(config, 2)) as { kind: string; reason: string }[];
    assert.equal(kept.find(({ kind }) => kind === 'category')?.reason, 'removed since');
    for (const number of [3, 2]) assert.deepEqual(await undo(config, number), [], `change ${number}`);
    assert.equal(await copyOf(config), first);
  });

  test('a change that is done again can be undone again, also where undoing it changed nothing', async () => {
    const { config, first } = await begin(
      [1, 2].map((image) => keyed(image, { id: uuid(4, image), title: 'A title', edited: [] })),
    );
    await edit(config, [1, 2], { title: 'A title' });
    await edit(config, [1], { reset: ['title'] });
    for (const number of [2, 4, 3, 2]) assert.deepEqual(await undo(config, number), [], `change ${number}`);
    assert.equal(await copyOf(config), first);
  });

  test('undoing a removal says of an image that was restored meanwhile that it was', async () => {
    const id = uuid(4, 1);
    const { config } = await begin([keyed(1, { id })]);
    await moveToTrash(config, [id], { allowAgain: false });
    {
      await using writer = await openWriter(config);
      await restoreTrashed(writer, [id]);
      await writer.commit();
    }
    assert.deepEqual(await undo(config, 2), [{ kind: 'image', id, reason: 'restored since' }]);
  });

  test('of two images in the trash that had the same id, undoing finds the right one', async () => {
    const box = sandbox(engine);
    const { config } = box;
    const id = uuid(4, 1);
    const importBy = (artist: string) =>
      box.import([{ type: 'artist', name: artist }, keyed(1, { id, artist })]);
    await importBy('Ann');
    const byAnn = await copyOf(config);
    await undo(config, 1);
    await importBy('Bob');
    await undo(config, 3);
    await undo(config, 2);
    assert.equal(await copyOf(config), byAnn);
    for (const number of [5, 4, 3]) assert.deepEqual(await undo(config, number), []);
    assert.deepEqual(await undo(config, 2), []);
    assert.equal(await copyOf(config), byAnn);
  });

  test('of two images in the trash that had the same id, the last one is restored and the other one stays', async () => {
    const box = sandbox(engine);
    const { config } = box;
    const id = uuid(4, 1);
    for (const categories of [['first'], ['second']]) {
      await box.import([
        ...categories.map((name) => ({ type: 'category', name })),
        keyed(1, { id, categories }),
      ]);
      await moveToTrash(config, [id], { allowAgain: true });
    }
    await using writer = await openWriter(config);
    await restoreTrashed(writer, [id]);
    const [restored] = await writer.imagesById([id]);
    assert.match(restored?.document ?? '', /"name":"second"/);
    const [left, ...others] = await writer.changeLog.trashed([id]);
    assert.match(left?.image.document ?? '', /"name":"first"/);
    assert.deepEqual(others, []);
  });
});
