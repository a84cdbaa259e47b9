/** Backups and restores that are killed or fail. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inParallel } from '../../src/parallel.ts';
import { contentsOf, type Environment, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, start } from '../support/zukan/program.ts';

const { folder, environment: source } = await makeCatalogue();
const filesOf = (backup: string) => globSync('files/*/*', { cwd: backup }).sort();
const target = (name: string): Environment => ({ DATA_DIR: join(folder, name), THUMBNAILS: 'off' });

const startKilled = (command: string[], environment: Environment, killAt: number) =>
  start(command, { ...environment, KILL_AT: String(killAt) }, [
    `--import=${join(import.meta.dirname, '../support/zukan/kill-at.ts')}`,
  ]);

/** The operations of a command that is not killed, and the position of the first commit. */
async function traceOf(child: ChildProcess): Promise<{ trace: string[]; commit: number }> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [0, null], errors);
  return JSON.parse(errors);
}

test('a restore that is killed restores nothing, or everything, and can be repeated', async () => {
  const backup = join(folder, 'to restore');
  await succeed(['backup', '--quiet', backup], source);
  const command = ['restore', '--quiet', backup];
  // The databases exist, so that their migrations do not count.
  const prepare = async (name: string) => {
    await succeed(['import', '-'], target(name));
    await succeed(['token', 'list'], target(name));
    return target(name);
  };
  const { trace } = await traceOf(startKilled(command, await prepare('not killed'), 0));
  const commit = trace.lastIndexOf('commit') + 1;
  const tokens = trace.findLastIndex((operation, index) => operation === 'run' && index < commit - 1) + 1;
  assert.ok(commit > 0 && tokens > 0, trace.join('\n'));
  for (const point of [Math.floor(commit / 2), tokens + 1, commit, commit + 1]) {
    const environment = await prepare(`restore killed ${point}`);
    assert.deepEqual(await once(startKilled(command, environment, point), 'close'), [null, 'SIGKILL']);
    const exported = (await succeed(['export'], environment)).output;
    if (point <= commit) {
      assert.equal(exported, '');
      await succeed(command, environment);
    }
    const what = `killed before operation ${point}, ${trace[point - 1]}; commit is ${commit}`;
    assert.equal(await contentsOf(environment), await contentsOf(source), what);
    await succeed(['check', '--quiet'], environment);
  }
});

test('a backup that is killed or fails leaves the one before, or is complete', async (t) => {
  const home = temporaryFolder();
  const at = (name: string): Environment => ({ DATA_DIR: join(home, name), THUMBNAILS: 'off' });
  cpSync(join(folder, 'data'), join(home, 'old'), { recursive: true });
  await succeed(['backup', '--quiet', join(home, 'original')], at('old'));
  cpSync(join(home, 'old'), join(home, 'new'), { recursive: true });
  await succeed(['remove', uuid(4, 1)], at('new'));
  writeTiny(join(home, 'pictures'), '9.png', 9);
  await succeed(['import', '--quiet', join(home, 'pictures')], at('new'));
  const [before, after] = [await contentsOf(at('old')), await contentsOf(at('new'))];
  const run = (name: string, killAt: number) => {
    cpSync(join(home, 'original'), join(home, name), { recursive: true });
    return startKilled(['backup', '--quiet', join(home, name)], at('new'), killAt);
  };
  const { trace } = await traceOf(run('whole', 0));
  const commit = trace.findIndex((operation) => /^rename .*manifest\.json$/.test(operation)) + 1;
  const first = trace.findIndex((operation) => operation.includes('/whole/files')) + 1;
  assert.ok(first > 0 && commit > first && trace.length > commit + 2);
  const between = Array.from({ length: 3 }, (_, index) => first + Math.floor((index * (commit - first)) / 3));
  const points = [...between, commit, commit + 1, trace.length];
  const outcomes = { old: 0, new: 0 };
  await inParallel(points, 2, async (point) => {
    const what = `killed before ${point}: ${trace[point - 1]}`;
    const name = `killed ${point}`;
    assert.deepEqual(await once(run(name, point), 'close'), [null, 'SIGKILL']);
    await succeed(['restore', '--check', join(home, name)], {});
    await succeed(['restore', '--quiet', join(home, name)], at(`restored ${point}`));
    const found = await contentsOf(at(`restored ${point}`));
    assert.equal(found, point > commit ? after : before, what);
    outcomes[point > commit ? 'new' : 'old']++;
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
    const child = startKilled(command, { ...at('new'), KILL_SIGNAL: 'SIGTERM' }, first);
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    assert.deepEqual(await once(child, 'close'), [1, null]);
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
