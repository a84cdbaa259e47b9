/** A reverted import leaves nothing behind, and takes nothing along that was changed since. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { startRecord } from '../../src/import/apply/import-record.ts';
import { observeWriter } from '../../src/import/apply/observe-writer.ts';
import { openWriter } from '../../src/server/engines.ts';
import type { ImportRun } from '../../src/store/contract/import-runs.ts';
import type { ImageRow } from '../../src/store/contract/writer.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn, shelfProblems } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, rowsIn } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

const number = fc.integer({ min: 1, max: 5 });
const rating = fc.constantFrom('sfw', 'questionable', 'nsfw');
const image = fc.record({
  number,
  nsfw: rating,
  artist: fc.constantFrom('Unknown', 'ink'),
  categories: fc.subarray(['sea', 'city', 'sky']),
  isDecided: fc.boolean(),
});
const entry = fc.record({
  name: fc.constantFrom('sea', 'city', 'sky'),
  description: fc.constantFrom('', 'x'),
});
const kept = [
  ...['sea', 'city', 'sky'].map((name) => ({ type: 'category', name })),
  { type: 'artist', name: 'ink' },
];
type Image = typeof image extends fc.Arbitrary<infer T> ? T : never;

const toRecord = ({ number, isDecided, ...fields }: Image) =>
  keyed(number, { id: uuid(5, number), ...fields, ...(!isDecided && { edited: [] }) });

/** Also what only catalogue files can do. Some of it is refused, such as a name that is taken. */
const anything = fc.oneof(
  image.map(toRecord),
  fc.record({
    type: fc.constant('category'),
    id: fc.constantFrom(uuid(6, 1), uuid(6, 2)),
    name: fc.constantFrom('hill', 'lake', 'pond'),
    aliases: fc.subarray(['bay', 'bight']),
  }),
  fc.record({
    type: fc.constant('blocked'),
    kind: fc.constant('category'),
    name: fc.constantFrom('spam', 'junk'),
    createdAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
  }),
  fc.record({
    type: fc.constant('removed'),
    hash: fc.constantFrom('tag-8', 'tag-9'),
    image: fc.constant(uuid(5, 9)),
    reason: fc.constantFrom('', 'asked'),
  }),
);

