/** Programs that use the client: examples, mistakes, older runtimes, and its package. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Zukan } from '../../client/index.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { newerGlobals, removalOf } from '../support/newer-globals.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { NODE_COMPILE_CACHE } from '../support/zukan/program.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const client = new URL('../../client/index.ts', import.meta.url).href;
const DOCUMENTED_ORIGIN = 'http://127.0.0.1:3000';

/** The first example makes the client that those without one use. */
const preamble = examples[0]?.split('\n').slice(0, 3).join('\n') ?? '';
const completed = examples.map((text) => (text.includes('new Zukan(') ? text : `${preamble}\n${text}`));

/** The expected output of each example, in the order of the page. */
const expected = [
  /^http.+ by \S+, who has \d pictures here\n$/,
  /^http\S+ by \S+\n$/,
  /^\S.* by .+\n\S.* by .+\nThere are no such pictures\.\n$/,
  /^<img src="http\S+\/file\?width=480" alt="">\n$/,
  /^4 pictures with a kimono\n$/,
  /^4 2 undefined\n$/,
  /^(\S+Z http\S+\n){2}$/,
  /^6 pictures\n$/,
  /^abe\nMariko\n2 of 2\n$/,
  /^400 Invalid search query: .+ [0-9a-f-]{36}\n$/,
];

interface Example {
  text: string;
  origin: string;
  token: string;
}

/** Runs examples in one process, and returns what each prints. */
async function run(list: Example[]): Promise<string[]> {
  const folder = temporaryFolder();
  const imports = list.map(({ text, origin, token }, index) => {
    const script = text.replaceAll('zukan-client', client).replaceAll(DOCUMENTED_ORIGIN, origin);
    writeFileSync(join(folder, `${index}.ts`), script);
    return `process.env.TOKEN = '${token}'; await import('./${index}.ts'); console.log('----');`;
  });
  const script = join(folder, 'examples.ts');
  writeFileSync(script, imports.join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { NODE_COMPILE_CACHE } });
  return stdout.split('----\n').slice(0, -1);
}

test('every example prints the expected output, the bot and the mirror with the limit on', async () => {
  const { origin, config } = await startKnownService();
  const { secret: token } = await makeToken(config, ['image:list']);
  const list = completed.map((text) => ({ text, origin, token }));
  const [bot, mirror] = ['pictureCommand', 'catchUp'].map((name) =>
    examples.findIndex((example) => example.includes(name)),
  ) as [number, number];
  const now = Date.now();
  // The clock stands still, so a client without an exemption would be refused for ever.
  const limited = await startKnownService({ environment: { RATE_LIMIT: 'on' }, clock: () => now });
  const exempt = await makeToken(limited.config, ['api:ratelimit:disabled']);
  list.push({ text: examples[bot] ?? '', origin: limited.origin, token: exempt.secret });
  const follower = await makeToken(limited.config, ['image:list']);
  list.push({ text: examples[mirror] ?? '', origin: limited.origin, token: follower.secret });
  const outputs = await run(list);
  assert.equal(outputs.length, expected.length + 2);
  for (const [index, output] of outputs.entries())
    assert.match(output, [...expected, expected[bot], expected[mirror]][index] as RegExp);
});

// Mistakes in a program that uses the client: unknown options and wrong addresses.

const { origin } = await startKnownService();
const zukan = new Zukan({ origin });

const call = (method: string, ...parameters: unknown[]): Promise<unknown> =>
  Reflect.apply(Reflect.get(zukan, method), zukan, parameters);

