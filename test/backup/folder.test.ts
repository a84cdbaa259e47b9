/** The folder of a backup: incremental, private, complete at every moment, safe from everything else, and its generations. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { writeBackup } from '../../src/backup/write.ts';
import type { Files } from '../../src/media/files.ts';
import { openFiles, openSnapshot } from '../../src/server/engines.ts';
import { type Environment, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { writeLines } from '../support/catalogues/lines.ts';
import { testDeep } from '../support/depth.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore, traceCommand } from '../support/zukan/run-until.ts';
import { configFor } from '../support/zukan/service.ts';

const { folder, environment: source } = await makeCatalogue();
const mode = (path: string) => statSync(path).mode & 0o777;
const filesOf = (backup: string) => globSync('files/*/*', { cwd: backup }).sort();
const target = (name: string): Environment => ({ DATA_DIR: join(folder, name), THUMBNAILS: 'off' });

test('a second backup adds only what is new, and removes what is gone', async () => {
  const backup = join(folder, 'incremental');
  const data = join(folder, 'changing');
  cpSync(join(folder, 'data'), data, { recursive: true });
  const environment = target('changing');
  const first = await succeed(['backup', '--quiet', backup], environment);
  assert.match(
    first.output,
    /^backed up 5 images and 2 tokens to .*incremental \(4 new files, 0 removed\)\n$/,
  );
  const [name = ''] = filesOf(backup);
  const inode = statSync(join(backup, name)).ino;
  assert.match(
    (await succeed(['backup', '--quiet', backup], environment)).output,
    /\(0 new files, 0 removed\)/,
  );
  assert.equal(statSync(join(backup, name)).ino, inode);
  await succeed(['remove', '--yes', uuid(4, 1)], environment);
  assert.match(
    (await succeed(['backup', '--quiet', backup], environment)).output,
    /\(0 new files, 1 removed\)/,
  );
  assert.deepEqual(
    readdirSync(backup)
      .map((name) => name.replace(/^lists-.*/, 'lists'))
      .sort(),
    ['.lock', 'files', 'lists', 'manifest.json'],
  );
  assert.match(
    (await succeed(['restore', '--check', backup], {})).output,
    /the backup is complete: 4 images and 2 tokens of 20/,
  );
});

test('files that imports stored are hard links, others are copies', async () => {
  const backup = join(folder, 'linked');
  await succeed(['backup', '--quiet', backup], source);
  const inodes = new Set(globSync(join(folder, 'data/files/**/*.png')).map((path) => statSync(path).ino));
  const [shared, own] = [true, false].map((isShared) =>
    filesOf(backup).filter((name) => inodes.has(statSync(join(backup, name)).ino) === isShared),
  );
  assert.equal(shared?.length, 3);
  assert.equal(own?.length, 1);
});

test('only the owner can read it', async () => {
  const backup = join(folder, 'private');
  mkdirSync(backup, { mode: 0o755 });
  await succeed(['backup', '--quiet', backup], source);
  const paths = readdirSync(backup, { recursive: true }).map(String);
  assert.ok(filesOf(backup).length > 0);
  for (const path of ['', ...paths]) {
    const isFolder = statSync(join(backup, path)).isDirectory();
    assert.equal(mode(join(backup, path)), isFolder ? 0o700 : 0o600, path);
  }
  // Whoever changes it means it.
  chmodSync(backup, 0o750);
  await succeed(['backup', '--quiet', backup], source);
  assert.equal(mode(backup), 0o750);
});

