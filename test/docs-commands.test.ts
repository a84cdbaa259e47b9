/**
 * Every command in the documentation is run by a test, or its block says why not: `<!-- not run: it needs Docker -->` in the
 * line above it. Requests to the demo are run here.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { restoreDemo } from './support/catalogues/demo.ts';
import { startService } from './support/zukan/service.ts';

const root = join(import.meta.dirname, '..');
const shownOrigin = 'http://127.0.0.1:3000';

interface Block {
  page: string;
  language: string;
  text: string;
  /** The line above. */
  above: string;
}

function readBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  // All blocks, because the end of one looks like the start of another.
  return Array.from(
    text.matchAll(/(?:^|\n)([^\n]*)\n+ *```(\w*)\n([\s\S]*?)\n *```(?=\n|$)/g),
    ([, above = '', language = '', text = '']) => ({ page, language, text, above }),
  ).filter(({ language }) => language === 'sh' || language === 'console');
}

/** The blocks that other tests run. */
const tested: { test: string; isRun(block: Block): boolean }[] = [
  {
    test: 'test/readme.test.ts',
    isRun: ({ page, language, text }) =>
      language === 'console'
        ? page === 'README.md' || page === 'docs/tour.md'
        : text.startsWith('export DATA_DIR=./mine\n') || /^docs\/catalogue(-file)?\.md$/.test(page),
  },
  {
    test: 'test/maintenance-docs.test.ts',
    isRun: ({ page, language }) => page === 'docs/maintenance.md' && language === 'console',
  },
];

const isRequest = (line: string) => line.startsWith('curl ') && line.includes(`'${shownOrigin}`);
const isRunHere = ({ language, text }: Block) => language === 'sh' && text.split('\n').every(isRequest);
const reasonOf = ({ above }: Block) => /^ *<!-- not run: (.+) -->$/.exec(above)?.[1];

const pages = globSync(['*.md', 'docs/**/*.md', '{src,web}/**/README.md'], { cwd: root });
const blocks = pages.flatMap(readBlocks);
const describe = ({ page, text }: Block) => `${page}: ${text.split('\n', 1)}`;

test('every block of commands is run by a test, or says why not', () => {
  assert.ok(blocks.length > 50);
  for (const { test, isRun } of tested) assert.ok(blocks.some(isRun), `${test} runs nothing`);
  const isTested = (block: Block) => isRunHere(block) || tested.some(({ isRun }) => isRun(block));
  assert.deepEqual(
    blocks.filter((block) => !isTested(block) && reasonOf(block) === undefined).map(describe),
    [],
    'blocks that need a test, or <!-- not run: … --> in the line above',
  );
  assert.deepEqual(
    blocks.filter((block) => isTested(block) && reasonOf(block) !== undefined).map(describe),
    [],
    'blocks that are run',
  );
});

test('requests in the documentation work on the demo', async () => {
  const service = await startService(await restoreDemo());
  const lines = blocks
    .filter(isRunHere)
    .flatMap(({ page, text }) => text.split('\n').map((line) => ({ page, line })));
  assert.ok(lines.length > 5);
  for (const { page, line } of lines) {
    const url = new URL(/'(http[^']+)'/.exec(line)?.[1] ?? '');
    for (const [, name = '', value = ''] of line.matchAll(/--data-urlencode '(\w+)=([^']*)'/g))
      url.searchParams.set(name, value);
    const { status, text } = await service.get(url.href.replace(shownOrigin, service.origin));
    assert.equal(status, 200, `${page}: ${line}: ${text}`);
  }
});