test('an unknown option is a TypeError that suggests the right one', async () => {
  const [image, artist] = [uuid(4, 1), uuid(2, 1)];
  const table: [string, unknown[], RegExp][] = [
    ['random', [{ category: ['x'] }], /^Unknown option "category"\. Did you mean "categories"\? /],
    ['random', [{ NSFW: ['sfw'] }], /"NSFW"\. Did you mean "nsfw"\?/],
    ['random', [{ tags: ['x'] }], /^Unknown option "tags"\. The options are: categories, match, /],
    ['random', [{ cursor: 'x', seed: 'x' }], /"cursor"/],
    ['random', [{ rating: undefined }], /"rating"/],
    ['random', [{ signal: undefined }], /"signal"\. Pass "signal" in the last argument\./],
    ['random', [{}, { signl: undefined }], /"signl"\. Did you mean "signal"\?/],
    ['randomPage', [{ seed: 'x', offset: 3 }], /"offset"/],
    ['image', [image, { expires: 60 }], /"expires"\. Did you mean "expiry"\?/],
    ['images', [{ categories: ['x'] }], /"categories"/],
    ['artistImages', [artist, { artist }], /"artist"/],
    ['artists', [{ serach: 'x' }], /"serach"\. Did you mean "search"\?/],
    ['characters', [{ nsfw: ['sfw'] }], /"nsfw"/],
    ['categories', [{ __proto__: null, toString: 1 }], /"toString"/],
    ['artist', [artist, { expiry: 60 }], /"expiry"/],
    ['stats', [{ limit: 1 }], /"limit"/],
    ['random', [new Map([['nsfw', ['sfw']]])], /^The options must be a plain object/],
    ['latest', [Promise.resolve({ nsfw: ['sfw'] })], /Is an "await" missing\?$/],
  ];
  for (const [method, parameters, message] of table)
    await assert.rejects(call(method, ...parameters), { name: 'TypeError', message }, method);
  const iterators: [AsyncGenerator<unknown>, RegExp][] = [
    [zukan.every('images', { search: 'x' } as object), /"search"/],
    [zukan.every('artists', { nsfw: ['sfw'] } as object), /"nsfw"/],
    [zukan.every('artists', { limit: 5 } as object), /"limit"/],
    [zukan.everyArtistImage(artist, { offset: 5 } as object), /"offset"/],
    [zukan.everyRandom({ limit: 5 } as object), /"limit"/],
  ];
  for (const [items, message] of iterators)
    await assert.rejects(items.next(), { name: 'TypeError', message });
  assert.throws(() => new Zukan({ origin, tokn: 'x' } as object), /"tokn"\. Did you mean "token"\?/);
});

test('a client outside a web page needs an origin', () => {
  assert.throws(() => new Zukan(), /new Zukan\(\{ origin: /);
});

test('the origin is an address without a path, the prefix is a path', async () => {
  const suggestions: [string, string][] = [
    ['https://example.org/api', '"https://example.org", prefix: "/api"'],
    ['https://example.org/v1/', '"https://example.org", prefix: "/v1"'],
    ['https://example.org/pictures', '"https://example.org", prefix: "/pictures/api"'],
    ['https://me:secret@example.org', '"https://example.org", prefix: "/api"'],
    ['https://example.org/?x', '"https://example.org", prefix: "/api"'],
  ];
  for (const [wrong, suggestion] of suggestions)
    assert.throws(
      () => new Zukan({ origin: wrong }),
      ({ name, message }) => name === 'TypeError' && message.includes(`{ origin: ${suggestion} }`),
      wrong,
    );
  for (const wrong of ['example.org', 'localhost:3000', 'ftp://example.org', '//example.org', 'http://'])
    assert.throws(() => new Zukan({ origin: wrong }), /^TypeError: Invalid origin .* such as "https:/, wrong);
  for (const prefix of ['api', '/api?x', '/a b', 'https://example.org/api'])
    assert.throws(
      () => new Zukan({ origin, prefix }),
      /^TypeError: Invalid prefix .* such as "\/api"/,
      prefix,
    );
  assert.equal((await new Zukan({ origin: `${origin}/`, prefix: '/v1/' }).information()).baseApiRoute, '/v1');
  const requested: string[] = [];
  const atRoot = new Zukan({
    origin,
    prefix: '/',
    fetch: async (url) => {
      requested.push(String(url));
      return Response.json({ success: true });
    },
  });
  await atRoot.stats();
  await atRoot.information();
  assert.deepEqual(requested, [`${origin}/stats`, `${origin}/`]);
});

// The client where newer globals are missing, one by one and all at once: no filter is lost, and calls end as elsewhere.

const script = join(import.meta.dirname, 'older-runtime.ts');
const missing = [
  ...newerGlobals,
  ...['AbortSignal.prototype.reason', 'Array.prototype.at', 'globalThis.performance', 'globalThis.crypto'],
];
const removals: Record<string, string> = { nothing: '', 'all of them': removalOf(missing) };
for (const name of atDepth(missing.slice(0, 1), missing)) removals[name] = removalOf([name]);
// That of React Native knows only objects.
removals['URLSearchParams of pairs'] = `globalThis.URLSearchParams = class extends URLSearchParams {
  constructor(pairs) { super(Object.entries(pairs).map(([name, value]) => [name, String(value)])) }
}`;

/** What the calls of the script returned and requested. */
async function callWithout(removal: string) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, removal]);
  return JSON.parse(stdout);
}

