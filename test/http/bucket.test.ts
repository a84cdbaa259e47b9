/** Files in an S3 bucket: import, links, check, remove, export, and credentials that change. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { DAY_MS } from '../../src/lib/clock.ts';
import { openBucket } from '../../src/media/s3/files.ts';
import { createCatalogue } from '../../src/server/engines.ts';
import { succeed } from '../support/catalogues/backup.ts';
import { images, uuid, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { account } from '../support/servers/s3-guard.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, makeToken, send, startService } from '../support/zukan/service.ts';

const s3 = await startS3();
const { endpoint = '' } = s3.location;

await forEachEngineInDepth(async (engine) => {
  const folder = temporaryFolder();
  const prefix = `files of ${engine.name}/`;
  const environment = {
    ...engine.environment(),
    DATA_DIR: join(folder, 'data'),
    THUMBNAILS: 'off',
    ...s3.environment(encodeURIComponent(prefix)),
  };
  const run = (...command: string[]) => runCommand(command, environment);
  const catalogue = await writeKnownCatalogue(folder);
  const files = openBucket({ ...s3.location, prefix }, folder);
  const keys = async () => await Array.fromAsync(files.keys());
  const config = configFor(folder, environment);
  assert.equal((await importFiles(config, [catalogue])).added, 17);
  const service = await startService(config);
  const token = await makeToken(service.config, ['image:list', 'image:custom-expiry']);
  /** The tests of the other store use the same server at the same time. */
  const requestsSent = () => s3.requests.filter((request) => decodeURIComponent(request).includes(prefix));
  const all = async () => (await service.get('/api/image?limit=25', token.headers)).json.data;

  test('links point into the bucket, to a file with the entity tag of the record', async () => {
    const requests = requestsSent().length;
    const found = await all();
    assert.equal(requestsSent().length, requests, 'making links sends no request to the bucket');
    for (const { id, url, meta } of found) {
      assert.equal(new URL(url).origin, endpoint);
      const file = await send(new URL(url));
      const drawing = images.find((image) => image.id === id)?.drawing.file ?? '';
      assert.equal(file.status, 200);
      assert.deepEqual(file.bytes, readFileSync(join(dirname(catalogue), drawing)));
      assert.equal(file.headers.etag, `"${meta.eTag}"`);
      assert.equal(file.headers['content-type'], meta.mimetype);
      assert.equal(meta.eTag, createHash('md5').update(file.bytes).digest('hex'));
    }
  });

  test('lasting addresses redirect into the bucket', async () => {
    for (const { id, drawing } of images) {
      const { headers } = await service.get(`/api/image/${id}/file`);
      const { pathname, search } = new URL(headers.location ?? '');
      assert.match(pathname + search, new RegExp(`^/pictures/${id}/original\\.\\w+\\?v=\\w{10}$`));
      for (const [path, method] of [
        [pathname + search, 'GET'],
        [pathname, 'GET'],
        [pathname, 'HEAD'],
      ] as const) {
        const redirect = await service.get(path, {}, method);
        assert.deepEqual([redirect.status, redirect.bytes.length], [302, 0]);
        assert.equal(redirect.headers['cache-control'], 'public, max-age=86400, s-maxage=3600');
        const target = new URL(redirect.headers.location ?? '');
        assert.equal(target.origin, endpoint);
        assert.ok(
          Number(target.searchParams.get('X-Amz-Expires')) >= 2 * 86_400,
          'longer than any cache keeps it',
        );
        assert.deepEqual((await send(target)).bytes, readFileSync(join(dirname(catalogue), drawing.file)));
      }
      const older = await service.get(`${pathname}?v=0`);
      assert.deepEqual(
        [older.headers.location, older.headers['cache-control']],
        [pathname + search, 'no-store'],
      );
      assertError(await service.get(`${pathname}?w=1`), 404);
    }
    assertError(await service.get(`/pictures/${uuid(9, 9)}/original.png`), 404);
  });

  test('with LASTING_LINKS=off, the file endpoints redirect into the bucket', async () => {
    const service = await startService({ ...config, lastingLinks: false });
    const { id, drawing } = images[2] ?? assert.fail();
    for (const path of ['/api/image/random/file?nsfw=nsfw', `/api/image/${id}/file`]) {
      const { status, headers } = await service.get(path);
      assert.equal(status, 302);
      const target = new URL(headers.location ?? '');
      assert.equal(target.origin, endpoint);
      assert.deepEqual((await send(target)).bytes, readFileSync(join(dirname(catalogue), drawing.file)));
    }
  });

  test('a link is valid exactly until meta.expires', async () => {
    for (const query of ['', '?expiry=31', '?expiry=604800']) {
      const { data } = (await service.get(`/api/image/${uuid(4, 1)}${query}`, token.headers)).json;
      const { searchParams } = new URL(data.url);
      const signedAt = (searchParams.get('X-Amz-Date') ?? '').replace(
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
        '$1-$2-$3T$4:$5:$6Z',
      );
      const seconds = Number(searchParams.get('X-Amz-Expires'));
      assert.equal(new Date(Date.parse(signedAt) + seconds * 1000).toISOString(), data.meta.expires);
      assert.ok(Date.parse(signedAt) <= Date.now() + 1000);
      assert.equal((await send(new URL(data.url))).status, 200);
    }
  });

  test('rejects an expiry of more than a week, with or without the scope', async () => {
    const bare = await makeToken(service.config, []);
    for (const { headers } of [token, bare]) {
      const answer = await service.get('/api/image/random?expiry=604801', headers);
      assertError(answer, 400, /at most 604800 seconds/);
    }
    assertError(await service.get('/api/image/random?expiry=604800', bare.headers), 403);
  });

  test('importing again uploads nothing and changes nothing', async () => {
    const requests = requestsSent().length;
    assert.equal((await importFiles(config, [catalogue])).unchanged, 17);
    assert.match(
      (await run('import', '--dry-run', catalogue)).output,
      /0 added, 0 updated, 6 unchanged; entries: 0 added, 0 updated, 11 unchanged/,
    );
    assert.ok(
      requestsSent()
        .slice(requests)
        .every((request) => /^HEAD |^GET .*\/\.catalogue$/.test(request)),
    );
  });

  test('an import that fails leaves nothing in the bucket', async () => {
    const before = await keys();
    for (let index = 0; index < 5; index++) writeTiny(folder, `more/${index}.png`, index);
    const lines = [0, 1, 2, 3, 4, 5].map((index) => ({
      type: 'image',
      file: `more/${index}.png`,
      nsfw: 'sfw',
    }));
    writeFileSync(join(folder, 'more.ndjson'), lines.map((line) => JSON.stringify(line)).join('\n'));
    const requests = requestsSent().length;
    const { status, errors } = await run('import', '--strict', join(folder, 'more.ndjson'));
    assert.match(errors, /more.ndjson:6: more\/5.png: no such file/);
    assert.equal(
      requestsSent()
        .slice(requests)
        .filter((request) => request.startsWith('PUT')).length,
      5,
    );
    assert.equal(status, 1, errors);
    assert.deepEqual(await keys(), before);
  });

  test('check reports missing, changed and unused files', async () => {
    assert.deepEqual(await run('check', '--quiet'), { status: 0, output: 'no problems found\n', errors: '' });
    const [first = '', second = ''] = await keys();
    const bytes = await readAll(first);
    await files.remove([first]);
    const upload = await files.beginUpload();
    const facts = { hash: createHash('sha256').update('x').digest('hex'), mimetype: 'image/png' as const };
    await upload.put('stray.png', Buffer.from('x'), facts);
    const original = await readAll(second);
    const changed = Buffer.from(original);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await upload.put(second, changed, { ...facts, hash: createHash('sha256').update(changed).digest('hex') });
    await upload.finish();
    s3.fault = (method) =>
      method === 'HEAD'
        ? { added: { 'last-modified': new Date(Date.now() - 2 * DAY_MS).toUTCString() } }
        : undefined;
    const { status, output } = await run('check', '--quiet');
    s3.fault = () => undefined;
    assert.equal(status, 1);
    assert.match(output, new RegExp(`the file ${first} is missing`));
    assert.match(output, new RegExp(`the file ${second} has the entity tag`));
    assert.match(output, /stray\.png: no image uses this file/);
    assert.equal(output.trim().split('\n').length, 3);
    // Importing the pictures again restores them.
    await files.remove(['stray.png']);
    await importFiles(config, [catalogue]);
    assert.equal((await run('check', '--quiet')).status, 0);
    assert.deepEqual(await readAll(first), bytes);
    assert.deepEqual(await readAll(second), original);
  });

  test('the error for a refused upload names the variable and contains no secret', async () => {
    const wrong = { ...environment, AWS_SECRET_ACCESS_KEY: 'not the secret' };
    const { status, errors } = await runCommand(['import', catalogue], wrong);
    assert.equal(status, 1);
    assert.match(errors, /AWS_SECRET_ACCESS_KEY/);
    assert.ok(!errors.includes('not the secret'));
  });

  async function readAll(key: string): Promise<Buffer> {
    const file = await files.open(key);
    return Buffer.concat(await Array.fromAsync(file?.stream(0, file.size - 1) ?? []));
  }
});

