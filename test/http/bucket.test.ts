/** Files in an S3 bucket: import, links, check, remove, export. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { DAY_MS } from '../../src/lib/clock.ts';
import { openBucket } from '../../src/media/s3/files.ts';
import { images, uuid, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
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
