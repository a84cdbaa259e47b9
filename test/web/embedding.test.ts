/** Pages on another origin show pictures by the addresses of docs/tour.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, startBrowser } from '../support/browser/browser.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startKnownService } from '../support/zukan/service.ts';

const skip = unless(findChromium(), 'Chromium', installChromium);
const tour = readFileSync(new URL('../../docs/tour.md', import.meta.url), 'utf8');
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(tour)?.[1] ?? assert.fail(`no ${language}`);

/** Opens a page on another origin. */
async function openElsewhere(html: string): Promise<Page> {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><body>${html}`),
  ).listen(0, '127.0.0.1');
  after(() => server.close());
  const page = await openPage(await startBrowser());
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { waitUntil: 'load' });
  return page;
}

const widthsIn = (page: Page) => page.$$eval('img', (shown) => shown.map(({ naturalWidth }) => naturalWidth));

test('a page with more pictures than the limit shows or explains each, and blocks nobody', {
  skip,
}, async () => {
  const service = await startKnownService({ environment: { RATE_LIMIT: 'on' } });
  const pictures = Array.from(
    { length: 32 },
    (_, number) => `<img src="${service.origin}/api/image/random/file?${number}">`,
  );
  const page = await openElsewhere(pictures.join(''));
  const widths = await widthsIn(page);
  assert.equal(widths.filter((width) => width > 0).length, 32, `${widths}`);
  const status = await page.evaluate(async (url) => (await fetch(url)).status, `${service.origin}/api/stats`);
  assert.equal(status, 200);
  await page.context().close();
});

test('a page on another origin shows and reads pictures', { skip }, async () => {
  const service = await startKnownService();
  const html = [
    block('html'),
    block('markdown').replace(/!\[(.*)\]\((.*)\)/, '<img alt="$1" src="$2">'),
    `<img src="${service.origin}/api/image/${uuid(4, 3)}/file?width=32">`,
  ]
    .join('')
    .replaceAll('http://127.0.0.1:3000', service.origin);
  const page = await openElsewhere(html);

  const widths = await widthsIn(page);
  assert.equal(widths.length, 3);
  assert.ok((widths[0] ?? 0) > 0 && (widths[1] ?? 0) > 0, `${widths}`);
  assert.equal(widths[2], 64);

  const types = await page.$$eval('img', (shown) =>
    Promise.all(shown.map(async ({ src }) => (await (await fetch(src)).blob()).type)),
  );
  for (const type of types) assert.match(type, /^image\//);
  await page.context().close();
});
