// process: own
/** `zukan import --watch`. Scans happen when the test says so, except in the last test. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { watchCommand } from '../../src/commands/watch.ts';
import type { Config } from '../../src/config/config.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { until } from '../support/until.ts';
import { start } from '../support/zukan/program.ts';

type Step = (box: { pictures: string; config: Config }) => unknown;

/** Runs a step whenever the command waits for the next scan, and interrupts it after the last one. Returns what it prints. */
async function watchDuring(steps: Step[], flags: object = {}): Promise<string[]> {
  const { folder, config } = sandbox();
  const pictures = join(folder, 'pictures');
  mkdirSync(pictures);
  const lines: string[] = [];
  const collect = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  const remaining = [...steps];
  const wait = async () => {
    const step = remaining.shift();
    if (step) await step({ pictures, config });
    else process.emit('SIGINT');
  };
  const terminal = { stdin: Readable.from([]), stdout: collect, stderr: collect };
  await watchCommand(config, [pictures], flags, terminal, { wait, watch: () => undefined });
  return lines.map((line) => line.replace(/^\d{4}-\S+Z /, '').replaceAll(`${folder}/`, ''));
}

const nothing: Step = () => {};
test('imports a file when two scans find it unchanged, and prints one line per import', async () => {
  const half = tinyPicture(2).subarray(0, 50);
  const lines = await watchDuring([
    ({ pictures }) => writeTiny(pictures, 'a.png', 1),
    ({ pictures }) => writeFileSync(join(pictures, 'b.png'), half),
    ({ pictures }) => appendFileSync(join(pictures, 'b.png'), tinyPicture(2).subarray(50)),
    nothing,
    nothing,
    nothing,
  ]);
  assert.deepEqual(lines, [
    'watching pictures; stop with Ctrl-C',
    'created a new catalogue: data/zukan.db',
    '1 added, 0 updated, 0 unchanged',
    '1 added, 0 updated, 0 unchanged',
    'stopped watching',
  ]);
});

test('lists a bad file once, and imports it when it is fixed', async () => {
  const lines = await watchDuring([
    ({ pictures }) => {
      writeTiny(pictures, 'a.png', 1);
      writeFileSync(join(pictures, 'bad.png'), 'text');
    },
    nothing,
    nothing,
    nothing,
    ({ pictures }) => writeTiny(pictures, 'bad.png', 2),
    nothing,
    nothing,
  ]);
  assert.equal(lines.filter((line) => line.includes('bad.png: ')).length, 1, lines.join('\n'));
  assert.equal(lines.filter((line) => /^[12] added/.test(line)).length, 2, lines.join('\n'));
});

test('continues after an import that failed, and imports its files then', async () => {
  const filesFolder = ({ config }: Parameters<Step>[0]) => join(config.dataDir, 'files');
  const lines = await watchDuring([
    ({ pictures }) => writeTiny(pictures, 'a.png', 1),
    (box) => {
      rmSync(filesFolder(box), { recursive: true, force: true });
      writeFileSync(filesFolder(box), 'not a folder');
    },
    (box) => unlinkSync(filesFolder(box)),
    nothing,
  ]);
  assert.match(lines[2] ?? '', /^zukan: .*; trying again$/);
  assert.deepEqual(lines.slice(3), ['1 added, 0 updated, 0 unchanged', 'stopped watching']);
});

test('--prune removes what is gone, but not everything', async () => {
  const lines = await watchDuring(
    [
      ({ pictures }) => {
        for (let index = 0; index < 12; index++) writeTiny(pictures, `${index}.png`, index);
      },
      nothing,
      ({ pictures }) => unlinkSync(join(pictures, '3.png')),
      ({ pictures }) => {
        for (const index of [0, 1, 2, 4]) unlinkSync(join(pictures, `${index}.png`));
      },
      nothing,
    ],
    { prune: true },
  );
  const text = lines.join('\n');
  assert.match(text, /1 image whose files are gone:\n.*pictures\/3\.png\n.* 1 removed\n/);
  assert.equal(text.match(/removed nothing: --prune would remove 4 of 11 images/g)?.length, 1, text);
});

test('notices changes, and stops cleanly on a signal', async () => {
  const { folder, environment } = sandbox();
  const pictures = join(folder, 'pictures');
  mkdirSync(pictures);
  const child = start(['import', '--watch', pictures], environment);
  const ended = once(child, 'close');
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await until('it watches', () => output.includes('watching'));
  writeTiny(pictures, 'cats/a.png', 1);
  await until('the picture is imported', () => output.includes('added'));
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.match(output, /\n\S+Z 2 added, 0 updated, 0 unchanged\nstopped watching\n$/);
});

test('refuses what it cannot watch', async () => {
  await assert.rejects(watchDuring([], { dryRun: true }), /--watch and --dry-run cannot be combined/);
});
