/** The examples in the reference are about records of the catalogue, whatever their names are. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import fc from 'fast-check';
import { Zukan } from '../../client/index.ts';
import * as samples from '../../src/api/examples.ts';
import { containingPattern, demoRecords, outlinePattern, startingPattern } from '../../src/api/examples.ts';
import { routes } from '../../src/api/routes.ts';
import { fold } from '../../src/catalogue/names.ts';
import { parsePattern } from '../../src/catalogue/search/pattern.ts';
import { compile } from '../../src/catalogue/search/scan.ts';
import { operators } from '../../src/server/pages/reference/page.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { codePoint } from '../support/characters.ts';
import { atDepth } from '../support/depth.ts';
import { findProgram } from '../support/servers/needs.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { madeUpImage, NOW, startMadeUpService, successStatus } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { makeToken, type Service } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The code on the page, as the reader sees it: example calls in a language, or, without one, responses. */
async function readCode(get: Service['get'], language?: string): Promise<string[]> {
  const { status, text } = await get('/docs');
  assert.equal(status, 200);
  const blocks = [
    ...text.matchAll(/<pre(?: class="call")?(?: data-code="(\w+)")? tabindex="0"><code>(.*?)<\/code>/gs),
  ];
  return blocks
    .filter(([, code]) => code === language)
    .map(([, , code = '']) => unescapeHtml(code.replaceAll(/<\/?span[^>]*>/g, '')));
}
const readCalls = (get: Service['get']) => readCode(get, 'curl');

const matches = (pattern: string, name: string) => compile(parsePattern(pattern), 255).matches(fold(name));

const hostile = `<img src=x onerror=alert(1)>'$(reboot)';"%_\\`;

test('hostile names work in every language, and can neither leave their quotes nor become markup', async (t) => {
  const service = await startMadeUpService([
    { type: 'category', name: `it's` },
    { type: 'category', name: 'secret', nsfw: true },
    { type: 'artist', id: uuid(2, 5), name: hostile, url: '' },
    { type: 'character', id: uuid(3, 5), name: `'%_ か` },
    madeUpImage(uuid(4, 5), {
      artist: uuid(2, 5),
      categories: [`it's`, 'secret'],
      characters: [uuid(3, 5)],
    }),
    { type: 'album', id: uuid(5, 5), name: hostile, images: [uuid(4, 5)] },
  ]);
  const { headers } = await makeToken(service.config, ['image:list']);
  const calls = await readCalls(service.get);
  assert.ok(calls.length > 15);
  for (const call of calls) {
    const [, url = ''] =
      /^curl(?: -H "Authorization: Bearer \$TOKEN")?(?: -L -o image)? '([^']+)'$/.exec(call) ?? [];
    assert.match(url, /^http:\/\/[\w.:/?&=%,-]+$/, call);
    const { status, json, text } = await service.get(url, headers);
    assert.equal(status, successStatus(url), `${call}: ${text}`);
    if (/\?(categories|search)=/.test(url) && status === 200) assert.equal(json.data.length, 1, call);
  }
  assert.ok(calls[1]?.includes('categories=it%27s&'));
  const { text } = await service.get('/docs');
  assert.doesNotMatch(text, /<img|secret/);

  // The same calls in the other languages print something, and fail with nothing.
  const { secret: token } = await makeToken(service.config, ['image:list']);
  const printed: unknown[] = [];
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const runScript = (code: string) =>
    new AsyncFunction('Zukan', 'console', 'process', code)(
      Zukan,
      { log: (...values: unknown[]) => printed.push(...values) },
      { env: { TOKEN: token } },
    );
  const scripts = await readCode(service.get, 'javascript');
  assert.equal(scripts.length, calls.length);
  for (const code of scripts) await runScript(code);
  assert.ok(printed.length >= scripts.length && !printed.includes(undefined));
  const programs = await readCode(service.get, 'client');
  assert.equal(programs.length, routes.length + 2);
  const imports = `// npm install ${service.origin}/client.tgz\nimport { Zukan } from 'zukan-client';`;
  for (const code of programs) {
    assert.ok(code.startsWith(imports), code);
    await runScript(code.slice(imports.length));
  }
  const [bot = ''] = await readCode(service.get, 'bot');
  await runScript(`${bot}\nconsole.log(await pictureCommand());`);
  assert.match(String(printed.at(-1)), /^http\S+ by <img src=x/);
  const refuse = async () => Response.json({ message: 'Too many requests.' }, { status: 429 });
  const reply = await new AsyncFunction('fetch', `${bot}\nreturn pictureCommand();`)(refuse);
  assert.equal(reply, 'No picture right now, try again later.');
  const python = findProgram('python3');
  if (python === undefined) return t.diagnostic('Python is not installed: its examples were not run.');
  const modules = await readCode(service.get, 'python');
  assert.equal(modules.length, calls.length);
  const folder = temporaryFolder();
  // The made-up image has no file.
  const runnable = modules.filter((code) => !/\/file\b/.test(code));
  const { stdout } = await promisify(execFile)(python, ['-c', runnable.join('\n')], {
    cwd: folder,
    env: { TOKEN: token },
  });
  assert.ok(stdout.includes(uuid(4, 5)));
});

