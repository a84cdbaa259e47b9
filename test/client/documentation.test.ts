/** Runs the examples of docs/client.md against a service. test/web/client-page.test.ts opens the page among them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
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
