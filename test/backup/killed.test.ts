/** Backups and restores that are killed or fail. */
import assert from 'node:assert/strict';
import { cpSync, globSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inParallel } from '../../src/lib/concurrency.ts';
import { contentsOf, type Environment, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore, launchUntil, traceCommand } from '../support/zukan/run-until.ts';

const { folder, environment: source } = await makeCatalogue();
const filesOf = (backup: string) => globSync('files/*/*', { cwd: backup }).sort();
const target = (name: string): Environment => ({ DATA_DIR: join(folder, name), THUMBNAILS: 'off' });

await forEachEngineInDepth((engine) => {
  test('a restore that is killed restores nothing, or everything, and can be repeated', async () => {
    const backup = join(folder, `to restore into ${engine.name}`);
    await succeed(['backup', '--quiet', backup], source);
    const command = ['restore', '--quiet', backup];
    // The databases exist, so that their migrations do not count.
    const prepare = async (name: string): Promise<Environment> => {
      const environment = { ...target(`${engine.name} ${name}`), ...engine.environment() };
      await succeed(['import', '-'], environment);
      await succeed(['token', 'list'], environment);
      return environment;
    };
    const points: [from: string, position: number, isRestored: boolean][] = [
      ['^commit', 1, false],
      ...atDepth([], [['^commit', 2, true] as [string, number, boolean]]),
    ];
    if (engine === sqlite && atDepth(false, true)) {
      const { trace } = await traceCommand(command, await prepare('not killed'));
      const afterCommit = trace.slice(trace.indexOf('commit') + 1);
      assert.ok(afterCommit.length > 1, trace.join('\n'));
      points.push(['^writeFile', 1, false], ['^create table', 1, false], ['^create table', 3, false]);
      for (let position = 3; position <= afterCommit.length + 1; position++)
        points.push(['^commit', position, true]);
    }
    const expected = await contentsOf(source);
    for (const [from, position, isRestored] of points) {
      const what = `killed before operation ${position} from ${from}`;
      const environment = await prepare(`killed ${from} ${position}`);
      await killBefore(position, command, environment, { from });
      if (!isRestored) {
        assert.equal((await succeed(['export'], environment)).output, '', what);
        assert.equal((await succeed(['token', 'list', '--json'], environment)).output, '[]\n', what);
        await succeed(command, environment);
      }
      assert.equal(await contentsOf(environment), expected, what);
      await succeed(['check', '--quiet', '--repair'], environment);
    }
  });
});

test('an unfinished restore is neither served nor backed up, and continues when it is repeated', async () => {
  const home = temporaryFolder();
  const [original, restored] = ['original', 'restored'].map(
    (name): Environment => ({ DATA_DIR: join(home, name), THUMBNAILS: 'off' }),
  ) as [Environment, Environment];
  const backup = join(home, 'backup');
  const COUNT = 70;
  for (let index = 0; index < COUNT; index++) writeTiny(join(home, 'pictures'), `${index}.png`, index);
  await succeed(['import', '--quiet', join(home, 'pictures')], original);
  await succeed(['backup', '--quiet', backup], original);
  const contents = async (environment: Environment) => (await succeed(['export'], environment)).output;
  const expected = await contents(original);
  const stored = () => globSync('*/*.png', { cwd: join(home, 'restored/files') }).length;
  for (const [position, from] of [
    [150, '^writeFile'],
    [1, '^commit'],
  ] as const) {
    const before = stored();
    await killBefore(position, ['restore', '--quiet', backup], restored, { from });
    assert.ok(stored() > before && stored() <= COUNT);
    const commands = [
      ['serve', '--port', '0'],
      ['backup', '--quiet', join(home, 'another')],
      ['backup', '--quiet', backup],
      ['import', '--quiet', join(home, 'pictures')],
      ['entry', 'category', 'a', '--create'],
    ];
    for (const command of commands) {
      const { status, errors } = await runCommand(command, restored);
      assert.equal(status, 1, command.join(' '));
      assert.match(errors, /belong to the catalogue .* "zukan restore <folder>"/, command.join(' '));
    }
  }
  assert.equal(stored(), COUNT);
  const { trace } = await traceCommand(['restore', '--quiet', backup], restored);
  assert.deepEqual(
    trace.filter((operation) => operation.startsWith('writeFile')),
    [],
    'everything was there',
  );
  assert.equal(await contents(restored), expected);
  assert.equal((await succeed(['check', '--quiet'], restored)).output, 'no problems found\n');
  await succeed(['backup', '--quiet', backup], restored);
  assert.deepEqual(
    readdirSync(join(home, 'restored/files')).filter((name) => /^\.(?!catalogue)/.test(name)),
    [],
  );
});