test('refuses a folder with something else in it, and one inside the image files', async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'thesis.txt'), 'important');
  const refused = await runCommand(['backup', '--quiet', other], source);
  assert.equal(refused.status, 1);
  assert.match(refused.errors, /other is neither empty nor a backup; choose another folder/);
  assert.deepEqual(readdirSync(other), ['thesis.txt']);
  symlinkSync(join(folder, 'data/files'), join(folder, 'another name'));
  for (const path of ['data/files/backup', 'another name/backup/of/today'])
    assert.match(
      (await runCommand(['backup', '--quiet', join(folder, path)], source)).errors,
      /inside the folder of the image files/,
    );
  writeFileSync(join(folder, 'a file'), '');
  const file = await runCommand(['backup', '--quiet', join(folder, 'a file')], source);
  assert.match(file.errors, /^zukan: cannot back up to .*a file: /);
});

test('refuses links in the folder, which may lead to somebody else’s files', async () => {
  const precious = join(folder, 'precious');
  mkdirSync(join(precious, 'ab'), { recursive: true });
  writeFileSync(join(precious, 'ab/thesis.txt'), 'important');
  for (const name of ['files', '.lock']) {
    const backup = join(folder, `trap ${name}`);
    await succeed(['backup', '--quiet', backup], source);
    rmSync(join(backup, name), { recursive: true });
    symlinkSync(precious, join(backup, name));
    const { status, errors } = await runCommand(['backup', '--quiet', backup], source);
    assert.equal(status, 1);
    assert.match(errors, new RegExp(`${name} is a link; choose another folder`));
    assert.deepEqual(globSync('**/*', { cwd: precious }), ['ab', 'ab/thesis.txt']);
  }
});

test('does not wait for what is not a file', { skip: process.platform === 'win32' }, async () => {
  for (const name of ['manifest.json', '.lock']) {
    const backup = join(folder, `pipe ${name}`);
    mkdirSync(backup);
    execFileSync('mkfifo', [join(backup, name)]);
    const { status, errors } = await runCommand(['backup', '--quiet', backup], source);
    assert.equal(status, 1);
    assert.match(errors, new RegExp(`${name} is not a file; choose another folder`));
  }
  const large = join(folder, 'large');
  await succeed(['backup', '--quiet', large], source);
  truncateSync(join(large, 'manifest.json'), 2 ** 32);
  assert.match((await runCommand(['backup', '--quiet', large], source)).errors, /is larger than 1 MiB/);
});

test('removes only files that a backup may have written', async () => {
  const backup = join(folder, 'with strangers');
  await succeed(['backup', '--quiet', backup], source);
  const strangers = ['files/notes/thesis.txt', 'files/ab/thesis.txt', 'files/ab/cd/thesis.txt'];
  for (const path of strangers) {
    mkdirSync(dirname(join(backup, path)), { recursive: true });
    writeFileSync(join(backup, path), 'important');
  }
  writeFileSync(join(backup, `files/ab/ab${'0'.repeat(62)}.png`), 'of a former backup');
  assert.match((await succeed(['backup', '--quiet', backup], source)).output, /\(0 new files, 1 removed\)/);
  for (const path of strangers) assert.ok(existsSync(join(backup, path)), path);
  mkdirSync(join(backup, 'lists-of-friends'));
  assert.match(
    (await runCommand(['backup', '--quiet', backup], source)).errors,
    /neither empty nor a backup/,
  );
});

test('copies a picture that was moved to another disk and linked from there', async () => {
  const environment = target('linked away');
  cpSync(join(folder, 'data'), environment.DATA_DIR as string, { recursive: true });
  const [picture = ''] = globSync(join(folder, 'linked away/files/??/*.png'));
  const elsewhere = join(folder, 'elsewhere.png');
  renameSync(picture, elsewhere);
  symlinkSync(elsewhere, picture);
  const backup = join(folder, 'of links');
  await succeed(['backup', '--quiet', backup], environment);
  await succeed(['restore', '--check', '--quiet', backup], {});
  // So does a backup that an earlier version made.
  const copy = join(backup, 'files', picture.slice(-71));
  rmSync(copy);
  symlinkSync(elsewhere, copy);
  await succeed(['backup', '--quiet', backup], environment);
  await succeed(['restore', '--check', '--quiet', backup], {});
});