// A server whose credentials for S3 come from a service and rotate.

const MINUTE = 60_000;
const folder = temporaryFolder();
// The servers know the time.
let now = Date.now();
let calls = 0;
let isAway = false;
const service = createServer((request, response) => {
  if (isAway || request.headers.authorization !== 'let me in') {
    response.writeHead(403).end();
    return;
  }
  calls++;
  const { accessKeyId, secretAccessKey } = account;
  const expires = new Date(now + 30 * MINUTE).toISOString();
  const fields = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: `token-${calls}` };
  response.end(JSON.stringify({ ...fields, Expiration: expires }));
}).listen(0, '127.0.0.1');
await once(service, 'listening');
after(() => {
  service.close();
  service.closeAllConnections();
});
const environment = {
  DATA_DIR: join(folder, 'data'),
  THUMBNAILS: 'off',
  FILES_URL: s3.environment().FILES_URL as string,
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${(service.address() as { port: number }).port}/`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'let me in',
};

test('imports and links use temporary credentials, and new ones before they expire', async () => {
  writeTiny(join(folder, 'pictures'), '1.png', 1);
  await succeed(['import', '--quiet', join(folder, 'pictures')], environment);
  const config = configFor(folder, environment);
  // Asks once whose the bucket is.
  await createCatalogue(config);
  calls = 0;
  const server = await startService(config, { clock: () => now });
  const randomImage = async () => (await server.get('/api/image/random')).json.data[0];
  const started = now;
  const first = await randomImage();
  assert.equal(new URL(first.url).searchParams.get('X-Amz-Security-Token'), 'token-1');
  // The credentials last half an hour, links would last one.
  assert.equal(Date.parse(first.meta.expires), Math.floor((started + 30 * MINUTE) / 1000) * 1000);
  assert.equal((await fetch(first.url)).status, 200);

  now += 19 * MINUTE;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  assert.equal((await randomImage()).meta.expires, first.meta.expires);
  now += 2 * MINUTE;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  const second = await randomImage();
  assert.equal(new URL(second.url).searchParams.get('X-Amz-Security-Token'), 'token-2');
  assert.ok(Date.parse(second.meta.expires) > Date.parse(first.meta.expires));

  isAway = true;
  now += 29 * MINUTE;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  now += 2 * MINUTE;
  const { json } = await server.get('/health/ready');
  assert.equal(json.status, 'degraded');
  assert.match(json.parts.files, /./);
  // The API works; its links say the truth.
  assert.ok(Date.parse((await randomImage()).meta.expires) <= now);
  isAway = false;
  now += 2000;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  assert.equal(new URL((await randomImage()).url).searchParams.get('X-Amz-Security-Token'), 'token-3');
});

test('a server without credentials does not start, and says what to do', async () => {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN: _token, ...without } = environment;
  const { status, errors } = await runCommand(['serve'], { ...without, PORT: '0', LOG_LEVEL: 'silent' });
  assert.equal(status, 1);
  assert.match(errors, /^zukan: there are no credentials for FILES_URL: http:.* responded 403\n$/);
});
