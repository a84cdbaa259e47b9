/** The files of the gallery, and its icon. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startKnownService, startService } from '../support/zukan/service.ts';

/** Browsers send more, but this is what they prefer. */
const browser = { Accept: 'text/html' };
const service = await startKnownService({ environment: { API_PREFIXES: '/v2/beta,/api' } });

/** The page and everything that it and its stylesheet name, in the order of the page. */
async function galleryPaths() {
  const page = (await service.get('/newest', browser)).text;
  const linked = [...page.matchAll(/(?:href|src|data-[a-z]+)="(\/gallery\/[^"]+)"/g)].map(
    (match) => match[1] as string,
  );
  const style = (await service.get(linked.find((path) => path.includes('style.css')) as string)).text;
  const fonts = [...style.matchAll(/url\("([^"]+)"\)/g)].map((match) => `/gallery/${match[1]}`);
  return ['/newest', ...new Set([...linked, ...fonts])];
}

test('a page loads one stylesheet of at most 8 KB compressed, a script, and what they load later', async (t) => {
  const paths = await galleryPaths();
  const names = paths.map((path) => path.replace(/\?.*/, ''));
  const files = ['icon.svg', 'style.css', 'gallery.js', 'viewer.js', 'viewer.css', 'serif.woff2'];
  assert.deepEqual(names, ['/newest', ...files.map((name) => `/gallery/${name}`)]);
  const font = await service.get(paths.at(-1) ?? '');
  assert.equal(font.headers['content-type'], 'font/woff2');
  assert.ok(font.bytes.length < 30_000, `${font.bytes.length} bytes`);
  const style = await service.get(paths[2] ?? '', { 'Accept-Encoding': 'gzip, br' });
  assert.equal(style.headers['content-encoding'], 'br');
  t.diagnostic(`${style.bytes.length} bytes`);
  assert.ok(style.bytes.length < 8000);
});

test('the modules of the client import each other', async () => {
  const seen = new Set<string>();
  const follow = async (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const { status, text, headers } = await service.get(path);
    assert.equal(status, 200, path);
    assert.match(headers['content-type'] ?? '', /^text\/javascript/);
    for (const [, target] of text.matchAll(/from '([^']+)'/g))
      await follow(new URL(target as string, service.origin + path).pathname);
  };
  await follow('/gallery/client/index.js');
  assert.ok(seen.size > 5);
});

test('a file is cached for ever under the address in the page, and under no other', async () => {
  const versioned = (await galleryPaths()).filter((path) => path.includes('?'));
  assert.equal(versioned.length, 5);
  for (const path of versioned) {
    const { headers } = await service.get(path);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    for (const other of [path.replace(/\?.*/, ''), `${path}x`, `${path}&x=1`]) {
      const answer = await service.get(other);
      assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-cache'], other);
    }
  }
});

