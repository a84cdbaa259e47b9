// process: own
/** Imports that failed or were interrupted: the next attempt continues, and the result is that of one import. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs, { existsSync, mkdirSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { DAY_MS } from '../../src/lib/clock.ts';
import { OWNER_KEY } from '../../src/media/files.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { atDepth } from '../support/depth.ts';
import { setClockAhead } from '../support/later.ts';
import { geotagged } from '../support/pictures/geotagged.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { type Engine, forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore } from '../support/zukan/run-until.ts';
import { filesFolder } from '../support/zukan/service.ts';

/** Files that were just written are read again the next time. These tests are a minute late. */
setClockAhead();
const later = (ms = 60_000) => mock.timers.setTime(Date.now() + ms);

/** The pictures that were opened, and what happens then. */
const opened = new Set<string>();
let onOpen: (count: number) => void | Promise<void> = () => {};
const { open } = fs.promises;
fs.promises.open = async (path, ...rest) => {
  const [, name] = /\/pictures\/(.*\.(?:png|jpg))$/.exec(String(path)) ?? [];
  if (name !== undefined) await onOpen(opened.add(name).size);
  return open(path, ...rest);
};
syncBuiltinESMExports();
after(() => {
  Object.assign(fs.promises, { open });
  syncBuiltinESMExports();
});

function newFolder(engine?: Engine, settings: Record<string, string> = {}) {
  const box = openMaintained(engine);
  const environment = { ...box.environment, ...settings };
  const run = (...parameters: string[]) => runCommand(parameters, environment);
  /** Returns what an import of the folder prints, and the pictures that it read. */
  const importFolder = async (...flags: string[]) => {
    opened.clear();
    const { status, output, errors } = await run('import', '--quiet', ...flags, box.pictures);
    return { status, output, errors, read: [...opened].sort() };
  };
  const stored = () => storedIn(filesFolder(box.config));
  const assertClean = async () => {
    const { output, errors } = await run('check', '--quiet');
    assert.equal(output, 'no problems found\n', errors);
    assert.equal(errors, '');
  };
  return { ...box, environment, run, importFolder, stored, assertClean };
}

function storedIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.filter((name) => name !== OWNER_KEY && statSync(join(folder, name)).isFile()).sort();
}

/** The export, without what every import makes up. */
async function contents(environment: Record<string, string>): Promise<string> {
  const { output, errors } = await runCommand(['export'], environment);
  assert.equal(errors, '');
  const lines = output.split('\n').filter((line) => !/^\{"type":"(history|change)/.test(line));
  const ids = new Map<string, number>();
  return lines
    .join('\n')
    .replaceAll(/"createdAt":"[^"]*"/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
      ids.set(id, ids.get(id) ?? ids.size);
      return `id ${ids.get(id)}`;
    });
}

/** What an import that nothing interrupts makes of the folder. */
async function uninterrupted(source: string, engine?: Engine): Promise<string> {
  const { environment, run } = newFolder(engine);
  const { status, errors } = await run('import', '--quiet', source);
  assert.equal(status, 0, errors);
  return contents(environment);
}

/** Pictures in two folders. Some are copies, and have sidecars. */
function writePictures(folder: string, count: number): void {
  for (let index = 0; index < count; index++)
    writeTiny(folder, `${index % 2 ? 'cats' : 'dogs'}/${index}.png`, index);
  writeTiny(folder, 'cats/copy.png', 1);
  writeFileSync(join(folder, 'cats/1.json'), '{"artist":"Ann","nsfw":"nsfw"}');
}

const PICTURES = 6;

