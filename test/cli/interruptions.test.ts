/** Interrupted and failed imports leave the catalogue and the storage unchanged. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyed } from '../support/catalogues/import.ts';
import { filesIn, snapshot } from '../support/checks/dump.ts';
import { atDepth, testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, start } from '../support/zukan/program.ts';
import { configFor, filesFolder } from '../support/zukan/service.ts';

function newCatalogue() {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data') };
  const config = configFor(folder);
  const files = filesFolder(config);
  return { folder, environment, config, files };
}

/** An import that waits for standard input has the write lock and a journal. */
const hasJournal = (files: string) =>
  existsSync(files) && readdirSync(files).some((name) => name.startsWith('.intake-'));

testDeep('a signal stops an import that waits for input', async () => {
  const { environment, files } = newCatalogue();
  for (const signal of atDepth(['SIGTERM' as const], ['SIGINT' as const, 'SIGTERM' as const])) {
    const waiting = start(['import', '-'], environment);
    const ended = once(waiting, 'close');
    waiting.stdin?.write('{"type":"artist","name":"Somebody"}\n');
    await until('the import has started', () => hasJournal(files));
    waiting.kill(signal);
    assert.deepEqual(await ended, [1, null]);
    assert.deepEqual(filesIn(files), []);
  }
  const { output } = await runCommand(['stats', '--json'], environment);
  assert.equal(JSON.parse(output).artists.count, 0);
});

test('rejects a named pipe instead of waiting for it', async () => {
  const { folder, environment } = newCatalogue();
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
  writeFileSync(join(folder, 'pipe.ndjson'), '{"type":"image","file":"pipe.png","nsfw":"sfw"}\n');
  const { status, output } = await runCommand(['import', join(folder, 'pipe.ndjson')], environment);
  assert.equal(status, 1);
  assert.match(output, /pipe\.png: is not a file/);
});

test('tokens can be created and revoked while an import runs', async () => {
  const { environment, files } = newCatalogue();
  const waiting = start(['import', '-'], environment);
  const ended = once(waiting, 'close');
  waiting.stdin?.write('{"type":"artist","name":"Somebody"}\n');
  await until('the import has started', () => hasJournal(files));
  const create = ['token', 'create', '--owner', 'me', '--purpose', 'x', '--json'];
  const created = await runCommand(create, environment);
  assert.equal(created.status, 0, created.errors);
  const { id } = JSON.parse(created.output);
  assert.equal((await runCommand(['token', 'revoke', id], environment)).status, 0);
  waiting.stdin?.end();
  assert.deepEqual(await ended, [0, null]);
});

test('Ctrl-C in the middle of pictures leaves no files behind', async () => {
  const PICTURES = 20;
  const { folder, environment, files } = newCatalogue();
  const records = Array.from({ length: PICTURES }, (_, index) => {
    writeTiny(folder, `${index}.png`, index);
    return JSON.stringify({ type: 'image', file: `${index}.png`, nsfw: 'sfw' });
  });
  writeFileSync(join(folder, 'pictures.ndjson'), records.join('\n'));
  const stored = () =>
    existsSync(files)
      ? readdirSync(files, { recursive: true }).filter((name) => /\.png$/.test(String(name))).length
      : 0;
  for (const count of atDepth([PICTURES], [1, 7, PICTURES])) {
    // Standard input stays open, so the import cannot finish.
    const child = start(['import', join(folder, 'pictures.ndjson'), '-'], environment);
    const ended = once(child, 'close');
    await until(`${count} pictures are stored`, () => stored() >= count);
    child.kill('SIGINT');
    assert.deepEqual(await ended, [1, null]);
    assert.deepEqual(filesIn(files), []);
  }
});

testDeep('a full disk is reported and leaves the catalogue unchanged', async () => {
  const { folder, environment, config } = newCatalogue();
  await runCommand(['import', '-'], environment, JSON.stringify(keyed(1)));
  const before = snapshot(config);
  const url = `https://example.org/${'x'.repeat(1000)}`;
  const lines = Array.from({ length: 4000 }, (_, index) =>
    JSON.stringify({ type: 'artist', name: `Artist ${index}`, url }),
  );
  writeFileSync(join(folder, 'large.ndjson'), lines.join('\n'));
  const main = join(import.meta.dirname, '../../src/main.ts');
  // Files may not grow beyond 2,000 blocks of 1 KiB.
  const command = `ulimit -f 2000; exec "$0" "$1" import "$2"`;
  const parameters = ['-c', command, process.execPath, main, join(folder, 'large.ndjson')];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn('bash', parameters, { env: { PATH, NODE_COMPILE_CACHE, ...environment } });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [status] = await once(child, 'close');
  assert.equal(status, 1, errors);
  assert.match(errors, /disk/);
  assert.equal(snapshot(config), before);
});
