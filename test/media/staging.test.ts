/** The staging table of imports. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { StagedRecords, Upload } from '../../src/media/files.ts';
import { openFolder } from '../../src/media/local.ts';
import { openStaging, Staging } from '../../src/media/staging.ts';
import { temporaryFolder } from '../support/workspace.ts';

const { TMPDIR } = process.env;
process.env.TMPDIR = temporaryFolder();
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

/** Characters that some readers take for the end of a line. */
const text = (index: number) => `${index}\n\r\u2028\u0085"${'x'.repeat(4000)}`;
const picture = (index: number, path = `/pictures/${index}.png`) => ({
  path,
  fingerprint: `as it was ${index}`,
  keys: [`ab/${index}.png`, `thumbnails/ab/${index}.png/100.webp`],
  hashes: [`hash ${index}`],
  facts: text(index),
});
const row = (index: number, staged?: StagedRecords['picture']): StagedRecords => ({
  source: 0,
  position: index,
  place: '',
  records: text(index),
  picture: staged,
});
const all = async (staging: Staging) => await Array.fromAsync(staging.rows());

async function begin(folder: string): Promise<{ upload: Upload; staging: Staging }> {
  const files = openFolder(folder);
  const upload = await files.beginUpload();
  return { upload, staging: new Staging(upload, files.staging, true) };
}

for (const [where, count] of [
  ['memory', 10],
  ['a temporary file', 1500],
] as const)
  test(`a dry run gets what was added, in order, from ${where}`, async () => {
    const staging = new Staging(openFolder('').dryRunUpload(), openStaging('', Date.now), false);
    assert.ok(staging.isEmpty);
    const rows = Array.from({ length: count }, (_, index) =>
      row(index, index % 2 ? picture(index) : undefined),
    );
    for (const each of rows.toReversed()) await staging.add(each);
    assert.ok(!staging.isEmpty);
    assert.deepEqual(readdirSync(tmpdir()), [], 'a killed process would leave nothing');
    for (let round = 0; round < 2; round++) {
      const found = await all(staging);
      assert.deepEqual(
        found.map(({ position, records }) => [position, records]),
        rows.map(({ position, records }) => [position, records]),
      );
    }
  });

for (const count of [5, 60])
  test(`rows are in the order of their places, and copies follow the first of them: ${count} rows`, async () => {
    const folder = temporaryFolder();
    const { upload, staging } = await begin(folder);
    const placeOf = (index: number) => String((count - index) % 4);
    // Two after each other are copies, the second one without a location.
    const hashOf = (index: number) => `hash ${index - (index % 2)}`;
    const firstOf = (index: number) =>
      [index - (index % 2), index - (index % 2) + 1]
        .filter((one) => one < count)
        .map(placeOf)
        .sort()[0] ?? '';
    const indices = Array.from({ length: count }, (_, index) => index);
    for (const index of indices) {
      const hashes = index % 2 ? [hashOf(index)] : [`located ${index}`, hashOf(index)];
      await staging.add({ ...row(index, { ...picture(index), hashes }), place: placeOf(index) });
    }
    const expected = indices.toSorted((a, b) => Number(firstOf(a)) - Number(firstOf(b)) || a - b);
    assert.deepEqual(
      (await all(staging)).map(({ position }) => position),
      expected,
    );
    await upload.finish();
  });

test('several imports at once get what each of them added, and the file goes with the last row', async () => {
  const folder = temporaryFolder();
  const [one, other] = [await begin(folder), await begin(folder)];
  const table = join(folder, '.prepared.db');
  for (let index = 0; index < 60; index++) {
    await one.staging.add(row(index, picture(index)));
    await other.staging.add({ ...row(index, picture(index)), records: 'other' });
  }
  assert.equal(statSync(table).mode & 0o777, 0o600, 'it is private');
  // Another command finds that both still run.
  await openFolder(folder).findLeftovers();
  assert.deepEqual(
    (await all(one.staging)).map(({ records }) => records),
    Array.from({ length: 60 }, (_, index) => text(index)),
  );
  await one.upload.finish();
  one.staging.finish(['/pictures']);
  assert.equal((await all(other.staging)).length, 60);
  other.staging.finish(['/pictures']);
  await other.upload.finish();
  assert.ok(!existsSync(table));
});

