/** The progress of long work. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { startProgress } from '../../src/cli/terminal/terminal.ts';

function collect(isTTY: boolean) {
  const lines: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  return { lines, stderr: Object.assign(new Writable({ write }), { isTTY }) };
}

test('writes a line every three seconds, with the share and the time left', () => {
  const { lines, stderr } = collect(false);
  let now = 0;
  const progress = startProgress('Importing', 100, { stderr }, () => now);
  for (const time of [1000, 2999, 3000, 4000, 5999, 6000]) {
    now = time;
    progress.advance(10);
  }
  progress[Symbol.dispose]();
  assert.deepEqual(lines, [
    'Importing: 30%, 3 done, 1/s, 7 s left\n',
    'Importing: 60%, 6 done, 1/s, 4 s left\n',
  ]);
});

test('writes only the count if the total is unknown', () => {
  const { lines, stderr } = collect(false);
  let now = 0;
  const progress = startProgress('Checking', undefined, { stderr }, () => now);
  now = 3000;
  progress.advance(1);
  assert.deepEqual(lines, ['Checking: 1 done, 0/s\n']);
});

test('draws a bar on a terminal and removes it at the end', () => {
  const { lines, stderr } = collect(true);
  let now = 0;
  const progress = startProgress('Importing', 2, { stderr }, () => now);
  now = 100;
  progress.advance(1);
  progress[Symbol.dispose]();
  const bar = `${'█'.repeat(12)}${'░'.repeat(12)}`;
  assert.deepEqual(lines, [`\r\x1b[KImporting ${bar} 50%, 1 done, 10/s, 1 s left`, '\r\x1b[K']);
});
