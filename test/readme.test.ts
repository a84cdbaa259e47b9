/** The README and the docs are true: requests, commands, links and versions are checked. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import description from '../package.json' with { type: 'json' };
import { routes } from '../src/api/routes.ts';
import { restoreDemo } from './support/catalogues/demo.ts';
import { drawInto } from './support/pictures/pictures.ts';
import { temporaryFolder } from './support/workspace.ts';
import { consoleSteps, outputPattern, withoutSpace } from './support/zukan/console.ts';
import { runCommand } from './support/zukan/program.ts';
import { makeToken, startService } from './support/zukan/service.ts';

const root = join(import.meta.dirname, '..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const readme = read('README.md');
const tour = read('docs/tour.md');
const shownOrigin = 'http://127.0.0.1:3000';

test('requests in the README, within the rate limit, and in the tour return what these show, and cover every endpoint', async () => {
  const config = await restoreDemo({ RATE_LIMIT: 'on' });
  let now = Date.now();
  const service = await startService(config, { clock: () => now });
  const tourSteps = consoleSteps(tour);
  const steps = [...consoleSteps(readme), ...tourSteps];
  const [{ command: createToken = '' } = {}, ...others] = steps.filter(({ command }) =>
    command.startsWith('TOKEN='),
  );
  assert.equal(others.length, 0);
  const scopes = Array.from(createToken.matchAll(/--scope ([\w:-]+)/g), ([, scope]) => scope as string);
  const { headers } = await makeToken(config, scopes, { owner: 'me', purpose: 'tour', issuedBy: 'zukan' });

  const requested = new Set<string>();
  for (const step of steps) {
    const { command, output } = step;
    if (command === createToken) continue;
    // The README waits for the rate limit, the tour switches it off.
    if (command.startsWith('sleep 1; ') || tourSteps.includes(step)) now += 1000;
    const url = /'(http[^']+)'/.exec(command)?.[1] ?? '';
    assert.ok(url.startsWith(shownOrigin), command);
    const response = await service.get(
      url.replace(shownOrigin, service.origin),
      command.includes('$TOKEN') ? headers : {},
    );
    // curl prints the target of a redirect.
    const shown = response.headers.location ?? response.text;
    const text = withoutSpace(shown.replaceAll(service.origin, shownOrigin));
    assert.match(text, outputPattern(output), command);
    requested.add(new URL(url).pathname.replace('/api', '').replace(/[0-9a-f-]{36}/, '{id}') || '/');
  }
  const missing = routes.map(({ path }) => path).filter((path) => !requested.has(path));
  assert.deepEqual(missing, [], 'endpoints without an example');
});

test('the README has at most 500 words', () => {
  assert.ok(readme.split(/\s+/).length <= 500);
});

test('the tour starts the server without a rate limit, so that pasting it ends in no block', () => {
  const start = tour.indexOf('```sh\nRATE_LIMIT=off npm start\n```');
  assert.ok(start > 0 && start < tour.indexOf('```console'));
});

test('the commands to import a folder and a catalogue file work', async () => {
  const folder = temporaryFolder();
  const [, importing = ''] = /^## Import your own pictures\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const [, records = ''] = /```\n(\{[\s\S]*?)```/.exec(read('docs/catalogue-file.md')) ?? [];
  const picture = { format: 'webp', width: 40, height: 30, colour: '#a0b0c0' } as const;
  await drawInto(folder, { ...picture, file: 'pictures/catgirl/0002.webp' });
  await drawInto(folder, { ...picture, file: 'pictures/0003.webp', colour: '#102030' });
  await drawInto(folder, { ...picture, file: '0001.webp', colour: '#302010' });
  writeFileSync(join(folder, 'catalogue.ndjson'), records);

  const environment = { DATA_DIR: join(folder, 'mine') };
  const shown = importing + read('docs/catalogue.md') + read('docs/catalogue-file.md');
  const lines = Array.from(shown.matchAll(/^npx zukan ([^#\n]+)/gm), ([, line = '']) => line.trim());
  assert.ok(lines.length > 7 && lines.includes('serve'));
  for (const line of lines) {
    if (line === 'serve') continue;
    const parameters = line.split(' ').map((word) => (/[/.]/.test(word) ? join(folder, word) : word));
    const { status, errors } = await runCommand(parameters, environment);
    assert.equal(status, 0, `${line}: ${errors}`);
  }
  const { output } = await runCommand(['stats', '--json'], environment);
  assert.equal(JSON.parse(output).images.count, 3);
});

const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });
const readmes = globSync(['{src,web,client}/**/*.md'], { cwd: root });

test('links in the documentation lead to files and headings that exist', () => {
  assert.ok(pages.length > 10);
  const broken = [...pages, ...readmes].flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
      .filter(([, file = '', anchor]) => {
        const target = file === '' ? join(root, page) : join(root, page, '..', file);
        return !existsSync(target) || (anchor !== undefined && !headingAnchors(target).includes(anchor));
      })
      .map(([link]) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

/** As GitHub derives them. */
function headingAnchors(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('source files named in the documentation exist', () => {
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/[` ]((?:[\w-]+\/)+[\w.-]+\.(?:ts|js|sh|lua|conf))\b/g)].map(([, file = '']) => ({
      page,
      file,
    })),
  );
  assert.ok(named.length > 20);
  const missing = named.filter(
    ({ file }) => ![file, join('src', file)].some((path) => existsSync(join(root, path))),
  );
  assert.deepEqual(missing, []);
});

test('the documentation shows the current version', () => {
  const shown = pages.flatMap((page) =>
    [...read(page).matchAll(/zukan(?:-| v)(\d+\.\d+\.\d+)/g)].map(([, version]) => version),
  );
  assert.ok(shown.length > 0);
  assert.deepEqual([...new Set(shown)], [description.version]);
});
