/** Lost files and a damaged database file: the health check says so, and no response is broken. */
import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { temporaryFolder } from '../support/workspace.ts';
import {
  configFor,
  databaseFile,
  filesFolder,
  importKnownCatalogue,
  type Service,
  startKnownService,
  startService,
} from '../support/zukan/service.ts';

const ids = images.map((_, index) => uuid(4, index + 1));

async function readHealth(service: Service) {
  const { status, json } = await service.get('/health/ready');
  return [status, json.status, ...Object.keys(json.parts ?? {})];
}

/** Each health check may ask again. */
function steppingClock(): () => number {
  let now = Date.parse('2026-03-01T00:00:00.000Z');
  return () => {
    now += 1000;
    return now;
  };
}

describe('the files folder', async () => {
  const service = await startKnownService({ clock: steppingClock() });
  const folder = filesFolder(service.config);

  test('is reported when it is missing, empty or not a folder, until it is back', async () => {
    assert.deepEqual(await readHealth(service), [200, 'ready']);
    await rename(folder, `${folder}.away`);
    assert.deepEqual(await readHealth(service), [200, 'degraded', 'files']);
    const { text } = await service.get('/metrics');
    assert.match(text, /^zukan_part_up\{part="files"\} 0$/m);
    await mkdir(folder);
    assert.deepEqual(await readHealth(service), [200, 'degraded', 'files']);
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    assert.deepEqual(await readHealth(service), [200, 'degraded', 'files']);
    await rm(folder);
    await rename(`${folder}.away`, folder);
    assert.deepEqual(await readHealth(service), [200, 'ready']);
  });

  test('may be missing while the catalogue has no images', async () => {
    const empty = await startService(configFor(temporaryFolder()));
    assert.deepEqual(await readHealth(empty), [200, 'ready']);
  });
});

test('a catalogue whose file was removed or emptied is reported', async () => {
  const service = await startKnownService({ clock: steppingClock() });
  assert.deepEqual(await readHealth(service), [200, 'ready']);
  const path = databaseFile(service.config);
  await rename(path, `${path}.away`);
  assert.deepEqual(await readHealth(service), [200, 'degraded', 'catalogue']);
  await rename(`${path}.away`, path);
  assert.deepEqual(await readHealth(service), [200, 'ready']);
  await truncate(path);
  assert.equal((await readHealth(service)).at(-1), 'catalogue');
});

/** A catalogue whose file a function has changed. */
async function damagedCatalogue(damage: (bytes: Buffer) => void): Promise<Config> {
  const config = await importKnownCatalogue();
  const path = databaseFile(config);
  {
    using connection = new DatabaseSync(path);
    connection.exec('pragma wal_checkpoint(truncate)');
  }
  const bytes = await readFile(path);
  damage(bytes);
  await writeFile(path, bytes);
  return config;
}

/** Replaces a text everywhere in the file by another one of the same length. */
function replaceAll(bytes: Buffer, text: string, replacement: Buffer): void {
  assert.equal(Buffer.byteLength(text), replacement.length);
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1), count++)
    replacement.copy(bytes, at);
  assert.ok(count > 0, 'the text is in the file');
}

describe('a damaged document', () => {
  const damages: Record<string, [string, Buffer]> = {
    'a lost quote': ['"nsfw":"', Buffer.from('"nsfw":#')],
    zeros: ['"createdAt":"', Buffer.alloc(13)],
    'bytes that are not text': ['"dimens":{', Buffer.alloc(10, 0xff)],
    'a quote in the file name': ['"url":"\n4', Buffer.from('"url":"\n"')],
    'a lost key': ['"categories":', Buffer.from('"categorieX":')],
    'a lost artist': ['}}}\n{"id":', Buffer.from('}}}\n{"iX":')],
    'a lost placeholder': ['"url":"\n', Buffer.from('"url":"x')],
  };
  for (const [name, [text, replacement]] of Object.entries(damages)) {
    test(`${name}: 500 for what is damaged, and never a broken response`, async () => {
      const config = await damagedCatalogue((bytes) => replaceAll(bytes, text, replacement));
      const service = await startService(config, { clock: steppingClock() });
      // The helper parses each response and compares it with the API description.
      for (const id of ids) assert.equal((await service.get(`/api/image/${id}`)).status, 500);
      for (const path of ['/image/random', `/artist/${uuid(2, 1)}/images`, '/image/random?seed=1'])
        assert.equal((await service.get(`/api${path}`)).status, 500, path);
      assert.deepEqual(await readHealth(service), [200, 'degraded', 'catalogue']);
    });
  }

  const start = `{"id":"${uuid(2, 1)}"`;
  const damagedEntries = {
    'quotes only': Buffer.alloc(start.length, '"'),
    'bytes that are not text': Buffer.from(start.replace('000', '\xff\xff\xff'), 'latin1'),
  };
  for (const [name, replacement] of Object.entries(damagedEntries))
    test(`of an artist or category is a 500, too: ${name}`, async () => {
      const config = await damagedCatalogue((bytes) => replaceAll(bytes, start, replacement));
      const service = await startService(config);
      for (const path of ['/artist', `/artist/${uuid(2, 1)}`, '/artist?search=%25'])
        assert.equal((await service.get(`/api${path}`)).status, 500, path);
      assert.equal((await service.get('/api/category')).status, 200);
    });

  test('is noticed by the health check before anyone asks for it', async () => {
    const config = await damagedCatalogue((bytes) =>
      replaceAll(bytes, '"nsfw":"questionable"', Buffer.from('"nsfw":"questionable\n')),
    );
    const service = await startService(config);
    assert.deepEqual(await readHealth(service), [200, 'degraded', 'catalogue']);
  });
});
