/** What a killed command leaves, and the bytes of removed and replaced pictures. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { OWNER_KEY } from '../../src/media/files.ts';
import { openFiles } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { image, importTwoImages } from '../support/catalogues/two-images.ts';
import { filesIn } from '../support/checks/dump.ts';
import { type Engine, forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore, traceCommand } from '../support/zukan/run-until.ts';
import { configFor, filesFolder } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

type Environment = Record<string, string>;
/** Reading a journal's lock would end it. */
const picturesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.png'))
    .sort();
test('every command that changes the catalogue removes the leftovers of a killed import', async () => {
  const box = await importTwoImages();
  const [same, next] = [join(box.folder, 'catalogue.ndjson'), join(box.folder, 'next.ndjson')];
  writeFileSync(next, [image(1, 3), image(3, 4)].map((line) => JSON.stringify(line)).join('\n'));
  const copy = (from: string, name: string): Environment => {
    const DATA_DIR = join(box.folder, name);
    cpSync(from, DATA_DIR, { recursive: true });
    return { DATA_DIR };
  };
  const original = box.environment.DATA_DIR as string;
  const command = ['import', '--quiet', next];
  const { commit } = await traceCommand(command, copy(original, 'whole'));
  const { DATA_DIR: killed = '' } = copy(original, 'killed');
  await killBefore(commit, command, { DATA_DIR: killed });

  const empty = join(box.folder, 'empty');
  await runCommand(['import', '--quiet', '-'], { DATA_DIR: empty });
  const backup = join(box.folder, 'backup');
  await runCommand(['backup', '--quiet', backup], box.environment);
  const upload = await openFiles(configFor(empty, { DATA_DIR: empty })).beginUpload();
  await upload.put('ab/unused.png', Buffer.from('bytes'), { hash: '', mimetype: 'image/png' });
  await upload.abandon();

  const hidden = (data: string) =>
    readdirSync(join(data, 'files')).filter((name) => name.startsWith('.') && name !== OWNER_KEY);
  const stored = (data: string) => picturesIn(join(data, 'files'));
  const used = async (environment: Environment) => {
    const lines = (await runCommand(['export'], environment)).output.split('\n').filter(Boolean);
    return lines.flatMap((line) => JSON.parse(line).key ?? []).sort();
  };
  for (const data of [killed, empty]) assert.ok(hidden(data).length > 0, `nothing is left in ${data}`);

  const unchanged = [
    ['import', '--dry-run', '--quiet', next],
    ['edit', uuid(4, 1), '--rating', 'nsfw', '--dry-run'],
    ['remove', uuid(4, 1), '--dry-run'],
    ['thumbnails', '--dry-run'],
  ];
  for (const command of unchanged) {
    const { status, errors } = await runCommand(command, { DATA_DIR: killed });
    assert.equal(status, 0, errors);
  }
  const before = hidden(killed);
  assert.equal(stored(killed).length, 4);
  const changes: (string[] | 'studio')[] = [
    ['import', '--quiet', same],
    ['import', '--quiet', next],
    ['edit', uuid(4, 1), '--rating', 'nsfw'],
    ['entry', 'category', 'cats', '--create'],
    ['remove', '--yes', uuid(4, 1)],
    ['undo', '1'],
    ['thumbnails', '--quiet'],
    ['check', '--repair', '--quiet'],
    'studio',
    ['restore', '--quiet', backup],
  ];
  for (const [index, change] of changes.entries()) {
    const environment = copy(change[0] === 'restore' ? empty : killed, `then ${index}`);
    if (change === 'studio') {
      const studio = await openStudio(configFor(box.folder, environment));
      await studio.change('/change/entry/create', { kind: 'category', name: 'cats' });
      await studio.close();
    } else {
      const { status, errors } = await runCommand(change, environment);
      assert.equal(status, 0, errors);
    }
    assert.deepEqual(hidden(environment.DATA_DIR as string), [], `after ${change}`);
    await runCommand(['trash', '--empty', '--yes'], environment);
    assert.deepEqual(stored(environment.DATA_DIR as string), await used(environment), `after ${change}`);
  }
  assert.deepEqual(hidden(killed), before);
});

test('one unusable journal does not keep the files of the others', async () => {
  const { config, environment } = await importTwoImages();
  const files = filesFolder(config);
  const unused = `ab/${'ab'.repeat(32)}.png`;
  const put = (path: string) => {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    writeFileSync(join(files, path), 'bytes');
  };
  for (const path of ['../outside.png', unused, 'ab/cut.png', 'folder/a.png']) put(path);
  const journals = {
    // The first two, in any order, stopped the removal of everything else.
    outside: '../outside.png\n',
    folder: 'folder\n',
    unused: `${unused}\n`,
    cut: 'ab/cut.png\nab',
  };
  for (const [name, text] of Object.entries(journals)) writeFileSync(join(files, `.intake-${name}`), text);
  mkdirSync(join(files, '.intake-unreadable'));
  writeFileSync(join(files, '.intake-unlockable'), '');
  writeFileSync(join(files, '.intake-unlockable.lock'), 'not a database'.repeat(100));

  assert.equal((await runCommand(['check'], environment)).status, 1);
  const edit = await runCommand(['edit', uuid(4, 1), '--rating', 'nsfw'], environment);
  assert.equal(edit.status, 0);
  const unusable = ['outside', 'unlockable', 'unreadable'];
  const problems = unusable.map(
    (name) => new RegExp(`the journal .*/\\.intake-${name} cannot be used: .*; delete it`),
  );
  for (const problem of problems) assert.match(edit.errors, problem);
  assert.match(
    edit.errors,
    /cannot remove the files of an interrupted command: .*folder.*; the next command tries again/,
  );
  assert.deepEqual(
    [unused, 'ab/cut.png', '../outside.png'].filter((path) => existsSync(join(files, path))),
    ['../outside.png'],
  );

  put(unused);
  const check = await runCommand(['check', '--repair'], environment);
  assert.equal(check.status, 1);
  for (const problem of problems) assert.match(check.output, problem);
  assert.match(check.output, /an interrupted command left files in the storage/);
  assert.ok(existsSync(join(files, unused)), 'it may belong to a journal that cannot be read');

  for (const name of readdirSync(files))
    if (name.startsWith('.intake-')) rmSync(join(files, name), { recursive: true });
  rmSync(join(files, 'folder'), { recursive: true });
  assert.equal((await runCommand(['check', '--repair'], environment)).status, 0);
});

