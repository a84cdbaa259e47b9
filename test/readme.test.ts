/** The README's tour: every call is made, and must be answered as the README says. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillWithDemo } from '../demo/fill.ts';
import { importFiles } from '../src/commands/import.ts';
import { routes } from '../src/http/api/routes.ts';
import { configFor, makeToken, startService } from './support/service.ts';
import { temporaryFolder } from './support/workspace.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const shown = 'http://127.0.0.1:3000';

interface Step {
  call: string;
  answer: string;
}

function stepsOf(text: string): Step[] {
  const blocks = [...text.matchAll(/```console\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter(Boolean)
      .map((step) => {
        const [call = '', ...answer] = step.split('\n');
        return { call, answer: answer.join('\n') };
      }),
  );
}

/** Without blanks, and with every … standing for anything. */
function patternOf(answer: string): RegExp {
  const parts = withoutBlanks(answer).split('…');
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('[\\s\\S]*')}$`);
}

const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '');

test('the tour gives what the README says', async (t) => {
  const config = configFor(temporaryFolder());
  const started = performance.now();
  await fillWithDemo(config);
  t.diagnostic(`the demo was made in ${Math.round(performance.now() - started)} ms`);
  const service = await startService(config);
  const { headers } = await makeDemoToken();
  const called = new Set<string>();

  for (const { call, answer } of stepsOf(readme)) {
    if (call.startsWith('TOKEN=')) continue;
    const url = /'(http[^']+)'/.exec(call)?.[1] ?? '';
    assert.ok(url.startsWith(shown), call);
    const real = await service.get(
      url.replace(shown, service.origin),
      call.includes('$TOKEN') ? headers : {},
    );
    const text = withoutBlanks(real.text.replaceAll(service.origin, shown));
    assert.match(text, patternOf(answer), call);
    called.add(new URL(url).pathname.replace('/api', '').replace(/[0-9a-f-]{36}/, '{id}') || '/');
  }
  const missing = routes.map(({ path }) => path).filter((path) => !called.has(path));
  assert.deepEqual(missing, [], 'every endpoint has its place in the tour');

  async function makeDemoToken() {
    const scopes = /TOKEN=.*$/m.exec(readme)?.[0].matchAll(/--scope ([\w:-]+)/g) ?? [];
    const owner = { owner: 'me', purpose: 'tour', issuedBy: 'zukan' };
    return makeToken(
      config,
      [...scopes].map((match) => match[1] as string),
      owner,
    );
  }
});

test('a second demo leaves a catalogue that is not empty alone', async () => {
  const config = configFor(temporaryFolder());
  const path = join(temporaryFolder(), 'c.ndjson');
  writeFileSync(path, '{"type":"artist","name":"Mine"}');
  await importFiles(config, [path]);
  await fillWithDemo(config);
  const service = await startService(config);
  assert.equal((await service.get('/api/stats')).json.data.images.count, 0);
});

test('every local link of the documentation leads somewhere', () => {
  const pages = [
    'README.md',
    'docs/api.md',
    'docs/client.md',
    'docs/catalogue.md',
    'docs/configuration.md',
    'docs/search.md',
    'docs/operating.md',
    'docs/scaling.md',
    'docs/performance.md',
    'docs/architecture.md',
  ];
  for (const page of pages) {
    const path = join(import.meta.dirname, '..', page);
    const links = [...readFileSync(path, 'utf8').matchAll(/\]\((?!http)([^)#]+)/g)].map(
      (match) => match[1] as string,
    );
    for (const link of links) assert.ok(readFileSync(join(path, '..', link)).length > 0, `${page}: ${link}`);
  }
});
