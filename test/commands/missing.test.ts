/** A mistyped DATA_DIR or DATABASE_URL: only `serve` and `import` create a catalogue, and say so. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { uuid } from '../support/catalogue.ts';
import { forEachEngine } from '../support/engines.ts';
import { sandbox } from '../support/import.ts';
import { runCommand, serve } from '../support/program.ts';

await forEachEngine(async (engine) => {
  test('commands that need a catalogue say that there is none, and create nothing', async () => {
    const { environment } = sandbox(engine);
    const commands = [
      ['stats'],
      ['export'],
      ['check'],
      ['check', '--repair'],
      ['duplicates'],
      ['thumbnails'],
      ['remove', uuid(4, 1)],
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
      assert.ok(!existsSync(environment.DATA_DIR as string), command.join(' '));
    }
  });

  test('an import creates one and says so, but not for a path that does not exist', async () => {
    const { environment, folder } = sandbox(engine);
    const failed = await runCommand(['import', join(folder, 'nothing')], environment);
    assert.match(failed.errors, /^zukan: .*nothing: no such file or folder\n$/);
    assert.ok(!existsSync(environment.DATA_DIR as string));
    const first = await runCommand(['import', '-'], environment, '{"type":"artist","name":"Ann"}');
    assert.match(first.errors, /^created a new catalogue: .*(zukan\.db|PostgreSQL at \S+)\n$/);
    const second = await runCommand(['import', '-'], environment, '{"type":"artist","name":"Bob"}');
    assert.equal(second.errors, '');
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
