/** Runs the examples of docs/client.md against a service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startBrowser } from '../support/browser/browser.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const client = new URL('../../client/index.ts', import.meta.url).href;
const DOCUMENTED_ORIGIN = 'http://127.0.0.1:3000';

/** The expected output of each example, in the order of the page. */
const expected = [
  /^http.+ by \S+, who has \d pictures here\n$/,
  /^sfw portrait\n$/,
  /^(http\S+ by \S+\n){6}$/,
  /^by .+\nby .+\nInvalid categories: there is no category "dragons"\.\n$/,
  /^\d{4}-\d\d-\d\d http\S+\n$/,
  /^4 pictures with a kimono\n$/,
  /^4 2 undefined\n$/,
  /^4 undefined\n(\S+Z http\S+\n){4}$/,
  /^<img src="http\S+" alt="">\nhttp\S+\/file\?width=480\n$/,
  /^Mariko 3\nabe 1\n$/,
  /^2 of 2\n$/,
  /^6 4\n$/,
  /^400 Invalid search query: .+ [0-9a-f-]{36}\n$/,
  /^(#[0-9a-f]{6}\s){6}$/,
  /^image:list, image:custom-expiry:86400\n(http.+Z\n){6}$/,
];

/** Returns what each example prints. */
async function run(texts: string[], origin: string, TOKEN: string): Promise<string[]> {
  const folder = temporaryFolder();
  const imports = texts.map((example, index) => {
    const text = example.replaceAll('zukan-client', client).replaceAll(DOCUMENTED_ORIGIN, origin);
    writeFileSync(join(folder, `${index}.ts`), text);
    return `await import('./${index}.ts'); console.log('----');`;
  });
  const script = join(folder, 'examples.ts');
  writeFileSync(script, imports.join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { TOKEN } });
  return stdout.split('----\n').slice(0, -1);
}

test('every example prints the expected output', async () => {
  const { origin, config } = await startKnownService();
  const { secret } = await makeToken(config, ['image:list', 'image:custom-expiry:86400']);
  const outputs = await run(examples, origin, secret);
  assert.equal(outputs.length, expected.length);
  for (const [index, output] of outputs.entries()) assert.match(output, expected[index] as RegExp);
});

test('the bot is not limited by its token', async () => {
  const now = Date.now();
  // The clock stands still, so a client without an exemption would be refused for ever.
  const service = await startKnownService({ environment: { RATE_LIMIT: 'on' }, clock: () => now });
  const { secret } = await makeToken(service.config, ['api:ratelimit:disabled']);
  const bot = examples.findIndex((example) => example.includes('pictureCommand'));
  const [output = ''] = await run([examples[bot] ?? ''], service.origin, secret);
  assert.match(output, expected[bot] as RegExp);
});

test('the page on another origin shows a picture and its artist', {
  skip: unless(findChromium(), 'Chromium', installChromium),
}, async () => {
  // The first of the matching images, which has an artist.
  const service = await startKnownService({ environment: { RATE_LIMIT: 'on' }, randomInt: () => 0 });
  const html = /```html\n([\s\S]*?)```/.exec(page)?.[1]?.replaceAll(DOCUMENTED_ORIGIN, service.origin) ?? '';
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
