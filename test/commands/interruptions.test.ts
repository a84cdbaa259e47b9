/** Imports that are stopped, refused or raced leave nothing behind and take nothing away. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { writeKnownCatalogue } from '../support/catalogue.ts';
import { filesIn, snapshot } from '../support/dump.ts';
import { draw } from '../support/pictures.ts';
import { start, zukan } from '../support/program.ts';
import { configFor, filesFolder } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

/** A folder with a catalogue of `count` different pictures, and a good and a bad file of them. */
async function pictures(count: number) {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data') };
  const records = [];
  for (let index = 0; index < count; index++) {
    const file = `${index}.png`;
    const colour = `#${(index * 7919 + 4096).toString(16).padStart(6, '0').slice(-6)}`;
    writeFileSync(
      join(folder, file),
      await draw({ file, format: 'png', width: 40 + (index % 50), height: 40, colour }),
    );
    records.push({ type: 'image', file, nsfw: 'sfw' });
  }
  const write = (name: string, lines: object[]) => {
    writeFileSync(join(folder, name), lines.map((line) => JSON.stringify(line)).join('\n'));
    return join(folder, name);
  };
  const good = write('good.ndjson', records);
  const bad = write('bad.ndjson', [
    ...records.toReversed(),
    { type: 'image', file: 'none.png', nsfw: 'sfw' },
  ]);
  return { folder, environment, config: configFor(folder), good, bad };
}

test('an import that waits for input, or for a pipe, stops when it is told to', async () => {
  const { folder, environment } = await pictures(0);
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
  writeFileSync(join(folder, 'pipe.ndjson'), '{"type":"image","file":"pipe.png","nsfw":"sfw"}\n');
  const refused = await zukan(['import', join(folder, 'pipe.ndjson')], environment);
  assert.match(refused.errors, /pipe\.png: is not a file/);

  const waiting = start(['import', '-'], environment);
  const ended = once(waiting, 'close');
  waiting.stdin?.write('{"type":"artist","name":"Somebody"}\n');
  await setTimeout(1500);
  waiting.kill('SIGINT');
  assert.deepEqual(await ended, [1, null]);
});

test('tokens are made and revoked while an import runs', async () => {
  const { environment } = await pictures(0);
  const waiting = start(['import', '-'], environment);
  const ended = once(waiting, 'close');
  waiting.stdin?.write('{"type":"artist","name":"Somebody"}\n');
  await setTimeout(1500);
  const create = ['token', 'create', '--owner', 'me', '--purpose', 'x', '--json'];
  const created = await zukan(create, environment);
  assert.equal(created.status, 0, created.errors);
  assert.equal((await zukan(['token', 'revoke', JSON.parse(created.output).id], environment)).status, 0);
  waiting.stdin?.end();
  assert.deepEqual(await ended, [0, null]);
});

test('Ctrl-C in the middle of pictures leaves no bytes behind', async () => {
  const { environment, config, good } = await pictures(400);
  for (const wait of [900, 1100, 1300]) {
    const child = start(['import', good], environment);
    const ended = once(child, 'close');
    await setTimeout(wait);
    child.kill('SIGINT');
    const [status] = await ended;
    if (status === 0) return;
    assert.deepEqual(filesIn(filesFolder(config)), [], `after ${wait} ms`);
  }
});

test('a refused import takes no bytes from the one that comes next', async () => {
  const { environment, config, good, bad } = await pictures(300);
  const [refused, accepted] = await Promise.all([
    zukan(['import', bad], environment),
    setTimeout(300).then(() => zukan(['import', good], environment)),
  ]);
  assert.equal(refused.status, 1);
  if (accepted.status !== 0) {
    assert.match(accepted.errors, /another command is changing the catalogue/);
    assert.equal((await zukan(['import', good], environment)).status, 0);
  }
  assert.equal(
    filesIn(filesFolder(config)).length,
    new Set(filesIn(filesFolder(config)).map((line) => line.split(' ')[1])).size,
  );
  const { image } = JSON.parse(snapshot(config));
  for (const { key } of image) assert.ok(statSync(join(filesFolder(config), key)).size > 0, key);
});

test('a refused import does not remove what an image already had, and a good one mends it', async () => {
  const { environment, config, good, bad } = await pictures(3);
  await zukan(['import', good], environment);
  const [first = ''] = filesIn(filesFolder(config));
  const [name = '', hash] = first.split(' ');
  truncateSync(join(filesFolder(config), name), 5);
  assert.equal((await zukan(['import', bad], environment)).status, 1);
  assert.equal(filesIn(filesFolder(config)).length, 3);
  assert.equal((await zukan(['import', good], environment)).status, 0);
  assert.ok(filesIn(filesFolder(config)).includes(`${name} ${hash}`));
});

test('a full disk is told as such, and leaves the catalogue as it was', async () => {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data') };
  await zukan(['import', await writeKnownCatalogue(folder)], environment);
  const before = snapshot(configFor(folder));
  const lines = Array.from({ length: 20_000 }, (_, index) =>
    JSON.stringify({
      type: 'artist',
      name: `Artist ${index}`,
      url: `https://example.org/${'x'.repeat(500)}`,
    }),
  );
  writeFileSync(join(folder, 'large.ndjson'), lines.join('\n'));
  const main = join(import.meta.dirname, '../../src/main.ts');
  const command = `ulimit -f 8000; exec "$0" "$1" import "$2"`;
  const parameters = ['-c', command, process.execPath, main, join(folder, 'large.ndjson')];
  const child = spawn('bash', parameters, { env: { PATH: process.env.PATH, ...environment } });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [status] = await once(child, 'close');
  assert.equal(status, 1, errors);
  assert.match(errors, /disk/);
  assert.equal(snapshot(configFor(folder)), before);
});

test('keys that are no keys stop the server with a message', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'link.keys'), '\n');
  const { status, errors } = await zukan(['serve'], { DATA_DIR: data, PORT: '0' });
  assert.equal(status, 1);
  assert.match(errors, /link\.keys contains no usable keys/);
  assert.ok(readdirSync(data).includes('link.keys'));
});