test('removing the file of a picture takes no record from an import that runs', async () => {
  const folder = temporaryFolder();
  const { upload, staging } = await begin(folder);
  for (let index = 0; index < 50; index++) await staging.add(row(index, picture(index)));
  const files = openFolder(folder);
  assert.deepEqual(files.staging.keysOf(['hash 7']), picture(7).keys);
  await files.remove(picture(7).keys);
  assert.deepEqual(files.staging.keysOf(['hash 7']), []);
  const [, found] = (await all(staging)).filter(({ position }) => position === 7 || position === 6);
  assert.equal(found?.records, text(7));
  assert.equal(found?.picture?.facts, text(7));
  await upload.finish();
});

test('an import notices that something of what it read is lost', async () => {
  const folder = temporaryFolder();
  const { upload, staging } = await begin(folder);
  for (let index = 0; index < 50; index++) await staging.add(row(index, picture(index)));
  writeFileSync(join(folder, '.prepared.db'), 'not a database');
  openFolder(folder).staging.find([]);
  await assert.rejects(all(staging), /some of what was read is lost; import again/);
  await upload.finish();
});

test('rows are added again if another process removes the file meanwhile', async () => {
  const folder = temporaryFolder();
  const { upload, staging } = await begin(folder);
  const { exec } = DatabaseSync.prototype;
  let removals = 0;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === 'begin immediate' && removals++ === 0) rmSync(join(folder, '.prepared.db'));
    return exec.call(this, sql);
  };
  for (let index = 0; index < 50; index++) await staging.add(row(index, picture(index)));
  DatabaseSync.prototype.exec = exec;
  assert.equal(removals, 2);
  assert.equal((await all(staging)).length, 50);
  await upload.finish();
});

type Step =
  | [kind: 'add', index: number]
  | [kind: 'fail' | 'commit' | 'kill']
  | [kind: 'remove', index: number];

test('what ended imports leave is that of a model, and only of pictures', async () => {
  const index = fc.nat(8);
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), index) },
    fc.tuple(fc.constant('remove' as const), index),
    fc.constantFrom<Step>(['fail'], ['commit'], ['kill']),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const folder = temporaryFolder();
      const files = openFolder(folder);
      let attempt = await begin(folder);
      /** The pictures that the next attempt must find. */
      let kept = new Set<number>();
      let added = new Set<number>();
      let position = 0;
      for (const [kind, number = 0] of steps) {
        if (kind === 'add') {
          if (added.has(number)) continue;
          await attempt.staging.add(row(position++, picture(number)));
          await attempt.staging.add(row(position++));
          added.add(number);
          continue;
        }
        if (kind === 'remove') {
          await files.remove(picture(number).keys);
          kept.delete(number);
          continue;
        }
        assert.equal((await all(attempt.staging)).length, position);
        if (kind === 'commit') attempt.staging.finish(['/pictures']);
        if (kind === 'fail') await attempt.staging.fail(true);
        await attempt.upload.abandon();
        // What was in memory only is lost with a killed process.
        if (kind === 'fail') kept = kept.union(added);
        if (kind === 'commit') kept = new Set();
        const leftovers = await files.findLeftovers();
        assert.deepEqual(leftovers.problems, []);
        [added, position] = [new Set(), 0];
        const names = Array.from({ length: 9 }, (_, index) => index);
        const found = files.staging.find(names.map((index) => picture(index).path));
        assert.deepEqual(
          new Set(found.map(({ path }) => path)),
          new Set([...kept].map((index) => picture(index).path)),
        );
        assert.equal(found.length, kept.size, 'each once');
        const keys = files.staging.listed(names.flatMap((index) => picture(index).keys));
        assert.deepEqual(keys, new Set([...kept].flatMap((index) => picture(index).keys)));
        assert.deepEqual(files.staging.running(), []);
        assert.equal(existsSync(join(folder, '.prepared.db')), kept.size > 0);
        attempt = await begin(folder);
      }
      await attempt.upload.finish();
    }),
    { numRuns: 30 },
  );
});
