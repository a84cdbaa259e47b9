/** A backup that is restored, into any store and storage, gives the same catalogue, history, tokens and links. */
import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentsOf, type Environment, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { historyOf, image, makeHistory } from '../support/catalogues/history.ts';
import { toLines } from '../support/catalogues/lines.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import {
  environmentOf,
  forEachEngine,
  forEachEngineInDepth,
  sqlite,
  tamper,
  testOnOneStore,
} from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { importKnownCatalogue, startService } from '../support/zukan/service.ts';

const { folder, environment: source } = await makeCatalogue();
const s3 = await startS3();
const target = (name: string): Environment => ({ DATA_DIR: join(folder, name), THUMBNAILS: 'off' });

await forEachEngineInDepth((engine) => {
  const name = engine.name;

  test('folder → bucket → folder: exports, tokens and keys are equal', async () => {
    const backups = [join(folder, `${name} 1`), join(folder, `${name} 2`)] as const;
    const there: Environment = {
      ...target(`there ${name}`),
      ...engine.environment(),
      ...s3.environment(`${name}/`),
    };
    const back = { ...target(`back ${name}`), ...engine.environment() };
    await succeed(['backup', '--quiet', backups[0]], source);
    assert.match(
      (await succeed(['restore', '--quiet', backups[0]], there)).output,
      /^restored 5 images and \d tokens of /,
    );
    await succeed(['backup', '--quiet', backups[1]], there);
    await succeed(['restore', '--quiet', backups[1]], back);
    const expected = await contentsOf(source);
    for (const part of [
      '"type":"blocked"',
      '"type":"removed"',
      '"aliases":["catgirl"]',
      '"edited":["rating"]',
      ...['"licence":"CC0 1.0","credit":"Abe"', '"alt":"one\\ntwo"', '"licence":"Ours=https://a.test/"'],
      ...['"title":"One"', '"description":"The first."', '"takenAt":"2024-02-03T04:05:06"'],
      '"revokedAt":"',
    ])
      assert.ok(expected.includes(part), part);
    assert.equal(await contentsOf(there), expected);
    assert.equal(await contentsOf(back), expected);
    for (const environment of [there, back])
      assert.deepEqual(await historyOf(environment), await historyOf(source));
    assert.equal((await succeed(['export'], back)).output, (await succeed(['export'], source)).output);
    for (const environment of [there, back]) await succeed(['check', '--quiet'], environment);
  });
});

test('restore needs an empty catalogue, and changes nothing in one that is not', async () => {
  const backup = join(folder, 'not empty');
  await succeed(['backup', '--quiet', backup], source);
  for (const [index, record] of [
    { type: 'category', name: 'x' },
    { type: 'blocked', kind: 'artist', name: 'x' },
    { type: 'removed', hash: 'x', image: uuid(4, 1) },
  ].entries()) {
    const environment = target(`not empty ${index}`);
    await succeed(['import', '--quiet', '-'], environment, toLines([record]));
    const before = (await succeed(['export'], environment)).output;
    const { status, errors } = await runCommand(['restore', '--quiet', backup], environment);
    assert.equal(status, 1);
    assert.match(errors, /cannot restore .*not empty: the catalogue is not empty; restore into a new one/);
    assert.equal((await succeed(['export'], environment)).output, before);
    assert.deepEqual(globSync('files/**/*.png', { cwd: environment.DATA_DIR ?? '' }), []);
  }
});

test('keys of the target stay valid, behind those of the backup', async () => {
  const backup = join(folder, 'keys');
  await succeed(['backup', '--quiet', backup], source);
  const environment = target('other keys');
  const path = join(folder, 'other keys/link.keys');
  mkdirSync(join(folder, 'other keys'));
  writeFileSync(path, `${'c'.repeat(32)}\n`);
  const { output } = await succeed(['restore', '--quiet', backup], environment);
  assert.match(output, /restart running servers/);
  assert.deepEqual(
    readFileSync(path, 'utf8').trim().split('\n'),
    ['a', 'b', 'c'].map((key) => key.repeat(32)),
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const configured = { ...target('configured keys'), LINK_KEYS: 'd'.repeat(32), THUMBNAILS: '16' };
  const restored = await succeed(['restore', '--quiet', backup], configured);
  assert.match(restored.output, /LINK_KEYS lacks keys of the backup/);
  assert.match(restored.output, /run "zukan thumbnails"/);
  // Keys of the environment are backed up as well.
  await succeed(['backup', '--quiet', join(folder, 'configured')], configured);
  assert.equal(
    readFileSync(globSync(join(folder, 'configured/lists-*/link.keys'))[0] as string, 'utf8'),
    `${'d'.repeat(32)}\n`,
  );
});

test('bytes that changed behind a foreign key are backed up anew', async () => {
  const backup = join(folder, 'changed');
  await succeed(['backup', '--quiet', backup], source);
  const path = join(folder, 'data/files/some/7.png');
  chmodSync(path, 0o600);
  writeFileSync(path, tinyPicture(8));
  assert.match((await succeed(['backup', '--quiet', backup], source)).output, /\(1 new file, 1 removed\)/);
  const environment = target('changed restored');
  await succeed(['restore', '--quiet', backup], environment);
  assert.ok(readFileSync(join(folder, 'changed restored/files/some/7.png')).equals(tinyPicture(8)));
  writeFileSync(path, tinyPicture(7));
});

// Backups keep the change log and the trash: what could be undone or restored before, can be afterwards.

await forEachEngineInDepth((engine) => {
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

// The last backup is known to the server, and recording it is no change of the catalogue.

await forEachEngine((engine) => {
  test('a backup that succeeded is a metric, and changes nothing that is cached', async () => {
    const folder = temporaryFolder();
    const config = await importKnownCatalogue({ engine }, folder);
    const backup = join(folder, 'backup');
    let now = Date.now();
    // Each health check may ask again.
    const service = await startService(config, { clock: () => (now += 1000) });
    const readMetrics = async () => (await service.get('/metrics')).text;
    const { ETag, ...revision } = await service
      .get('/api/stats')
      .then(({ headers }) => ({ ETag: headers.etag ?? '', modified: headers['last-modified'] }));
    const samples = /^zukan_backup_(?:timestamp_seconds|bytes) (\S+)$/gm;
    assert.doesNotMatch(await readMetrics(), samples);

    const { status, errors } = await runCommand(['backup', '--quiet', backup], environmentOf(config));
    assert.deepEqual([status, errors], [0, '']);
    const { createdAt } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
    const files = globSync(['files/*/*', 'lists-*/*'], { cwd: backup });
    const bytes = files.reduce((sum, name) => sum + statSync(join(backup, name)).size, 0);
    const found = Array.from((await readMetrics()).matchAll(samples), ([, value]) => Number(value));
    assert.deepEqual(found, [Date.parse(createdAt) / 1000, bytes]);
    const again = await service.get('/api/stats', { 'If-None-Match': ETag });
    assert.deepEqual([again.status, again.headers['last-modified']], [304, revision.modified]);

    // One that failed is none.
    tamper(config, "update image set key = 'gone.png' where number = 1");
    assert.equal((await runCommand(['backup', '--quiet', backup], environmentOf(config))).status, 1);
    const after = Array.from((await readMetrics()).matchAll(samples), ([, value]) => Number(value));
    assert.deepEqual(after, found);
  });
});
