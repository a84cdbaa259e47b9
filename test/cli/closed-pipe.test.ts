/** A reader that stops reading, such as `head`: commands do their work, and end without a word about it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { atDepth, testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { main, NODE_COMPILE_CACHE, runCommand } from '../support/zukan/program.ts';
import { configFor, filesFolder } from '../support/zukan/service.ts';

const folder = temporaryFolder();
const pictures = temporaryFolder();
const environment = { DATA_DIR: folder, THUMBNAILS: 'off' };

interface Ended {
  status: number;
  errors: string;
}

function runInShell(script: string): Promise<Ended> {
  const { PATH = '' } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE, ...environment } };
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', script], options, (_error, _output, text) => {
      const [, errors = '', status] = /^([\s\S]*)status (\d+)\n$/.exec(text) ?? [];
      resolve({ status: Number(status), errors });
    });
  });
}

const commandLine = (command: string) => `'${process.execPath}' '${main}' ${command}`;

/** Starts the command when its pipe has no reader any more. */
function runUnread(command: string): Promise<Ended> {
  const gate = join(temporaryFolder(), 'gate');
  return runInShell(
    `mkfifo '${gate}'
     { read _ <'${gate}'; ${commandLine(command)}; echo "status $?" >&2; } | { exec <&-; echo >'${gate}'; }`,
  );
}

before(async () => {
  for (const number of [1, 2, 3]) writeTiny(pictures, `${number}.png`, number);
  assert.equal((await runCommand(['import', '--quiet', pictures], environment)).status, 0);
});

test('commands that only print stop', async () => {
  for (const command of atDepth(['export'], ['export', 'find', '--help']))
    assert.deepEqual(await runUnread(command), { status: 0, errors: '' }, command);
});

test('a command that changes the catalogue does all of it', async () => {
  writeTiny(pictures, '4.png', 4);
  assert.deepEqual(await runUnread(`import '${pictures}' 2>&1`), { status: 0, errors: '' });
  assert.equal(JSON.parse((await runCommand(['stats', '--json'], environment)).output).images.count, 4);
});

testDeep('an export that also copies files fails, because it is not complete', async () => {
  assert.deepEqual(await runUnread(`export --files '${temporaryFolder()}'`), {
    status: 1,
    errors: 'zukan: the output was closed before the export was complete\n',
  });
});

test('a command that finds problems says so', async () => {
  rmSync(filesFolder(configFor(folder, environment)), { recursive: true });
  assert.deepEqual(await runUnread('check --quiet'), {
    status: 1,
    errors: 'zukan: found 4 problems; "zukan import --full <folder>" stores lost files again\n',
  });
});

const skip = !existsSync('/dev/full') && 'there is no /dev/full';
test('output that cannot be written for another reason is an error', { skip }, async () => {
  for (const command of atDepth(['export'], ['--help', 'export']))
    assert.deepEqual(await runInShell(`${commandLine(command)} >/dev/full; echo "status $?" >&2`), {
      status: 1,
      errors: 'zukan: cannot write the output: ENOSPC: no space left on device, write\n',
    });
});