await forEachEngineInDepth((engine) => {
  test('an edit removes the files of a command that gave up, and keeps those that images use', async () => {
    const box = await importTwoImages(engine);
    const upload = await openFiles(box.config).beginUpload();
    const bytes = Buffer.from('bytes');
    await upload.put('ab/unused.png', bytes, { hash: '', mimetype: 'image/png' });
    const names = () => picturesIn(filesFolder(box.config));
    await upload.release(names());
    const edit = (rating: string) => runCommand(['edit', uuid(4, 1), '--rating', rating], box.environment);
    assert.equal((await edit('nsfw')).status, 0);
    assert.equal(names().length, 3, 'the command is still running');
    await upload.abandon();
    assert.equal((await edit('sfw')).status, 0);
    assert.equal(names().length, 2);
    assert.equal((await runCommand(['check'], box.environment)).output, 'no problems found\n');
  });
});

// Removed and replaced pictures: their bytes do not stay behind, whenever the command is killed.

async function filled(engine?: Engine) {
  const box = await importTwoImages(engine);
  const stored = () => filesIn(filesFolder(box.config)).length;
  return { ...box, stored };
}

/** A catalogue to copy, a command that stops using a file, and what the command does. */
async function prepare(what: 'remove' | 'import') {
  const box = await filled();
  const path = join(box.folder, 'next.ndjson');
  writeFileSync(path, JSON.stringify(image(1, 3)));
  const command = what === 'remove' ? ['remove', '--yes', uuid(4, 1)] : ['import', '--quiet', path];
  const copy = (name: string) => {
    const data = join(box.folder, name);
    cpSync(box.environment.DATA_DIR ?? '', data, { recursive: true });
    return data;
  };
  const traced = await traceCommand(command, { DATA_DIR: copy('whole') });
  return { copy, command, traced };
}

/** The commands that stop using a file: a removal, and an import of the same id with another file. */
const prepared = { remove: await prepare('remove'), import: await prepare('import') };

await forEachEngineInDepth(async (engine) => {
  const testOnce = testOnOneStore(engine);
  test('an import that gives an image another file removes the former one', async () => {
    const box = await filled(engine);
    await box.import([image(1, 3)]);
    assert.equal(box.stored(), 2);
    assert.equal((await runCommand(['check'], box.environment)).output, 'no problems found\n');
  });

  testOnce('an import keeps the former file of an image if another one uses it', async () => {
    const box = await filled(engine);
    await box.import([image(2, 1)]);
    assert.equal(box.stored(), 1);
    await box.import([image(1, 3)]);
    assert.equal(box.stored(), 2);
    assert.equal((await runCommand(['check'], box.environment)).output, 'no problems found\n');
  });

  testOnce('check --repair removes unused files that zukan stored, and no others', async () => {
    const box = await filled(engine);
    const folder = filesFolder(box.config);
    const [first = ''] = filesIn(folder).map((line) => line.split(' ')[0] ?? '');
    const unused = `${first.slice(0, 3)}${first.slice(3, 5)}${'0'.repeat(62)}.png`;
    writeFileSync(join(folder, unused), 'bytes');
    writeFileSync(join(folder, 'mine.png'), 'bytes');
    const found = await runCommand(['check', '--json'], box.environment);
    assert.deepEqual(
      JSON.parse(found.output).sort((a: { problem: string }, b: { problem: string }) =>
        a.problem < b.problem ? -1 : 1,
      ),
      [
        { problem: `${unused}: no image uses this file`, canBeRepaired: true },
        { problem: 'mine.png: no image uses this file', canBeRepaired: false },
      ].sort((a, b) => (a.problem < b.problem ? -1 : 1)),
    );
    const repaired = await runCommand(['check', '--repair'], box.environment);
    assert.equal(repaired.output, 'mine.png: no image uses this file\n');
    assert.match(repaired.errors, /removed 1 unused file/);
    assert.equal(box.stored(), 3);
  });
});

for (const what of ['remove', 'import'] as const) {
  const { traced } = prepared[what];
  test(`${what}: after a power failure, a journal or nothing is left`, async () => {
    const after = (start: number, pattern: RegExp) => {
      const index = traced.trace.findIndex((line, index) => index > start && pattern.test(line));
      assert.ok(index > start, `${pattern} after ${start} in\n${traced.trace.join('\n')}`);
      return index;
    };
    const listed = after(-1, /^appendFile .*\.intake-/);
    const synced = after(listed, /^datasync .*\.intake-/);
    const folder = after(-1, /^sync .*\/files$/);
    assert.ok(synced < traced.commit && folder < traced.commit);
    const removed = after(traced.commit - 1, /^rm .*\.png$/);
    const flushed = after(removed, /^sync .*\/files\/..$/);
    const finished = after(traced.commit - 1, /^rm .*\.intake-/);
    assert.ok(flushed < finished);
  });
}