await forEachEngineInDepth(async (engine) => {
  const testOnce = testOnOneStore(engine);

  test('an import that failed because of a bad file continues when that is fixed', async () => {
    const { pictures, environment, importFolder, stored, assertClean } = newFolder(engine);
    writePictures(pictures, PICTURES);
    writeFileSync(join(pictures, 'bad.png'), 'text');
    writeFileSync(join(pictures, 'dogs/0.json'), '{');
    const failed = await importFolder('--strict');
    assert.equal(failed.status, 1);
    assert.match(
      failed.errors,
      /nothing was imported\n.*bad\.png: .*\n.*0\.png: .*\nfix these, or import the rest without --strict; the pictures /,
    );
    assert.equal(failed.read.length, PICTURES + 1);
    assert.equal(stored().filter((name) => name.endsWith('.png')).length, PICTURES - 1);
    await assertClean();
    writeTiny(pictures, 'bad.png', 99);
    unlinkSync(join(pictures, 'dogs/0.json'));
    later();
    const { status, errors, output, read } = await importFolder();
    assert.equal(status, 0, errors);
    assert.deepEqual(read, ['bad.png', 'dogs/0.png']);
    assert.match(output, new RegExp(`not read again, because they did not change: ${PICTURES} files`));
    assert.equal(await contents(environment), await uninterrupted(pictures, engine));
    assert.equal(stored().length, PICTURES + 1, 'nothing is left but pictures');
    await assertClean();
    assert.deepEqual((await importFolder()).read, []);
  });

  testOnce('an interrupted import continues', async () => {
    // More than are read at the same time.
    const MANY = 5 * availableParallelism();
    const { pictures, environment, importFolder, stored, assertClean } = newFolder(engine);
    writePictures(pictures, MANY);
    const before = new Set<string>();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      onOpen = (count) => void (count === 2 && process.emit(signal));
      const { status, errors, read } = await importFolder();
      onOpen = () => {};
      assert.equal(status, 1);
      assert.match(errors, /interrupted; nothing was imported; import again to continue/);
      for (const name of read) {
        assert.ok(!before.has(name), `${name} was read twice`);
        before.add(name);
      }
      await assertClean();
    }
    assert.ok(before.size > 2 && before.size <= MANY);
    const { status, read } = await importFolder();
    assert.equal(status, 0);
    assert.equal(read.length + before.size, MANY + 1);
    assert.equal(await contents(environment), await uninterrupted(pictures, engine));
    assert.equal(stored().length, MANY);
  });

  testOnce('reads a file again that changed, and removes what was stored of it', async () => {
    const { pictures, environment, importFolder, stored, assertClean } = newFolder(engine);
    writePictures(pictures, PICTURES);
    writeFileSync(join(pictures, 'bad.png'), 'text');
    await importFolder('--strict');
    writeTiny(pictures, 'cats/3.png', 50);
    unlinkSync(join(pictures, 'cats/5.png'));
    writeFileSync(join(pictures, 'dogs/4.txt'), 'a tag');
    unlinkSync(join(pictures, 'bad.png'));
    later();
    const { read } = await importFolder();
    assert.deepEqual(read, ['cats/3.png', 'dogs/4.png']);
    assert.equal(await contents(environment), await uninterrupted(pictures, engine));
    assert.equal(stored().length, PICTURES - 1);
    await assertClean();
  });

  testOnce('other commands leave the work of an import that failed', async () => {
    const { pictures, folder, run, importFolder, stored, assertClean } = newFolder(engine);
    const others = join(folder, 'others');
    writeTiny(others, '1.png', 1);
    writeTiny(others, '90.png', 90);
    assert.equal((await run('import', '--quiet', others)).status, 0);
    writePictures(pictures, PICTURES);
    writeFileSync(join(pictures, 'bad.png'), 'text');
    await importFolder('--strict');
    const [id = ''] = (await run('find')).output.split('\n');
    const commands = [
      ['edit', id, '--rating', 'nsfw'],
      ['entry', 'category', 'new', '--create'],
      ['check', '--repair', '--quiet'],
      ['thumbnails', '--quiet'],
      ['import', '--quiet', '--full', others],
      ['backup', '--quiet', join(folder, 'backup')],
      ['undo', '1'],
    ];
    for (const command of commands) {
      const { status, errors } = await run(...command);
      assert.equal(status, 0, `${command}: ${errors}`);
    }
    await assertClean();
    unlinkSync(join(pictures, 'bad.png'));
    const { status, read } = await importFolder();
    assert.equal(status, 0);
    assert.deepEqual(read, []);
    await assertClean();
    await run('trash', '--empty', '--yes');
    assert.equal(stored().length, PICTURES + 1, 'with the one that was edited');
  });

  test('a picture that is taken down meanwhile does not come back, and none of its bytes stay', async () => {
    const { pictures, folder, run, importFolder, stored, assertClean } = newFolder(engine);
    const others = join(folder, 'others');
    mkdirSync(others);
    const located = await geotagged('png', 7);
    writeFileSync(join(others, '7.png'), located);
    writeTiny(others, '1.png', 1);
    assert.equal((await run('import', '--quiet', others)).status, 0);
    // The attempt stores the picture with its location, which has other bytes.
    writeFileSync(join(pictures, '7.png'), located);
    for (const index of [1, 2]) writeTiny(pictures, `${index}.png`, index);
    writeFileSync(join(pictures, 'bad.png'), 'text');
    await importFolder('--keep-location', '--strict');
    const has = (bytes: Buffer) => stored().some((name) => name.includes(hash('sha256', bytes)));
    assert.ok(has(located) && has(tinyPicture(1)));
    for (const command of [
      ['remove', '--yes'],
      ['trash', '--empty', '--yes'],
    ]) {
      const ids = (await run('find')).output.split('\n').filter(Boolean);
      assert.equal((await run(...command, ...(command[0] === 'remove' ? ids : []))).status, 0);
    }
    assert.deepEqual(
      stored()
        .filter((name) => name.endsWith('.png'))
        .map((name) => name.slice(3, 67)),
      [hash('sha256', tinyPicture(2))],
    );
    unlinkSync(join(pictures, 'bad.png'));
    const { status, output, read } = await importFolder('--keep-location');
    assert.equal(status, 0);
    assert.match(output, /^1 added, 0 updated, 0 unchanged\n/);
    assert.match(output, /skipped \(removed; .*\n.*7\.png: .*\n.*1\.png: /);
    assert.deepEqual(read, ['1.png', '7.png'], 'what was stored of them is gone');
    assert.equal(stored().length, 1);
    await assertClean();
  });

  testOnce('what was kept is removed a week after the last attempt', async () => {
    const { pictures, run, importFolder, stored, assertClean } = newFolder(engine);
    writePictures(pictures, PICTURES);
    writeFileSync(join(pictures, 'bad.png'), 'text');
    await importFolder('--strict');
    later(6 * DAY_MS);
    assert.equal((await run('entry', 'category', 'a', '--create')).status, 0);
    assert.deepEqual((await importFolder('--strict')).read, ['bad.png']);
    later(8 * DAY_MS);
    assert.equal((await run('entry', 'category', 'b', '--create')).status, 0);
    assert.deepEqual(stored(), []);
    await assertClean();
    assert.equal((await importFolder()).read.length, PICTURES + 2);
    // The processes of other tests live now.
    later(-14 * DAY_MS);
  });
});

