// depth: all
/** The page in docs/client.md, which uses the client from another origin. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startBrowser } from '../support/browser/browser.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { startKnownService } from '../support/zukan/service.ts';

const text = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
const DOCUMENTED_ORIGIN = 'http://127.0.0.1:3000';

test('the page on another origin shows a picture and its artist', {
  skip: unless(findChromium(), 'Chromium', installChromium),
}, async () => {
  // The first of the matching images, which has an artist.
  const service = await startKnownService({ environment: { RATE_LIMIT: 'on' }, randomInt: () => 0 });
  const html = /```html\n([\s\S]*?)```/.exec(text)?.[1]?.replaceAll(DOCUMENTED_ORIGIN, service.origin) ?? '';
  const server = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(html),
  );
  after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  const tab = await (await startBrowser()).newPage();
  const problems: string[] = [];
  tab.on('pageerror', ({ message }) => problems.push(message));
  tab.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  await tab.goto(`http://127.0.0.1:${port}/`);
  await tab.getByText('by Mariko').waitFor();
  await tab.waitForFunction('document.getElementById("picture").naturalWidth > 0');
  assert.deepEqual(problems, []);
});
