/** Backups keep the change log and the trash: what could be undone or restored before, can be afterwards. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentsOf, type Environment, lines, succeed } from '../support/catalogues/backup.ts';
import { historyOf, image, makeHistory, moveToTrash } from '../support/catalogues/history.ts';
import { testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, sqlite, testOnOneStore } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { account } from '../support/servers/s3-guard.ts';
import { runCommand } from '../support/zukan/program.ts';

async function idsOf(environment: Environment): Promise<string[]> {
  const { output } = await succeed(['find'], environment);
  return output.split('\n').filter(Boolean).sort();
}

const images = (...indexes: number[]) => indexes.map(image);

await forEachEngineInDepth((engine) => {
  testOnOneStore(engine)('a restored catalogue has the same history, and undoes the same', async () => {
    const { folder, environment } = await makeHistory(engine.environment());
    const backup = join(folder, 'backup');
    const restored = { ...environment, ...engine.environment(), DATA_DIR: join(folder, 'restored') };
    await succeed(['backup', '--quiet', backup], environment);
    await succeed(['restore', '--check', '--quiet', backup], {});
    await succeed(['restore', '--quiet', backup], restored);
    const both = [environment, restored];
    const compare = async () => {
      assert.deepEqual(await historyOf(restored), await historyOf(environment));
      assert.equal(await contentsOf(restored), await contentsOf(environment));
      for (const each of both) await succeed(['check', '--quiet'], each);
      return idsOf(restored);
    };
    assert.deepEqual(await compare(), images(1, 3, 4, 5, 7, 8));
    const commands: [string[], string[]][] = [
      [['trash', '--restore', image(6)], images(1, 3, 4, 5, 6, 7, 8)],
      [['undo', '7'], images(1, 3, 4, 5, 6, 7, 8)],
      // It added 1 to 4.
      [['undo', '1'], images(5, 6, 7, 8)],
      // The undo of change 3.
      [['undo', '6'], images(5, 6, 7, 8, 9, 10)],
      [['undo', '2'], images(6, 9, 10)],
    ];
    for (const [command, left] of commands) {
      const [before, after] = [await runCommand(command, environment), await runCommand(command, restored)];
      assert.deepEqual(after, before);
      assert.equal(after.status, 0, after.errors);
      // Changes have the time at which they were made.
      assert.deepEqual(await idsOf(environment), left, command.join(' '));
      assert.deepEqual(await idsOf(restored), left, command.join(' '));
    }
    assert.equal(await contentsOf(restored), await contentsOf(environment));
    for (const each of both) await succeed(['check', '--quiet'], each);
  });

  testOnOneStore(engine)('a backup after a take-down has nothing of the picture', async () => {
    const { folder, environment } = await makeHistory(engine.environment());
    const backup = join(folder, 'backup');
    await succeed(['backup', '--quiet', backup], environment);
    const files = () => globSync('files/*/*', { cwd: backup }).length;
    const listed = () =>
      globSync(join(backup, 'lists-*/*.ndjson'))
        .map((path) => readFileSync(path, 'utf8'))
        .join('');
    assert.equal(files(), 9);
    for (const address of ['org/6', 'org/7', 'org/new']) assert.ok(listed().includes(address), address);
    // One in the trash, and one that was edited.
    await succeed(['remove', '--yes', image(6), image(7)], environment);
    await succeed(['backup', '--quiet', backup], environment);
    assert.equal(files(), 7);
    for (const address of ['org/2', 'org/6', 'org/7', 'org/new'])
      assert.ok(!listed().includes(address), address);
    assert.ok(listed().includes('"kind":"taken-down"'));
  });
});

testDeep('the trash moves to a bucket: an image and a former file come back', async () => {
  const { folder, environment } = await makeHistory(sqlite.environment());
  const record = { type: 'image', id: image(8), file: '11.png', nsfw: 'sfw' };
  writeTiny(folder, '11.png', 11);
  writeFileSync(join(folder, 'replace.ndjson'), lines([record]));
  await succeed(['import', '--quiet', join(folder, 'replace.ndjson')], environment);
  const s3 = await startS3();
  const { bucket, endpoint, region } = s3.location;
  const there = {
    ...environment,
    DATA_DIR: join(folder, 'there'),
    FILES_URL: `s3://${bucket}/?endpoint=${endpoint}&region=${region}`,
    AWS_ACCESS_KEY_ID: account.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
  };
  await succeed(['backup', '--quiet', join(folder, 'backup')], environment);
  await succeed(['restore', '--quiet', join(folder, 'backup')], there);
  await succeed(['check', '--quiet'], there);
  for (const each of [environment, there]) {
    await succeed(['undo', '9'], each);
    await succeed(['trash', '--restore', image(6)], each);
  }
  assert.equal(await contentsOf(there), await contentsOf(environment));
  await succeed(['check', '--quiet'], there);
});

test('an emptied catalogue with a history is not empty', async () => {
  const { folder, environment } = await makeHistory(sqlite.environment());
  const target = { ...environment, DATA_DIR: join(folder, 'target') };
  await succeed(['backup', '--quiet', join(folder, 'backup')], environment);
  await succeed(['import', '--quiet', '-'], target, '{"type":"category","name":"x"}\n');
  await succeed(['undo', '1'], target);
  const { status, errors } = await runCommand(['restore', '--quiet', join(folder, 'backup')], target);
  assert.equal(status, 1);
  assert.match(errors, /the catalogue is not empty/);
});

testDeep('what the trash has without a file is left out', async () => {
  const { folder, environment } = await makeHistory(sqlite.environment());
  const backup = join(folder, 'backup');
  const target = { ...environment, DATA_DIR: join(folder, 'target') };
  const before = globSync('files/*/*', { cwd: environment.DATA_DIR ?? '' });
  await moveToTrash(environment, [image(3)]);
  await succeed(['backup', '--quiet', backup], environment);
  const { trash } = (await historyOf(environment)) as { trash: { id: string; key: string }[] };
  const lost = trash.find(({ id }) => id === image(3))?.key ?? '';
  assert.ok(before.includes(`files/${lost}`));
  rmSync(join(folder, 'data/files', lost));
  rmSync(backup, { recursive: true });
  await succeed(['backup', '--quiet', backup], environment);
  await succeed(['restore', '--quiet', backup], target);
  await succeed(['undo', '1'], target);
  assert.deepEqual(await idsOf(target), images(5, 7, 8));
});
