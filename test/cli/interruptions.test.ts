/** Interrupted and failed imports leave the catalogue and the storage unchanged. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesIn } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
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