test('a backup that is killed or fails leaves the one before, or is complete', async (t) => {
  const home = temporaryFolder();
  const at = (name: string): Environment => ({ DATA_DIR: join(home, name), THUMBNAILS: 'off' });
  cpSync(join(folder, 'data'), join(home, 'old'), { recursive: true });
  await succeed(['backup', '--quiet', join(home, 'original')], at('old'));
  cpSync(join(home, 'old'), join(home, 'new'), { recursive: true });
  await succeed(['remove', '--yes', uuid(4, 1)], at('new'));
  writeTiny(join(home, 'pictures'), '9.png', 9);
  await succeed(['import', '--quiet', join(home, 'pictures')], at('new'));
  const [before, after] = [await contentsOf(at('old')), await contentsOf(at('new'))];
  const prepareBackup = (name: string) => {
    cpSync(join(home, 'original'), join(home, name), { recursive: true });
    return ['backup', '--quiet', join(home, name)];
  };
  const renaming = '^rename .*manifest\\.json$';
  type Point = [from: string, position: number, isNew: boolean];
  const points: Point[] = [[renaming, 1, false], ...atDepth<Point[]>([], [[renaming, 2, true]])];
  const { trace } = await traceCommand(prepareBackup('whole'), at('new'));
  const commit = trace.findIndex((operation) => new RegExp(renaming).test(operation)) + 1;
  const first = trace.findIndex((operation) => operation.includes('/whole/files')) + 1;
  assert.ok(first > 0 && commit > first && trace.length > commit + 2);
  if (atDepth(false, true)) {
    const between = Array.from({ length: 6 }, (_, index) => Math.floor((index * (commit - first)) / 6) + 1);
    points.push(...[2, ...between].map((position): Point => ['/files', position, false]));
    for (let position = 3; position <= trace.length - commit + 1; position++)
      points.push([renaming, position, true]);
  }
  const outcomes = { old: 0, new: 0 };
  await inParallel(points, 2, async ([from, position, isNew], index) => {
    const what = `killed before operation ${position} from ${from}`;
    const name = `killed ${index}`;
    await killBefore(position, prepareBackup(name), at('new'), { from });
    await succeed(['restore', '--check', join(home, name)], {});
    await succeed(['restore', '--quiet', join(home, name)], at(`restored ${index}`));
    const found = await contentsOf(at(`restored ${index}`));
    assert.equal(found, isNew ? after : before, what);
    outcomes[isNew ? 'new' : 'old']++;
    // The next one removes what is left.
    await succeed(['backup', '--quiet', join(home, name)], at('new'));
    assert.deepEqual(filesOf(join(home, name)), filesOf(join(home, 'whole')), what);
    assert.equal(readdirSync(join(home, name)).length, 4, what);
    assert.ok(!readdirSync(join(home, name, 'files')).some((name) => name.startsWith('.')));
  });
  t.diagnostic(`${outcomes.old} kills left the old backup, ${outcomes.new} the new one`);

  await t.test('an interrupt', async () => {
    const backup = join(home, 'interrupted');
    cpSync(join(home, 'original'), backup, { recursive: true });
    const command = ['backup', '--quiet', backup];
    const moment = { operation: 1, from: '/interrupted/files', signal: 'SIGTERM' } as const;
    const { status, errors } = await launchUntil(moment, command, at('new')).ended;
    assert.equal(status, 1);
    assert.match(errors, /zukan: interrupted; the backup before is still complete\n/);
    await succeed(['restore', '--check', backup], {});
    assert.equal(readdirSync(backup).length, 4);
  });

  await t.test('a missing file', async () => {
    rmSync(join(home, 'new/files/some/7.png'));
    const backup = join(home, 'failing');
    cpSync(join(home, 'original'), backup, { recursive: true });
    const { status, errors } = await runCommand(['backup', '--quiet', backup], at('new'));
    assert.equal(status, 1);
    assert.match(
      errors,
      /cannot back up to .*failing: the file some\/7\.png is missing; "zukan check" lists all/,
    );
    await succeed(['restore', '--check', backup], {});
    assert.equal(readdirSync(backup).length, 4);
  });
});