await forEachEngineInDepth(async (engine) => {
  const isSlow = engine.name !== 'SQLite';
  const runs = isSlow ? atDepth(1, 15) : atDepth(3, 80);
  const isBrief = atDepth(isSlow, false);
  const command = (box: Sandbox, ...parameters: string[]) => runCommand(parameters, box.environment);
  const exported = async (box: Sandbox) => (await command(box, 'export')).output;
  const lastRun = async (box: Sandbox): Promise<number> =>
    JSON.parse((await command(box, 'imports', '--json')).output)[0].id;
  const revert = async (box: Sandbox, run: number) => {
    const { status, output, errors } = await command(box, 'imports', 'revert', String(run));
    assert.equal(status, 0, errors);
    return output;
  };

  test('imports that are reverted, the last one first, leave the catalogue as it was before each', async () => {
    const box = sandbox(engine);
    await box.import([...kept, ...[1, 2, 3].map((index) => keyed(index, { id: uuid(5, index) }))]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anything, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        async (imports) => {
          const taken: { run: number; before: string }[] = [];
          let before = await exported(box);
          for (const records of imports) {
            await box.import(records).catch(() => {});
            const after = await exported(box);
            if (after !== before) taken.push({ run: await lastRun(box), before });
            before = after;
          }
          for (const { run, before } of taken.reverse()) {
            await revert(box, run);
            assert.equal(await exported(box), before);
          }
        },
      ),
      { numRuns: runs, seed: 23, endOnFailure: true },
    );
    assert.deepEqual(shelfProblems(box.config), []);
  });

  test('old runs are forgotten, and those that changed too much cannot be reverted', async () => {
    const box = openMaintained(engine);
    box.picture(1);
    await box.ok('import', box.pictures);
    const record = async (names: string[], maxChanges?: number) => {
      await using writer = await openWriter(box.config);
      const run = { source: 'x', origin: 'command' } as const;
      const record = await startRecord(writer, run, '2026-01-01T00:00:00.000Z', maxChanges);
      const observed = observeWriter(writer, record);
      const blockedAt = '2026-01-01T00:00:00.000Z';
      await observed.decisions.blockNames(
        names.map((name) => ({ kind: 'category' as const, name, blockedAt })),
      );
      const saved = await record.finish();
      await writer.commit();
      return saved;
    };
    const states = async () =>
      JSON.parse(await box.ok('imports', '--json')).map(({ state }: { state: string }) => state);
    assert.equal(await record([]), undefined);
    // The first import created the artist of pictures without one.
    await record(['a'], 4);
    await record(['b', 'c'], 4);
    assert.deepEqual(await states(), ['revertible', 'revertible', 'revertible']);
    await record(['d'], 4);
    assert.deepEqual(await states(), ['revertible', 'revertible', 'revertible', 'forgotten']);
    await record(['e', 'f', 'g', 'h', 'i'], 4);
    assert.deepEqual(new Set(await states()), new Set(['forgotten']));
    assert.match(
      (await box.run('imports', 'revert', '4')).errors,
      /import 4 cannot be reverted: it, or a later one, changed too much/,
    );
    assert.deepEqual(rowsIn(box.config, 'select * from import_change'), []);
    await using writer = await openWriter(box.config);
    const template = (await writer.importRuns.list())[0] as ImportRun;
    for (let id = 6; id <= 104; id++) await writer.importRuns.save({ ...template, id });
    const last = await startRecord(writer, { source: 'y', origin: 'command' }, template.at);
    last.imagesRemoved([{} as ImageRow]);
    await last.finish();
    const ids = (await writer.importRuns.list()).map(({ id }) => id);
    assert.deepEqual([ids.length, ids[0], ids.at(-1)], [100, 105, 6]);
  });

  if (isBrief) return;
  test('pictures of folders go with their files, and the next import adds them again', async () => {
    const box = openMaintained(engine);
    const imported = () => box.ok('import', '--full', box.pictures);
    for (const index of [1, 2, 3, 4]) box.picture(index, { categories: ['sea'] });
    await imported();
    const byNumber = (await box.find()).map(({ id }) => id).reverse();
    const [first = '', second = '', third = '', fourth = ''] = byNumber;
    await box.ok('edit', second, '--rating', 'nsfw');
    box.picture(3, { categories: ['city'], artist: 'Nami' });
    await imported();
    assert.match(
      await box.ok('imports'),
      /^id +time +added +changed +removed +entries +state +source\n2 +\S+ +0 +1 +0 +2 +\S+pictures\n1 +\S+ +4 +0 +0 +2 +\S+pictures\n$/,
    );
    const keeps = [
      ...['1 image removed, 0 images restored, 0 entries', 'kept:'],
      ...[`image ${second}: edited by hand since`, `image ${third}: changed by a later import`],
    ];
    await box.ok('remove', fourth, '--allow-again');
    const dry = await box.ok('imports', 'revert', '1', '--dry-run');
    for (const text of keeps) assert.ok(dry.includes(text), dry);
    assert.deepEqual((await box.find()).length, 3, 'a dry run changes nothing');
    // The new image gets the number of the one that was removed, but belongs to another import.
    writeTiny(box.pictures, '5.png', 5);
    rmSync(join(box.pictures, '4.png'));
    await imported();
    assert.match(
      await box.ok('imports', 'revert', '2'),
      /^reverted import 2: 0 images removed, 1 image restored/,
    );
    assert.deepEqual((await box.find('--category', 'sea')).length, 3);
    assert.match(
      await box.ok('imports', 'revert', '1'),
      /^reverted import 1: 2 images removed, 0 images restored, 0 entries removed or restored, 2 files removed\nkept:/,
    );
    const left = await box.find();
    assert.deepEqual([left.length, left[1]?.id, left[1]?.rating], [2, second, 'nsfw']);
    assert.ok(!left.some(({ id }) => [first, third].includes(id)));
    assert.equal(filesIn(filesFolder(box.config)).length, 2);
    assert.match(await imported(), /^4 added, 0 updated/, 'an artist and a category too');
    assert.deepEqual(shelfProblems(box.config), []);
    assert.equal(await box.ok('check'), 'no problems found\n');
    for (const [id, status, message] of [
      ['1', 1, /import 1 was reverted already/],
      ['99', 1, /there is no import 99/],
      ['x', 2, /x: must be the id of an import/],
    ] as const) {
      const refused = await box.run('imports', 'revert', id);
      assert.equal(refused.status, status);
      assert.match(refused.errors, message);
    }
  });

  /** The lines of an export, by id. */
  const linesOf = async (box: Sandbox) =>
    new Map(
      (await exported(box))
        .trim()
        .split('\n')
        .map((line): [string, string] => [JSON.parse(line).id, line]),
    );

  test('any import can be reverted, and keeps what was edited or imported since', async () => {
    const step = fc.oneof(
      fc.array(image, { minLength: 1, maxLength: 3 }),
      fc.array(entry, { minLength: 1, maxLength: 1 }),
      fc.record({ number, rating }),
    );
    let [kepts, removals] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), fc.nat(), async (steps, choice) => {
        const box = sandbox(engine);
        await box.import([...kept, keyed(1, { id: uuid(5, 1) })]);
        /** What a model remembers: the lines before and after each import, and which images were edited by hand. */
        const taken: { id: number; before: Map<string, string>; after: Map<string, string> }[] = [];
        const byHand = new Set<string>();
        const decided = (line = '{}') => String(JSON.parse(line).edited);
        for (const step of steps) {
          const before = await linesOf(box);
          if (!Array.isArray(step)) {
            const id = uuid(5, step.number);
            await command(box, 'edit', id, '--rating', step.rating);
            if ((await linesOf(box)).get(id) !== before.get(id)) byHand.add(id);
            continue;
          }
          await box.import(
            step.map((part) => ('number' in part ? toRecord(part) : { type: 'category', ...part })),
          );
          const after = await linesOf(box);
          for (const [id, line] of after) if (decided(line) !== decided(before.get(id))) byHand.delete(id);
          const id = await lastRun(box);
          if (id !== taken.at(-1)?.id && id !== 1) taken.push({ id, before, after });
        }
        if (taken.length === 0) return;
        const index = choice % taken.length;
        const { id: run, before, after } = taken[index] as (typeof taken)[number];
        const wasImportedSince = (id: string) =>
          taken.slice(index + 1).some((later) => later.before.get(id) !== later.after.get(id));
        const now = await linesOf(box);
        const expected = new Map<string, string>();
        for (const [id, line] of now) {
          const former = before.get(id);
          const isOfRun = former !== after.get(id);
          const isKept =
            former === undefined
              ? byHand.has(id) || wasImportedSince(id)
              : line !== after.get(id) || byHand.has(id);
          if (!isOfRun || isKept) expected.set(id, line);
          else if (former !== undefined) expected.set(id, former);
          if (isOfRun && isKept) kepts++;
          if (isOfRun && !isKept && former === undefined) removals++;
        }
        await revert(box, run);
        const images = (lines: Map<string, string>) => [...lines.values()].sort();
        assert.deepEqual(images(await linesOf(box)), images(expected));
        assert.deepEqual(shelfProblems(box.config), []);
      }),
      { numRuns: isSlow ? 15 : atDepth(8, 80), seed: 23, endOnFailure: true },
    );
    if (!isSlow) assert.ok(kepts > 0 && removals > 0, `${kepts} kept, ${removals} removed`);
  });

  test('what cannot be restored is kept or said', async () => {
    const box = openMaintained(engine);
    const catalogue = join(box.pictures, 'catalogue.ndjson');
    const write = (...records: object[]) =>
      writeFileSync(catalogue, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const one = { type: 'image', id: uuid(5, 1), nsfw: 'sfw' };
    for (const index of [1, 2, 3]) writeTiny(box.pictures, `${index}.png`, index);
    write({ type: 'category', name: 'sea' }, { ...one, file: '1.png', categories: ['sea'] });
    await box.ok('import', catalogue);
    write({ ...one, file: '2.png', nsfw: 'nsfw' });
    await box.ok('import', catalogue);
    assert.match(await box.ok('imports', 'revert', '2'), /the file was replaced, and the former one is gone/);
    write({ ...one, file: '2.png', categories: ['sea'] });
    await box.ok('import', catalogue);
    write({ ...one, file: '2.png' });
    await box.ok('import', catalogue);
    await box.ok('entry', 'category', 'sea', '--remove');
    assert.match(
      await box.ok('imports', 'revert', '4'),
      /a former artist, category or character was removed since/,
    );
    rmSync(catalogue);
    await box.ok('import', box.pictures);
    rmSync(join(box.pictures, '3.png'));
    await box.ok('import', '--prune', '--yes', box.pictures);
    assert.match(await box.ok('imports', 'revert', '6'), /1 image that it removed cannot be restored/);
  });
});
