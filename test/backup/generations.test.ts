/** Generations of a backup: each can be restored, they share pictures, and a damaged one does not harm the others. */
import assert from 'node:assert/strict';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Environment, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { testDeep } from '../support/depth.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore, traceCommand } from '../support/zukan/run-until.ts';

const { folder } = await makeCatalogue();
const target = (name: string): Environment => ({ DATA_DIR: join(folder, name), THUMBNAILS: 'off' });
const filesOf = (backup: string) => globSync('files/*/*', { cwd: backup });
const listsOf = (backup: string) => globSync('lists-*', { cwd: backup });

/** Three generations: of five images, four and three. Returns their times, oldest first, and exports. */
async function makeGenerations(name: string) {
  cpSync(join(folder, 'data'), join(folder, name), { recursive: true });
  const environment = target(name);
  const backup = join(folder, `${name} backup`);
  const generations: { time: string; exported: string }[] = [];
  for (const removed of [undefined, uuid(4, 1), uuid(4, 2)]) {
    if (removed) await succeed(['remove', '--yes', removed], environment);
    await succeed(['backup', '--quiet', '--keep', '3', backup], environment);
    const { createdAt } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
    generations.push({ time: createdAt, exported: (await succeed(['export'], environment)).output });
  }
  return { environment, backup, generations };
}

test('each generation can be verified and restored, and pictures are shared', async () => {
  const { environment, backup, generations } = await makeGenerations('each');
  assert.equal(listsOf(backup).length, 3);
  assert.equal(filesOf(backup).length, 4);
  for (const [index, { time, exported }] of generations.entries()) {
    assert.match(
      (await succeed(['restore', '--check', '--generation', time, backup], {})).output,
      new RegExp(`complete: ${5 - index} images and 2 tokens of ${time}\nolder generations:\n {2}`),
    );
    const restored = target(`each ${index}`);
    await succeed(['restore', '--quiet', '--generation', time, backup], restored);
    assert.equal((await succeed(['export'], restored)).output, exported);
  }
  const newest = target('each newest');
  await succeed(['restore', '--quiet', backup], newest);
  assert.equal((await succeed(['export'], newest)).output, generations[2]?.exported);
  const { status, errors } = await runCommand(['restore', '--generation', '1999', backup], target('none'));
  assert.equal(status, 1);
  assert.match(
    errors,
    new RegExp(`has no generation of 1999; it has ${generations[2]?.time}, ${generations[1]?.time}, `),
  );

  // Without the option, as many as before.
  const { output } = await succeed(['backup', '--quiet', backup], environment);
  assert.match(output, /\(0 new files, 1 removed\)\nthe folder has 3 generations\n$/);
  assert.equal(listsOf(backup).length, 3);
  assert.equal(filesOf(backup).length, 3, 'what no generation needs is removed');
  assert.match(
    (await succeed(['backup', '--quiet', '--keep', '1', backup], environment)).output,
    /1 removed\)\n$/,
  );
  assert.equal(listsOf(backup).length, 1);
  assert.equal(filesOf(backup).length, 2);
  assert.match(
    (await runCommand(['backup', '--keep', '0', backup], environment)).errors,
    /must be a whole number/,
  );
});

test('a damaged generation does not harm the others', async () => {
  const { environment, backup, generations } = await makeGenerations('damaged');
  const [newest, middle, oldest] = generations.map(({ time }) => time).reverse();
  const listOf = (time = '') =>
    listsOf(backup).find((name) => {
      const [manifest = ''] = globSync(`${name}/manifest.json`, { cwd: backup });
      return manifest && readFileSync(join(backup, manifest), 'utf8').includes(time);
    }) ?? '';
  const catalogue = join(backup, listOf(middle), 'catalogue.ndjson');
  writeFileSync(catalogue, `${readFileSync(catalogue, 'utf8')}\n{"type":`);
  writeFileSync(join(backup, listOf(oldest), 'manifest.json'), '{');
  const check = (time = '') => runCommand(['restore', '--check', '--generation', time, backup], {});
  assert.match((await check(middle)).errors, /catalogue\.ndjson: is damaged/);
  const complete = await check(newest);
  assert.equal(complete.status, 0);
  assert.match(complete.output, /\n {2}lists-.*, whose manifest is damaged\n/);
  await succeed(['backup', '--quiet', '--keep', '4', backup], environment);
  assert.equal(filesOf(backup).length, 4, 'nothing is removed that the damaged ones may need');
  assert.equal((await check(newest)).status, 0);
  // The one without a time goes first.
  await succeed(['backup', '--quiet', '--keep', '4', backup], environment);
  assert.equal(listsOf(backup).length, 4);
  assert.equal((await check(newest)).status, 0);
  rmSync(backup, { recursive: true });
});

testDeep('a backup that is killed at any moment leaves every generation', async () => {
  const { environment, backup, generations } = await makeGenerations('killed');
  const prepare = (name: string) => {
    cpSync(backup, join(folder, name), { recursive: true });
    return ['backup', '--quiet', '--keep', '4', join(folder, name)];
  };
  const { operations } = await traceCommand(prepare('whole'), environment);
  assert.equal(listsOf(join(folder, 'whole')).length, 4);
  for (let at = 1; at <= operations; at += 3) {
    const name = `killed at ${at}`;
    await killBefore(at, prepare(name), environment);
    for (const { time } of generations)
      await succeed(['restore', '--check', '--quiet', '--generation', time, join(folder, name)], {});
    await succeed(['backup', '--quiet', join(folder, name)], environment);
    for (const { time } of generations.slice(-1))
      await succeed(['restore', '--check', '--quiet', '--generation', time, join(folder, name)], {});
    assert.ok(listsOf(join(folder, name)).length <= 4, name);
    rmSync(join(folder, name), { recursive: true });
  }
});
