/** Image files over HTTP: signed links, how long they work, their origin, ranges and caching. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FileLinks } from '../../src/access/links.ts';
import { loadLinkKeys } from '../../src/config/environment.ts';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { type Drawing, draw, drawInto } from '../support/pictures/pictures.ts';
import { environmentOf, forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { clock, NOW } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import {
  configFor,
  filesFolder,
  importKnownCatalogue,
  type Service,
  type ServiceOptions,
  startKnownService,
  startService,
} from '../support/zukan/service.ts';

let now = Date.parse('2026-05-01T10:00:30.500Z');
const service = await startKnownService({ clock: () => now });
const imageOf = async (index: number) => (await service.get(`/api/image/${images[index]?.id}`)).json.data;
const { url, meta } = await imageOf(0);
const eTag: string = meta.eTag;
const bytes = await draw(images[0]?.drawing as Drawing);

describe('a valid link', () => {
  test('returns the file with the type and entity tag of the record', async () => {
    for (const index of images.keys()) {
      const image = await imageOf(index);
      const file = await service.get(image.url);
      assert.equal(file.status, 200);
      assert.equal(file.headers['content-type'], image.meta.mimetype);
      assert.equal(file.headers['content-length'], String(image.meta.size));
      assert.equal(file.headers.etag, `"${image.meta.eTag}"`);
      assert.equal(createHash('sha256').update(file.bytes).digest('hex'), image.meta.eTag);
      assert.equal(file.headers['x-content-type-options'], 'nosniff');
      assert.equal(file.headers['access-control-allow-origin'], '*');
    }
  });

  test('may be cached until it expires', async () => {
    const { headers } = await service.get(url);
    const left = Math.floor((Date.parse((await imageOf(0)).meta.expires) - now) / 1000);
    assert.equal(headers['cache-control'], `public, max-age=${left}`);
    assert.equal(left, 3629);
    assert.equal(headers.vary, undefined, 'a cache keeps one copy');
  });

  test('responds to HEAD with the same headers and no body', async () => {
    const [get, head] = [await service.get(url), await service.get(url, {}, 'HEAD')];
    assert.equal(head.status, 200);
    assert.equal(head.bytes.length, 0);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'accept-ranges'])
      assert.equal(head.headers[name], get.headers[name], name);
  });
});

test('is not sent again to a client that has it', async () => {
  // test/http/conditional.test.ts compares tags in every way.
  for (const [tag, status] of [
    [`"x", W/"${eTag}"`, 304],
    [eTag, 200],
  ] as const) {
    const response = await service.get(url, { 'If-None-Match': tag });
    assert.deepEqual([response.status, response.headers.etag], [status, `"${eTag}"`]);
    assert.equal(response.bytes.length, status === 304 ? 0 : bytes.length);
  }
});

describe('Range', () => {
  const size = () => bytes.length;
  const cases: [string, () => [number, number] | 416 | 200][] = [
    ['bytes=0-0', () => [0, 0]],
    ['bytes=10-19', () => [10, 19]],
    ['Bytes=10-19', () => [10, 19]],
    ['bytes=100-', () => [100, size() - 1]],
    ['bytes=-5', () => [size() - 5, size() - 1]],
    ['bytes=-999999', () => [0, size() - 1]],
    ['bytes=5-999999', () => [5, size() - 1]],
    ['bytes=999999-', () => 416],
    ['bytes=-0', () => 416],
    ['bytes=9-5', () => 200],
    ['bytes=0-1,3-4', () => 200],
    ['bytes=-', () => 200],
    ['lines=0-1', () => 200],
  ];
  for (const [range, expected] of cases) {
    test(range, async () => {
      const answer = await service.get(url, { Range: range });
      const outcome = expected();
      if (outcome === 416) {
        assert.equal(answer.status, 416);
        assert.equal(answer.headers['content-range'], `bytes */${size()}`);
        assert.deepEqual([answer.json.code, answer.json.success], [416, false]);
        assert.equal(answer.headers['cache-control'], 'no-store');
      } else if (outcome === 200) {
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.bytes, bytes);
      } else {
        const [start, end] = outcome;
        assert.equal(answer.status, 206);
        assert.equal(answer.headers['content-range'], `bytes ${start}-${end}/${size()}`);
        assert.deepEqual(answer.bytes, bytes.subarray(start, end + 1));
      }
    });
  }

  test('is ignored when If-Range does not match', async () => {
    assert.equal((await service.get(url, { Range: 'bytes=0-1', 'If-Range': `"${eTag}"` })).status, 206);
    assert.equal((await service.get(url, { Range: 'bytes=0-1', 'If-Range': '"old"' })).status, 200);
  });
});

describe('a link that is not valid', () => {
  // test/access/links.test.ts changes a link in every way.
  const tampered: [string, (link: string) => string][] = [
    ['another image', (link) => link.replace(images[0]?.id ?? '', images[1]?.id ?? '')],
    ['a later expiry', (link) => link.replace(/expires=(\d+)/, (_, end) => `expires=${Number(end) + 60}`)],
    ['a path out of the folder', (link) => link.replace('/files/', '/files/..%2f')],
    ['broken escapes', (link) => link.replace('/files/', '/files/%zz')],
  ];
  for (const [what, change] of tampered) {
    test(`${what}: 403 in the error envelope`, async () => {
      const answer = await service.get(change(url));
      assert.equal(answer.status, 403);
      assert.equal((await service.get(change(url), {}, 'HEAD')).status, 403);
      assert.deepEqual(Object.keys(answer.json).sort(), ['code', 'message', 'success']);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers.etag, undefined);
    });
  }

  test('is 410 from the moment it expires', async () => {
    const image = await imageOf(0);
    const start = now;
    now = Date.parse(image.meta.expires) - 1;
    assert.equal((await service.get(image.url)).status, 200);
    now += 1;
    const late = await service.get(image.url);
    now = start;
    assert.equal(late.status, 410);
    assert.deepEqual([late.json.code, late.json.success], [410, false]);
  });

  test('is a page for a person, which leads to the image only if the link was ever valid', async () => {
    const page = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };
    const picture = { Accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8' };
    const { id, url, meta } = await imageOf(0);
    const links = new FileLinks(await loadLinkKeys(service.config.dataDir));
    const sign = links.signer(service.origin, { begins: 0, expires: Date.parse(meta.expires) / 1000 });
    const removed = sign({ fileName: `${uuid(9, 9)}.jpg`, key: '' }).url;
    const start = now;
    now = Date.parse(meta.expires);
    const [expired, gone, embedded] = [
      await service.get(url, page),
      await service.get(removed, page),
      await service.get(url, picture),
    ];
    now = start;
    const altered = await service.get(url.replace(/.$/, ''), page);
    assert.deepEqual(
      [expired, gone, altered].map(({ status, headers }) => [status, headers['content-type'], headers.vary]),
      [410, 410, 403].map((status) => [status, 'text/html; charset=utf-8', 'Accept']),
    );
    assert.match(expired.text, /This link has expired/);
    assert.match(expired.text, new RegExp(`href="/pictures/${id}"`));
    assert.match(expired.headers['content-security-policy'] ?? '', /^default-src 'none'/);
    assert.equal(expired.headers['cache-control'], 'no-store');
    for (const { text } of [gone, altered]) {
      assert.match(text, /href="\/"/);
      assert.doesNotMatch(text, /image=/);
    }
    assert.equal(embedded.json.code, 410);
  });
});

test('HEAD ignores Range', async () => {
  const { status, headers } = await service.get(url, { Range: 'bytes=0-1' }, 'HEAD');
  assert.deepEqual([status, headers['content-length']], [200, String(bytes.length)]);
});

test('a link stays valid when the file is replaced by one of another type', async () => {
  const own = await startKnownService();
  const id = images[1]?.id ?? '';
  const before = (await own.get(`/api/image/${id}`)).json.data;
  const folder = temporaryFolder();
  const drawn = await drawInto(folder, {
    ...(images[1]?.drawing as Drawing),
    file: 'new.webp',
    format: 'webp',
  });
  writeFileSync(
    join(folder, 'c.ndjson'),
    JSON.stringify({ type: 'image', id, file: 'new.webp', nsfw: 'sfw' }),
  );
  await importFiles(own.config, [join(folder, 'c.ndjson')]);
  const answer = await own.get(before.url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'image/webp');
  assert.deepEqual(answer.bytes, drawn);
});

test('serves pipelined requests while opening few files at a time', async () => {
  const path = url.replace(service.origin, '');
  // As many as may wait (see pipeline.ts).
  const requests = Array.from({ length: 16 }, (_, index) => {
    const end = index === 15 ? 'Connection: close\r\n' : '';
    return `GET ${path} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
  });
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  socket.write(requests.join(''));
  const openBefore = readdirSync('/proc/self/fd').length;
  let [responses, maxOpen] = ['', 0];
  for await (const chunk of socket) {
    responses += (chunk as Buffer).toString('latin1');
    maxOpen = Math.max(maxOpen, readdirSync('/proc/self/fd').length);
  }
  assert.equal(responses.match(/HTTP\/1\.1 200 OK/g)?.length, 16);
  assert.ok(maxOpen - openBefore < 8, `${maxOpen - openBefore} more descriptors`);
});