test('responses are those of this catalogue, with short links, or else those of the demo', async () => {
  const records = [
    { type: 'category', name: 'secret', nsfw: true },
    { type: 'category', name: 'open', description: 'x'.repeat(500) },
    madeUpImage(uuid(4, 1), { categories: ['open', 'secret'] }),
    madeUpImage(uuid(4, 2), { nsfw: 'nsfw' }),
  ];
  const service = await startMadeUpService(records);
  const bodies = await readCode(service.get);
  const all = bodies.join('\n');
  assert.doesNotMatch(all, /secret|signature=(?!Zm94)/);
  assert.ok(!all.includes(uuid(4, 2)));
  const [first = ''] = bodies;
  const { data } = JSON.parse(first);
  assert.equal(data[0].id, uuid(4, 1));
  assert.match(data[0].url, /\/files\/[^?]+\?\.\.\.$/);
  assert.ok(data[0].categories[0].description.length < 200);
  const expected = (await service.get('/api/stats')).json;
  assert.ok(bodies.some((body) => isDeepStrictEqual(JSON.parse(body), expected)));
  assert.ok(all.includes(samples.character.name), 'there is no character, so the example is the demo');
  assert.ok(all.includes(samples.token.purpose), 'a token is never looked up');

  const empty = await startMadeUpService([]);
  assert.ok((await readCode(empty.get)).join().includes(samples.image.id));
});

test('the page survives a catalogue that fails, and asks it at most once a minute', async () => {
  let now = NOW;
  const lonely = [madeUpImage(uuid(4, 1)), madeUpImage(uuid(4, 3), { nsfw: 'nsfw' })];
  const service = await startMadeUpService(lonely, { clock: () => now });
  let questions = 0;
  let isBroken = true;
  const get = await startWrapped(service.config, (catalogue) => ({
    ...catalogue,
    images(...call) {
      questions++;
      return isBroken ? Promise.reject(new Error('a fault')) : catalogue.images(...call);
    },
  }));
  const pages = await Promise.all(Array.from({ length: 5 }, () => get('/docs')));
  assert.equal(questions, 1);
  for (const { status, text } of pages)
    assert.ok(status === 200 && text.includes(demoRecords.image.id), 'shows the demo');
  isBroken = false;

  const before = await service.get('/docs');
  const calls = (await readCalls(service.get)).join('\n');
  assert.ok(calls.includes(`/api/image/${uuid(4, 1)}'`), 'an image without rivals is enough');
  assert.ok(calls.includes("/api/image/random?nsfw=sfw&limit=1'"));
  assert.ok(calls.includes('/api/artist?search=%25unknown%25'));
  const folder = temporaryFolder();
  const file = join(folder, 'more.ndjson');
  const records = [{ type: 'category', name: 'better' }, madeUpImage(uuid(4, 2), { categories: ['better'] })];
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await importFiles(service.config, [file]);
  now += 59_000;
  assert.equal((await service.get('/docs')).headers.etag, before.headers.etag);
  now += 1000;
  await until('the new image is the example', async () =>
    (await readCalls(service.get)).join('\n').includes(`/api/image/${uuid(4, 2)}'`),
  );
  assert.notEqual((await service.get('/docs')).headers.etag, before.headers.etag);
});

test('patterns match the name that they are made of, and need no escapes', () => {
  assert.equal(containingPattern('Hoshino Ink'), '%ink%');
  assert.equal(containingPattern('%_'), '%');
  assert.equal(containingPattern('A'.repeat(60)), `%${'a'.repeat(20)}%`);
  assert.equal(startingPattern('Koharu Inagi'), 'ko%');
  assert.equal(startingPattern('[x]'), '%');
  assert.equal(startingPattern('İstanbul'), 'İs%');
  assert.equal(outlinePattern('duo'), 'd__');
  assert.equal(outlinePattern('a'.repeat(40)), 'aa%');
  assert.equal(outlinePattern('かえで'), 'かえ%');
  const name = fc
    .string({ unit: codePoint, minLength: 1, maxLength: 60 })
    .filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(name, (text) => {
      for (const makePattern of [containingPattern, startingPattern, outlinePattern]) {
        const pattern = makePattern(text);
        assert.ok([...pattern].length <= 50 && matches(pattern, text), `${pattern} for ${text}`);
      }
    }),
    { numRuns: atDepth(20, 2000), seed: 1 },
  );
});

test('the patterns in the section about the search language match what it says', () => {
  for (const [pattern, , names] of operators)
    for (const name of names.split(', ')) assert.ok(matches(pattern, name), `${pattern} matches ${name}`);
});
