/** The icon at the address that browsers try for pages without one, such as JSON. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const PATH = '/favicon.ico';

async function serve(environment: Record<string, string>, folder = temporaryFolder()) {
  const config = configFor(folder, { RATE_LIMIT: 'on', ...environment });
  return startService(config);
}

test('it is the drawn icon in several sizes, which browsers cache', async () => {
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

test('it is the logo of a site that has one, which cannot run scripts', async () => {
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