test('a runtime without newer globals sends the same requests, and calls end in the same way', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const address = 'https://example.org/api';
  const unknown = /^TypeError: Unknown option "category"\. Did you mean "categories"\?/;
  for (const [name, removal] of Object.entries(removals)) {
    const { ends, requested } = await callWithout(removal);
    assert.deepEqual(
      requested,
      [
        `${address}/image/random?nsfw=sfw&exclude=a & b,#c&minWidth=1`,
        `${address}/image/random?nsfw=sfw&seed=some&limit=25`,
        `${address}/artist/${id}`,
      ],
      name,
    );
    const aborted = /reason|all/.test(name) ? 'AbortError: The call was aborted.' : 'enough';
    assert.match(ends.splice(5, 1)[0], unknown, name);
    assert.deepEqual(
      ends,
      [[], { done: true }, {}, aborted, aborted, `${address}/image/random/file?nsfw=sfw`],
      name,
    );
  }
});

// Every server has the package of the client, for ES modules and for CommonJS. test/package.test.ts installs that of a
// release.

test('a checkout serves a package that modules import, and older programs require', async () => {
  const { origin, get } = await startKnownService();
  const { status, bytes, headers } = await get('/client.tgz', { 'Accept-Encoding': 'gzip' });
  assert.equal(status, 200);
  assert.equal(headers['content-encoding'], undefined);
  assert.equal((await get('/client.tgz', { 'If-None-Match': `${headers.etag}` })).status, 304);

  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/zukan-client');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xz', '-C', installed, '--strip-components=1'], { input: bytes });
  const require = createRequire(join(folder, 'program.cjs'));
  const { main, types, exports } = require('zukan-client/package.json');
  const { import: ofModules, require: ofOthers } = exports['.'];
  assert.deepEqual([main, types], [ofOthers.default, ofOthers.types]);
  const module = await import(pathToFileURL(join(installed, ofModules.default)).href);
  for (const { Zukan, ZukanError } of [module, require('zukan-client')]) {
    const zukan = new Zukan({ origin });
    assert.equal((await zukan.random({ limit: 1 })).length, 1);
    await assert.rejects(zukan.artists({ search: 'mar(' }), ZukanError);
  }
  for (const path of [ofModules.types, types]) assert.ok(existsSync(join(installed, path)), path);
});

test('the package of zukan contains it, and a checkout without the compiler has none', async () => {
  const folder = temporaryFolder();
  for (const part of ['src', 'package.json'])
    cpSync(join(import.meta.dirname, '../..', part), join(folder, part), { recursive: true });
  const script = pathToFileURL(join(folder, 'src/server/pages/client-package.ts'));
  const { readClientPackage } = await import(script.href);
  await assert.rejects(readClientPackage(), { status: 404 });
  writeFileSync(join(folder, 'client.tgz'), 'packed');
  assert.equal(String((await readClientPackage()).bytes), 'packed');
});
