/** Every command in docs/maintenance.md prints what the page shows, from the first to the last. */
import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { runProgram } from '../src/cli/program.ts';
import { setClockAhead } from './support/later.ts';
import { writeTiny } from './support/pictures/tiny.ts';
import { temporaryFolder } from './support/workspace.ts';
import { consoleSteps, withoutSpace } from './support/zukan/console.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/maintenance.md'), 'utf8');
/** Ids are shortened. */
const shortId = /[0-9a-f]{8}-…/g;

/** Standard output is a terminal unless a pipe follows. Errors appear between the output, as on a screen. */
async function runZukan(words: string[], input: string, isTTY: boolean): Promise<string> {
  let text = '';
  const collect = () =>
    new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const stdout = Object.assign(collect(), { isTTY });
  const environment = { DATA_DIR: 'data', THUMBNAILS: 'off' };
  await runProgram(words, environment, { stdin, stdout, stderr: collect() });
  return text;
}

/** A line of commands with pipes between them. Other programs are real ones. */
async function runLine(line: string): Promise<string> {
  const commands = line.replace(/ # .*/, '').split(' | ');
  let text = '';
  for (const [index, command] of commands.entries()) {
    const [program, ...words] = Array.from(
      command.matchAll(/'([^']*)'|(\S+)/g),
      ([, quoted, plain]) => quoted ?? (plain as string),
    );
    const isLast = index === commands.length - 1;
    if (program === 'npx') text = await runZukan(words.slice(1), text, isLast);
    else text = execSync(command, { encoding: 'utf8' });
  }
  return text;
}

setClockAhead();

test('the commands of the page print what it shows', async (t) => {
  const folder = temporaryFolder();
  const before = process.cwd();
  t.after(() => process.chdir(before));
  process.chdir(folder);
  const [, files = ''] = /```\n(pictures\/[\s\S]*?)```/.exec(page) ?? [];
  for (const [index, line] of files.trim().split('\n').entries()) {
    const [picture = '', sidecar, ...content] = line.split(/\s+/);
    writeTiny(folder, picture, index);
    if (sidecar) writeFileSync(sidecar, content.join(' '));
  }

  const ids = new Map<string, string>();
  assert.doesNotMatch(page, /```sh/, 'a command without its output');
  const steps = consoleSteps(page);
  assert.ok(steps.length > 20);
  for (const { command, output } of steps) {
    const full = command.replaceAll(shortId, (short) => ids.get(short) ?? assert.fail(short));
    const actual = await runLine(full);
    matchOutput(withoutSpace(actual), withoutSpace(output), ids, command);
  }
});

/** An … stands for anything. A shortened id stands for the same id wherever it appears. */
function matchOutput(actual: string, shown: string, ids: Map<string, string>, command: string): void {
  const found: string[] = [];
  const pattern = shown
    .split(/([0-9a-f]{8}-…|…)/)
    .map((part) => {
      if (part === '…') return '[\\s\\S]*?';
      if (!part.match(shortId)) return RegExp.escape(part);
      const known = ids.get(part);
      if (known) return known;
      found.push(part);
      return '([0-9a-f-]{36})';
    })
    .join('');
  const match = new RegExp(`^${pattern}$`).exec(actual);
  assert.ok(match, `${command} printed\n${actual}\ninstead of\n${shown}`);
  for (const [index, short] of found.entries()) ids.set(short, match[index + 1] as string);
}
