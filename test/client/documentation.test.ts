/** Runs the examples of docs/client.md against a service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { makeToken, startKnownService } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const client = new URL('../../client/index.ts', import.meta.url).href;

/** The expected output of each example, in the order of the page. */
const expected = [
  /^http.+ by \S+, who has \d pictures here\n$/,
  /^sfw portrait\n$/,
  /^(http\S+ by \S+\n){6}$/,
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

test('every example prints the expected output', async () => {
  const { origin, config } = await startKnownService();
  const { secret: TOKEN } = await makeToken(config, ['image:list', 'image:custom-expiry:86400']);
  const folder = temporaryFolder();
  const imports = examples.map((example, index) => {
    const text = example.replaceAll('zukan/client', client).replaceAll('http://127.0.0.1:3000', origin);
    writeFileSync(join(folder, `${index}.ts`), text);
    return `await import('./${index}.ts'); console.log('----');`;
  });
  const script = join(folder, 'examples.ts');
  writeFileSync(script, imports.join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { TOKEN } });
  const outputs = stdout.split('----\n').slice(0, -1);
  assert.equal(outputs.length, expected.length);
  for (const [index, output] of outputs.entries()) assert.match(output, expected[index] as RegExp);
});