test('rotating keys does not break live links', async () => {
  const environment = (keys: string) => ({ environment: { LINK_KEYS: keys }, clock: () => now });
  const old = await startKnownService(environment('old-key-old-key-old'));
  const link = (await old.get('/api/image/random?limit=1')).json.data[0].url.replace(old.origin, '');
  const rotated = (keys: string) =>
    startService({ ...old.config, linkKeys: keys.split(',') }, { clock: () => now });
  assert.equal((await (await rotated('new-key-new-key-new,old-key-old-key-old')).get(link)).status, 200);
  assert.equal((await (await rotated('new-key-new-key-new')).get(link)).status, 403);
});

test('a missing file is a 404 that must not be cached', async () => {
  const broken = await startKnownService();
  const image = (await broken.get('/api/image/random?limit=1')).json.data[0];
  rmSync(join(filesFolder(broken.config), image.meta.eTag.slice(0, 2)), { recursive: true });
  const answer = await broken.get(image.url);
  assert.equal(answer.status, 404);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.json.success, false);
});

// How long links to files work: the default lifetime, `expiry`, and the origin of links.

const HOUR = 3_600_000;
/** The bucket that default links are rounded up to is at most a quarter of the lifetime. */
const MAX_ROUNDING = HOUR / 4;

await forEachEngineInDepth(async (engine) => {
  const path = `/api/image/${uuid(4, 1)}`;
  const folder = temporaryFolder();
  const catalogue = environmentOf(await importKnownCatalogue({ engine }, folder));
  const start = ({ environment, ...options }: ServiceOptions) =>
    startService(configFor(folder, { ...catalogue, ...environment }), options);

  test('a default link is valid for an hour, rounded up to keep links stable for a while', async () => {
    let now = NOW;
    const timed = await start({ clock: () => now });
    const seen = new Map<string, string>();
    for (; now < NOW + HOUR; now += 20_011) {
      const { url, meta } = (await timed.get(path)).json.data;
      const left = Date.parse(meta.expires) - now;
      assert.ok(left >= HOUR && left <= HOUR + MAX_ROUNDING, `${left} ms are left`);
      assert.equal(seen.get(meta.expires) ?? url, url);
      seen.set(meta.expires, url);
    }
    // About 180 calls, twenty seconds apart. Most return the same link as the call before.
    assert.ok(seen.size > 1 && seen.size < 90, `${seen.size} different links`);
    assert.equal(new Set(seen.values()).size, seen.size);
  });

  test('LINK_LIFETIME sets the default lifetime', async () => {
    const brief = await start({ clock, environment: { LINK_LIFETIME: '60' } });
    const left = Date.parse((await brief.get(path)).json.data.meta.expires) - NOW;
    assert.ok(left >= 60_000 && left < 60_000 + MAX_ROUNDING, `${left} ms are left`);
  });
});