test('every encoding of a text has the same content, and If-None-Match works', async () => {
  const types = {
    '/newest': 'text/html',
    '/docs': 'text/html',
    '/gallery/style.css': 'text/css',
    '/docs.css': 'text/css',
    '/gallery/gallery.js': 'text/javascript',
    '/gallery/client/index.js': 'text/javascript',
    '/docs.js': 'text/javascript',
    '/openapi.json': 'application/json',
  };
  for (const [path, type] of Object.entries(types)) {
    const plain = await service.get(path, browser);
    assert.equal(plain.headers['content-type'], `${type}; charset=utf-8`);
    for (const [encoding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
      const { headers, bytes } = await service.get(path, { ...browser, 'Accept-Encoding': encoding });
      assert.deepEqual(
        [headers['content-encoding'], headers['content-type']],
        [encoding, plain.headers['content-type']],
      );
      assert.equal(decode(bytes).toString(), plain.text);
    }
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    const again = await service.get(path, { ...browser, 'If-None-Match': plain.headers.etag ?? '' });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
    const head = await service.get(path, browser, 'HEAD');
    assert.deepEqual(
      [head.status, head.text, head.headers['content-length'], head.headers.etag],
      [200, '', String(plain.bytes.length), plain.headers.etag],
    );
  }
});

test('serves nothing else', async () => {
  for (const path of [
    '/gallery/',
    '/gallery/main.ts',
    '/gallery/index.html',
    '/gallery/header.css',
    '/gallery/route.js',
    '/gallery/logo',
    '/gallery/tsconfig.json',
    '/gallery/..%2fpackage.json',
    '/gallery/constructor',
  ])
    assert.equal((await service.get(path)).status, 404, path);
  assert.equal((await service.get('/', {}, 'POST')).status, 405);
});

test('the page has a strict content security policy', async () => {
  const { text, headers } = await service.get('/', browser);
  assert.doesNotMatch(
    text,
    /<script(?![^>]*( src=| type="application\/ld\+json"))|<style| style=| on\w+=|\{\{/,
  );
  const policy = headers['content-security-policy'] ?? '';
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'; /,
  );
  assert.doesNotMatch(policy, /unsafe|\*/);
});

test('the policy allows images from the origin of links', async () => {
  const bucket = { FILES_URL: 's3://pictures', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const cases: [Record<string, string>, string][] = [
    [{}, 'http://gallery.test:8080'],
    [{ PUBLIC_URL: 'https://cdn.example.org' }, 'https://cdn.example.org'],
    [bucket, 'https://pictures.s3.us-east-1.amazonaws.com'],
  ];
  for (const [environment, origin] of cases) {
    const { get } = await startService(configFor(temporaryFolder(), environment));
    const { headers } = await get('/', { ...browser, Host: 'gallery.test:8080' });
    assert.ok(headers['content-security-policy']?.includes(`img-src 'self' ${origin};`), origin);
  }
});

// The icon at the address that browsers try for pages without one, such as JSON.

const PATH = '/favicon.ico';

async function serve(environment: Record<string, string>, folder = temporaryFolder()) {
  const config = configFor(folder, { RATE_LIMIT: 'on', ...environment });
  return startService(config);
}

test('the icon is drawn in several sizes, which browsers cache', async () => {
  const service = await serve({ API_PREFIXES: '/' });
  const { status, headers, bytes } = await service.get(PATH);
  assert.deepEqual([status, headers['content-type']], [200, 'image/x-icon']);
  assert.equal(headers['cache-control'], 'public, max-age=86400');
  const sizes: number[] = [];
  for (let entry = 6; entry < 6 + 16 * bytes.readUInt16LE(4); entry += 16) {
    const from = bytes.readUInt32LE(entry + 12);
    const picture = sharp(bytes.subarray(from, from + bytes.readUInt32LE(entry + 8)));
    const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.equal(info.width, bytes[entry]);
    sizes.push(info.width);
    const middleOfTop = Math.floor(info.width / 2) * 4 + info.width * 4;
    const [red = 0, green = 0, blue = 0, alpha] = data.subarray(middleOfTop, middleOfTop + 4);
    assert.ok(red > 150 && green < 90 && blue < 60 && alpha === 255, `${red} ${green} ${blue} ${alpha}`);
  }
  assert.deepEqual(sizes, [16, 32, 48]);
  // More often than the rate limit allows.
  for (let count = 0; count < 5; count++)
    assert.equal((await service.get(PATH, { 'If-None-Match': headers.etag ?? '' })).status, 304);
  const head = await service.get(PATH, {}, 'HEAD');
  assert.deepEqual(
    [head.status, head.headers['content-length'], head.bytes.length],
    [200, String(bytes.length), 0],
  );
  assert.equal((await service.get(PATH, {}, 'POST')).status, 405);
});

test('the icon is the logo of a site that has one, which cannot run scripts', async () => {
  const folder = temporaryFolder();
  const logo = join(folder, 'logo.svg');
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><script>1</script></svg>',
  );
  const { status, headers, text } = await (await serve({ SITE_LOGO: logo }, folder)).get(PATH);
  assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
  assert.match(text, /^<svg/);
  assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*sandbox/);
});
