/** Everything that stores files works where Windows and exFAT are stricter than Linux; see `emulateWindows`. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { watchCommand } from '../../src/cli/importing/watch.ts';
import { loadLinkKeys } from '../../src/config/environment.ts';
import { OWNER_KEY } from '../../src/media/files.ts';
import { openFiles } from '../../src/server/engines.ts';
import { contentsOf, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, filesFolder, startService } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';
import { emulateWindows } from '../support/zukan/windows.ts';

const hidden = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('.') && name !== OWNER_KEY);

test('imports, edits, exports, backs up, restores and checks', async () => {
  using windows = emulateWindows();
  const { folder, environment } = await makeCatalogue();
  const [backup, restored] = [
    join(folder, 'backup'),
    { DATA_DIR: join(folder, 'restored'), THUMBNAILS: 'off' },
  ];
  await succeed(
    ['export', '--quiet', join(folder, 'export.ndjson'), '--files', join(folder, 'copies')],
    environment,
  );
  // An empty folder keeps the mode that only its owner can change.
  mkdirSync(backup);
  for (const _time of ['first', 'again'])
    await succeed(['backup', '--quiet', '--keep', '2', backup], environment);
  await succeed(['restore', '--quiet', backup], restored);
  assert.equal(await contentsOf(restored), await contentsOf(environment));
  for (const each of [environment, restored]) {
    assert.equal((await succeed(['check'], each)).output, 'no problems found\n');
    assert.deepEqual(hidden(join(each.DATA_DIR, 'files')), []);
  }
  for (const call of ['fsync', 'unlink', 'rename', 'link', 'chmod'])
    assert.ok(windows.failures.has(call), call);
});

test('continues an import that was interrupted, and removes what another one left', async () => {
  using _windows = emulateWindows();
  const [folder, pictures] = [temporaryFolder(), temporaryFolder()];
  const environment = { DATA_DIR: folder, THUMBNAILS: 'off' };
  writeTiny(pictures, '1.png', 1);
  const files = openFiles(configFor(folder, environment));
  const upload = await files.beginUpload();
  await upload.put('ab/unused.png', Buffer.from('bytes'), { hash: '', mimetype: 'image/png' });
  const picture = { path: join(pictures, '1.png'), fingerprint: 'former', hashes: [], facts: '' };
  files.staging.add(upload.id, [
    { source: 0, place: '', position: 0, records: '[]', picture: { ...picture, keys: ['ab/unused.png'] } },
  ]);
  await upload.abandon();
  await succeed(['import', '--quiet', pictures], environment);
  assert.deepEqual(hidden(join(folder, 'files')), []);
});

test('warns of a settings file that everybody can change, and of no other permissions', async () => {
  using _windows = emulateWindows();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'zukan.env'), `DATA_DIR=${folder}\nTHUMBNAILS=off\n`);
  const settings = join(folder, 'zukan.env');
  const { status, errors } = await runCommand(['import', '--quiet', '--settings', settings, '-'], {});
  assert.equal(status, 0, errors);
  assert.match(
    errors,
    /zukan\.env: every user of this machine can read and change it: its disk has no permissions/,
  );
  assert.equal(readdirSync(folder).filter((name) => name.startsWith('.zukan-')).length, 0);
});

test('waits for the key that another process is writing', async () => {
  using _windows = emulateWindows();
  const folder = temporaryFolder();
  const path = join(folder, 'link.keys');
  writeFileSync(path, '');
  const loaded = loadLinkKeys(folder);
  writeFileSync(path, `${'k'.repeat(43)}\n`);
  assert.deepEqual(await loaded, ['k'.repeat(43)]);
});

test('serves, fills the catalogue with the demo, and opens the studio', async () => {
  using _windows = emulateWindows();
  const config = await restoreDemo();
  const service = await startService(config);
  assert.equal((await service.get('/api/image/random')).status, 200);
  const studio = await openStudio(config);
  await studio.change('/change/entry/create', { kind: 'category', name: 'cats' });
  await studio.close();
});

test('watches a folder', async () => {
  using _windows = emulateWindows();
  const pictures = temporaryFolder();
  writeTiny(pictures, '1.png', 1);
  let text = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const scans = ['one', 'two'];
  const wait = async () => {
    if (scans.pop() === undefined) process.emit('SIGINT');
  };
  const terminal = { stdin: Readable.from([]), stdout, stderr: stdout };
  await watchCommand(configFor(temporaryFolder()), [pictures], {}, terminal, {
    clock: Date.now,
    steadyClock: Date.now,
    wait,
    watch: () => undefined,
  });
  assert.match(text, /1 added/);
});

test('an export has no names that Windows reserves', async () => {
  const { folder, config, environment, ...box } = sandbox();
  const key = 'some/CON.a:b.png';
  writeTiny(filesFolder(config), key, 7);
  const { meta, ...record } = keyed(7) as { meta: object };
  await box.import([{ ...record, key, meta: { ...meta, size: tinyPicture(7).length } }]);
  await succeed(
    ['export', '--quiet', join(folder, 'all.ndjson'), '--files', join(folder, 'copies')],
    environment,
  );
  assert.deepEqual(readdirSync(join(folder, 'copies/some')), ['%43ON.a%3Ab.png']);
  assert.match(readFileSync(join(folder, 'all.ndjson'), 'utf8'), /"file":"copies\/some\/%43ON\.a%3Ab\.png"/);
  await succeed(['import', '--quiet', join(folder, 'all.ndjson')], { DATA_DIR: join(folder, 'other') });
});