// The origin that links start with.

const forwarded = { 'X-Forwarded-Host': 'pictures.example.org', 'X-Forwarded-Proto': 'https' };

async function originFor(environment: Record<string, string>) {
  const service = await startKnownService({ environment });
  return askFrom(service);
}

function askFrom(service: Service) {
  return async (headers: Record<string, string>) => {
    const { json } = await service.get('/api/image/random?limit=1', headers);
    return { origin: json.data[0].url.replace(/\/files\/.*/, ''), fallback: service.origin };
  };
}

describe('without a trusted proxy', async () => {
  const service = await startKnownService();
  const ask = askFrom(service);
  const hosts: [string, string | undefined][] = [
    ['example.org', 'http://example.org'],
    ['example.org:8080', 'http://example.org:8080'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['exa"mple.org', undefined],
    ['a/../b', undefined],
    ['user@example.org', undefined],
    ['a b', undefined],
    ['a:65535', 'http://a:65535'],
    ['a:99999', undefined],
    ['a:', undefined],
    ['[::::]', undefined],
    ['[1:2]', undefined],
    ['999.1.1.1', undefined],
    ['a.0x', undefined],
    [`${'a.'.repeat(130)}example`, undefined],
    ['', undefined],
  ];
  for (const [host, expected] of hosts) {
    test(`Host: ${host}`, async () => {
      const { origin, fallback } = await ask({ Host: host });
      assert.equal(origin, expected ?? fallback);
      const page = { Host: host, Accept: 'text/html' };
      for (const path of ['/', '/docs']) assert.equal((await service.get(path, page)).status, 200, path);
    });
  }

  test('ignores X-Forwarded headers', async () => {
    const { origin, fallback } = await ask(forwarded);
    assert.equal(origin, fallback);
  });
});

test('uses valid X-Forwarded headers of a trusted proxy', async () => {
  const ask = await originFor({ TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.equal((await ask(forwarded)).origin, 'https://pictures.example.org');
  // The proxy adds its value to those that the client sent.
  const spoofed = { 'X-Forwarded-Host': 'a.example, b.example', 'X-Forwarded-Proto': 'https, http' };
  assert.equal((await ask(spoofed)).origin, 'http://b.example');
  for (const host of ['"', 'a:99999', '[::::]', 'a.example, [::::]']) {
    const { origin, fallback } = await ask({ 'X-Forwarded-Host': host });
    assert.equal(origin, fallback, host);
  }
});

test('PUBLIC_URL takes precedence over everything', async () => {
  const ask = await originFor({ PUBLIC_URL: 'https://cdn.example.org', TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.equal((await ask(forwarded)).origin, 'https://cdn.example.org');
});
