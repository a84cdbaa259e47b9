/** A mistyped DATA_DIR or DATABASE_URL: only `serve`, `import` and `restore` create a catalogue, and say so. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngine, forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand, serve } from '../support/zukan/program.ts';

const original = sandbox();
const backup = join(original.folder, 'backup');
await runCommand(['import', '-'], original.environment, '{"type":"artist","name":"Ann"}');
await runCommand(['backup', '--quiet', backup], original.environment);

await forEachEngineInDepth(async (engine) => {
  test('commands that need a catalogue say that there is none, and create nothing', async () => {
    const { environment, folder } = sandbox({ environment: engine.withoutCatalogue });
    const commands = [
      ['backup', join(folder, 'backup')],
      ['find'],
      ['entry', 'artist', 'Ann', '--create'],
      ['stats'],
      ['migrate'],
      ['export'],
      ['check'],
      ['check', '--repair'],
      ['duplicates'],
      ['thumbnails'],
      ['remove', '--yes', uuid(4, 1)],
      ['token', 'list'],
      ['token', 'revoke', uuid(4, 1)],
      ['token', 'create', '--owner', 'me', '--purpose', 'x'],
    ];
    for (const command of commands) {
      const { status, output, errors } = await runCommand(command, environment);
      assert.equal(status, 1, command.join(' '));
      assert.equal(output, '', command.join(' '));
      assert.match(
        errors,
        /^zukan: .*there is no catalogue (at|in) .*; check .*DATABASE_URL, or create one with/,
      );
      assert.deepEqual(readdirSync(folder), [], command.join(' '));
    }
  });

  test('an import creates one and says so, but not for a path that does not exist', async () => {
    const { environment, folder } = sandbox({ environment: engine.withoutCatalogue });
    const failed = await runCommand(['import', join(folder, 'nothing')], environment);
    assert.match(failed.errors, /^zukan: .*nothing: no such file or folder\n$/);
    assert.ok(!existsSync(environment.DATA_DIR as string));
    const first = await runCommand(['import', '-'], environment, '{"type":"artist","name":"Ann"}');
    assert.match(first.errors, /^created a new catalogue: .*(zukan\.db|PostgreSQL at \S+)\n$/);
    const second = await runCommand(['import', '-'], environment, '{"type":"artist","name":"Bob"}');
    assert.equal(second.errors, '');
  });

  test('a restore creates one and says so', async () => {
    const { environment } = sandbox({ environment: engine.withoutCatalogue });
    const { errors } = await runCommand(['restore', '--quiet', backup], environment);
    assert.match(errors, /^created a new catalogue: .*(zukan\.db|PostgreSQL at \S+)\n$/);
  });
});

await forEachEngine((engine) => {
  test('a dry run of the first import shows what it would do, and leaves nothing behind', async () => {
    const { environment, folder } = sandbox({ environment: engine.withoutCatalogue });
    for (const index of [1, 2]) writeTiny(join(folder, 'pictures'), `cats/${index}.png`, 1);
    writeTiny(join(folder, 'pictures'), 'cats/3.png', 3);
    const command = ['import', '--quiet', '--dry-run', '--prune', join(folder, 'pictures')];
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    const { status, output, errors } = await runCommand(command, environment);
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    assert.equal(status, 0, errors);
    assert.match(output, /^dry run.*\n2 added, 0 updated, 0 unchanged, 0 removed; entries: 1 added, .*\n/m);
    assert.equal(errors, '');
    assert.deepEqual(readdirSync(folder), ['pictures']);
    // It did not create a catalogue either, whose place is not a folder.
    assert.match((await runCommand(['stats'], environment)).errors, /there is no catalogue/);
  });
});

test('serve creates one and says so', async () => {
  const { environment } = sandbox();
  for (const expected of [/^created a new catalogue: .*zukan\.db\n$/, /^$/]) {
    const server = await serve({ ...environment, LOG_LEVEL: 'silent' });
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.match(server.errors(), expected);
  }
});