test('a list of prepared files that cannot be used never fails an import', async () => {
  const { pictures, config, importFolder, stored, assertClean, run } = newFolder();
  writePictures(pictures, PICTURES);
  writeFileSync(join(pictures, 'bad.png'), 'text');
  const list = join(filesFolder(config), '.prepared.db');
  await importFolder('--strict');
  assert.equal(statSync(list).mode & 0o777, 0o600, 'it is private');
  const damages = [
    () => writeFileSync(list, 'not a database'),
    () => writeFileSync(list, fs.readFileSync(list).fill('x', 5000)),
    () => {
      rmSync(list);
      mkdirSync(list);
    },
  ];
  for (const damage of damages) {
    damage();
    const { status, errors, read } = await importFolder('--strict');
    assert.match(errors, /^zukan: nothing was imported\n.*bad\.png/);
    assert.equal(status, 1);
    assert.equal(read.length, PICTURES + 2);
    assert.deepEqual((await importFolder('--strict')).read, ['bad.png']);
  }
  damages[0]?.();
  assert.equal((await run('check', '--repair', '--quiet')).status, 0, 'they are unused files now');
  assert.match((await importFolder()).errors, /^zukan: 1 invalid picture or record left out, see above\n$/);
  assert.equal(stored().length, PICTURES);
  await assertClean();
});

test('continues with files in a bucket', async () => {
  const s3 = await startS3();
  const { pictures, importFolder, assertClean } = newFolder(undefined, s3.environment());
  writePictures(pictures, 3);
  writeFileSync(join(pictures, 'bad.png'), 'text');
  await importFolder();
  await assertClean();
  unlinkSync(join(pictures, 'bad.png'));
  s3.requests.length = 0;
  const { status, errors, read } = await importFolder();
  assert.equal(status, 0, errors);
  assert.deepEqual(read, []);
  assert.deepEqual(
    s3.requests.filter((request) => /^PUT (?!.*\/\.catalogue$)/.test(request)),
    [],
  );
  await assertClean();
});

test('a killed import continues', async () => {
  const COUNT = 60;
  const { folder } = newFolder();
  const pictures = join(folder, 'pictures');
  writePictures(pictures, COUNT);
  const expected = await uninterrupted(pictures);
  const atCommit = atDepth([1], [1, 2, 3, 4, 5]).map((at) => ({ at, from: '^commit' }));
  const points = atDepth([], [1, 60, 150, 260, 340, 420]).map((at) => ({ at, from: '' }));
  for (const { at, from } of [...points, ...atCommit]) {
    const { environment, run, stored, assertClean } = newFolder();
    // So that the first commit is that of the import.
    await run('import', '--quiet', '-');
    const flags = [`--import=${join(import.meta.dirname, '../support/zukan/later.ts')}`];
    await killBefore(at, ['import', '--quiet', pictures], environment, { from, flags });
    const what = `killed before operation ${at} ${from}`;
    const { output } = await run('check', '--quiet');
    assert.match(output, /^(an interrupted command left files in the storage|no problems found)\n$/, what);
    if (at % 2) assert.equal((await run('check', '--repair', '--quiet')).status, 0, what);
    opened.clear();
    const { status, errors } = await run('import', '--quiet', pictures);
    assert.equal(status, 0, errors);
    if (from) assert.ok(opened.size < COUNT / 2, `${opened.size} were read again`);
    assert.equal(await contents(environment), expected, what);
    assert.equal(stored().length, COUNT, what);
    await assertClean();
  }
});