test('one backup at a time writes to a folder', async () => {
  const backup = join(folder, 'locked');
  const config = configFor(folder, source);
  const files = openFiles(config);
  const meanwhile: Files = {
    ...files,
    async open(key) {
      const { errors } = await runCommand(['backup', '--quiet', backup], source);
      assert.match(errors, /another backup is writing to .*locked; wait until it has finished/);
      return files.open(key);
    },
  };
  await writeBackup(backup, { ...optionsFor(source), files: meanwhile });
  await succeed(['backup', '--quiet', backup], source);
});

test('a file that the storage cannot read ends the backup, unless it is gone by then', async () => {
  const { link, ...files } = openFiles(configFor(folder, source));
  const backUp = (open: Files['open']) =>
    writeBackup(join(folder, 'unreadable'), { ...optionsFor(source), files: { ...files, open } });
  const openFailing: Files['open'] = async (key) => {
    const file = await files.open(key);
    return file && { ...file, stream: () => file.stream(0, 0).destroy(new Error('the disk failed')) };
  };
  await assert.rejects(backUp(openFailing), /the disk failed$/);
  const opened = new Set<string>();
  const openOnce: Files['open'] = async (key) => {
    if (opened.has(key)) return undefined;
    opened.add(key);
    return openFailing(key);
  };
  await assert.rejects(backUp(openOnce), /the file \S+ is missing; "zukan check" lists all problems$/);
});

function optionsFor(environment: Environment) {
  const config = configFor(folder, environment);
  return {
    catalogue: undefined,
    isConfirmed: false,
    openSnapshot: () => openSnapshot(config),
    files: openFiles(config),
    tokens: [],
    linkKeys: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    onImage() {},
    signal: new AbortController().signal,
  };
}

await forEachEngineInDepth((engine) => {
  test('is consistent while pictures are removed and replaced', async () => {
    const first = join(folder, `before ${engine.name}`);
    const environment = { ...target(`meanwhile ${engine.name}`), ...engine.environment() };
    await succeed(['backup', '--quiet', first], source);
    await succeed(['restore', '--quiet', first], environment);
    const files = openFiles(configFor(folder, environment));
    let hasChanged = false;
    /** Changes the catalogue after the snapshot was taken, before the first file is read. */
    const change = async () => {
      if (hasChanged) return;
      hasChanged = true;
      await succeed(['remove', '--yes', uuid(4, 1)], environment);
      const record = { type: 'image', id: uuid(4, 2), file: 'pictures/4.png', nsfw: 'sfw', artist: 'new' };
      writeLines(folder, 'replace.ndjson', [{ type: 'artist', name: 'new' }, record]);
      await succeed(['remove', '--yes', '--allow-again', uuid(4, 4)], environment);
      await succeed(['import', '--quiet', join(folder, 'replace.ndjson')], environment);
    };
    const changing: Files = {
      ...files,
      async link(key, path) {
        await change();
        return files.link?.(key, path);
      },
    };
    const backup = join(folder, `after ${engine.name}`);
    const { manifest } = await writeBackup(backup, { ...optionsFor(environment), files: changing });
    assert.equal(manifest.counts.images, 4);
    await succeed(['restore', '--check', backup], {});
    const restored = { ...target(`restored ${engine.name}`), ...engine.environment() };
    await succeed(['restore', '--quiet', backup], restored);
    await succeed(['check', '--quiet'], restored);
    const { output } = await succeed(['export'], restored);
    assert.ok(!output.includes(uuid(4, 1)));
    // The fields are those of the snapshot; only the bytes are newer.
    assert.match(output, new RegExp(`"id":"${uuid(4, 2)}".*"nsfw":"nsfw"`));
    assert.ok(!output.includes('"name":"new"'));
  });
});

// Generations of a backup: each can be restored, they share pictures, and a damaged one does not harm the others.

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
