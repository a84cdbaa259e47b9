/** What commands print: it cannot control the terminal, and a closed pipe ends it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { CommandError, formatTable, printable } from '../../src/cli/terminal/terminal.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth, testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { main, NODE_COMPILE_CACHE, runCommand } from '../support/zukan/program.ts';
import { configFor, filesFolder } from '../support/zukan/service.ts';

/** A colour, a title, C1, a backspace, bidi overrides, line separators, and a line that zukan did not write. */
const hostile = '\x1b[31m\x1b]0;t\x07\x9b2J\b\x7f\u202e\u2066\u200f\u061c\u2028\u0085\rx\nzukan: forged';
const unsafe = /[^\P{C}\n\u200d]|[\u2028\u2029]/u;

/** Runs a command and checks everything it prints. */
async function run(environment: Record<string, string>, ...command: string[]) {
  const { status, output, errors } = await runCommand(command, environment);
  const text = output + errors;
  assert.doesNotMatch(text, unsafe);
  assert.doesNotMatch(text, /^zukan: forged/m);
  return { status, output, errors };
}

function newFolder() {
  const folder = temporaryFolder();
  return { pictures: join(folder, 'pictures'), environment: { DATA_DIR: join(folder, 'data') } };
}

test('escapes control characters, bidi controls, line separators and unpaired surrogates', () => {
  assert.equal(
    printable('\0\n\x1b\x7f\x9b\u2028\u202e\ud800'),
    '\\u0000\\u000a\\u001b\\u007f\\u009b\\u2028\\u202e\\ud800',
  );
  assert.doesNotMatch(printable(hostile), unsafe);
  for (const text of ['', 'plain "text" \\', 'ｆｕｌｌ 図鑑 é', '👩‍👩‍👧 🏴', 'می‌خواهم'])
    assert.equal(printable(text), text);
});

test('keeps JSON the same', () => {
  const json = JSON.stringify({ [hostile]: [hostile, '\ud800"\\'] });
  assert.deepEqual(JSON.parse(printable(json)), JSON.parse(json));
});

test('a command error has one line for each part', () => {
  assert.equal(new CommandError('a\nb', 'c\x1b').message, 'a\\u000ab\nc\\u001b');
});

test('import, dry run and the summary', async () => {
  const { pictures, environment } = newFolder();
  writeTiny(pictures, `${hostile}/a${hostile}.png`, 1);
  writeTiny(pictures, `${hostile}/b${hostile}.png`, 1);
  writeFileSync(join(pictures, `${hostile}.txt`), '');
  writeFileSync(
    join(pictures, hostile, `a${hostile}.json`),
    JSON.stringify({ artist: hostile, characters: [hostile] }),
  );
  const dryRun = await run(environment, 'import', '--dry-run', pictures);
  assert.equal(dryRun.status, 0, dryRun.errors);
  assert.match(dryRun.output, /\nadded {6}artist {5}\[31m.* zukan: forged\n/, 'without what nobody sees');
  const { status, output } = await run(environment, 'import', pictures);
  assert.equal(status, 0);
  assert.match(output, /^1 added, .*; entries: 3 added/);
  assert.match(output, /\n {2}category \[31m/);
  assert.match(output, /has the same bytes as/);
  assert.match(output, /skipped \(not images\):\n.*\.txt\n/);
});

test('invalid records', async () => {
  const { pictures, environment } = newFolder();
  writeTiny(pictures, `a${hostile}.png`, 1);
  writeTiny(pictures, `b${hostile}.png`, 2);
  writeFileSync(join(pictures, `a${hostile}.json`), hostile);
  writeFileSync(
    join(pictures, `b${hostile}.json`),
    JSON.stringify({ characters: [`${hostile}${'x'.repeat(256)}`] }),
  );
  const { status, errors } = await run(environment, 'import', '--strict', pictures);
  assert.equal(status, 1);
  assert.equal(errors.trim().split('\n').length, 5, errors);
});

test('a long reason is cut', async () => {
  const box = sandbox();
  await assert.rejects(
    box.import([{ type: 'artist', name: 'A', ['x'.repeat(500_000)]: 1 }]),
    ({ message }: Error) => /unknown field "x+…$/m.test(message) && message.length < 2000,
  );
});

test('usage errors and missing files', async () => {
  const { pictures, environment } = newFolder();
  writeTiny(pictures, 'a.png', 1);
  const file = join(pictures, 'a.png');
  for (const command of [
    ['import', hostile],
    ['import', `--${hostile}`],
    [hostile],
    ['remove', '--yes', hostile],
    ['token', 'revoke', hostile],
    ['token', 'create', '--owner', 'a', '--purpose', 'b', '--scope', hostile],
    ['token', 'create', '--owner', 'a', '--purpose', 'b', '--expires', hostile],
    ['export', join(file, hostile)],
  ])
    assert.notEqual((await run(environment, ...command)).status, 0);
});

test('check', async () => {
  const box = sandbox();
  await box.import([keyed(1, { key: 'some/\u202egnp.1' })]);
  const { status, output } = await run(box.environment, 'check');
  assert.equal(status, 1);
  assert.match(output, /the file some\/\\u202egnp\.1 is missing/);
  await run(box.environment, 'export', '--files', join(box.folder, 'out'), join(box.folder, 'out.ndjson'));
});

test('the configuration, valid or not', async () => {
  const { environment } = newFolder();
  await run({ ...environment, HOST: `a${hostile}` }, 'config');
  await run({ ...environment, HOST: `a${hostile}` }, 'config', '--json');
  const { status } = await run({ ...environment, TRUSTED_PROXIES: 'a\x1b[31m\u202e' }, 'config');
  assert.equal(status, 2);
});

test('a table may have any number of rows', () => {
  const rows = Array.from({ length: 200_000 }, () => ['1', '2']);
  assert.equal(formatTable(['a', 'b'], rows).length, 200_001);
});

test('columns stay aligned below Chinese and Japanese characters, and marks', () => {
  const rows = formatTable(
    ['name', 'n'],
    [
      ['図鑑', '1'],
      ['cafe\u0301', '2'],
    ],
  );
  assert.deepEqual(rows, ['name  n', '図鑑  1', 'cafe\u0301  2']);
});

// A reader that stops reading, such as `head`: commands do their work, and end without a word about it.

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
  assert.deepEqual(await runUnread('export --quiet /dev/full'), {
    status: 1,
    errors: 'zukan: no space left on the disk of /dev/full; free some, then try again\n',
  });
});

test('an export into a folder asks for a file', async () => {
  assert.deepEqual(await runUnread(`export --quiet ${folder}`), {
    status: 1,
    errors: `zukan: ${folder} is a folder; name a file\n`,
  });
});
