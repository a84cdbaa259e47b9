/**
 * Runs the tests: `npm test [-- pattern…]`, or only the quick ones: `npm run test:unit`. Unit tests are those that start
 * no server, browser or command, which their imports show.
 *
 * Files of the same folder share a process, one after the other. Loading the code takes longer than most files do, and
 * they can share a database server and a browser.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { readAllImports, root } from './imports.ts';

const MIN_PROCESSES = 4;
const MAX_FILES_PER_PROCESS = 14;
/** The tests with a browser take longest, so they start first. */
const BROWSER_FOLDER = 'web';
const MAX_BROWSER_FILES_PER_PROCESS = 8;
const cache = join(root, 'node_modules/.cache');

/** These start next, each in a process of its own. */
const alone = new Set([
  // They take longest.
  'test/torture/short-run.test.ts',
  'test/package.test.ts',
  'test/commands/thumbnails.test.ts',
  'test/commands/left-behind.test.ts',
  'test/commands/killed.test.ts',
  'test/faults/starting.test.ts',
  // They change the clock, the current folder, the environment or the signals of their process.
  'test/year/year.test.ts',
  'test/commands/incremental.test.ts',
  'test/commands/watch.test.ts',
  'test/maintenance-docs.test.ts',
  'test/import/spool.test.ts',
  'test/http/disconnects.test.ts',
]);
/** What a test needs to start a server, a browser or a command. */
const services = /'node:(child_process|http|net)'|'playwright-core'|\/src\/app\.ts'/;

const [first, ...rest] = process.argv.slice(2);
const isUnit = first === '--unit';
const patterns = first === undefined || isUnit ? rest : [first, ...rest];
const files = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => !isUnit || isUnitTest(file))
  .sort();

// Compiled code is cached, which saves each test process a third of its start.
process.env.NODE_COMPILE_CACHE = join(cache, 'compiled');
process.chdir(root);
const results = run({
  files: writeGroups(files),
  concurrency: Math.max(MIN_PROCESSES, availableParallelism()),
});
results.on('test:fail', () => {
  process.exitCode = 1;
});
results.compose(new spec()).pipe(process.stdout);

function isUnitTest(file: string): boolean {
  const parts = [file, ...readAllImports(file)].filter((part) => part.startsWith('test/'));
  return !parts.some((part) => services.test(readFileSync(join(root, part), 'utf8')));
}

/** Writes a module for each process, and returns their paths. A file is loaded when the tests of the one before have run. */
function writeGroups(files: string[]): string[] {
  const folder = join(cache, 'tests');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const urlOf = (file: string) => pathToFileURL(join(root, file)).href;
  return groupFiles(files).map((group, index) => {
    const path = join(folder, `${index}.mjs`);
    const urls = Object.fromEntries(group.map((file) => [file, urlOf(file)]));
    writeFileSync(
      path,
      `import { after, describe } from 'node:test';
import '${urlOf('test/support/at-end.ts')}';
for (const [file, url] of Object.entries(${JSON.stringify(urls)}))
  await new Promise((resolve) =>
    describe(file, async () => {
      after(resolve);
      await import(url).catch((error) => {
        resolve();
        throw error;
      });
    }),
  );
`,
    );
    return path;
  });
}

/** The slowest groups first, so that the last ones to end are short. */
function groupFiles(files: string[]): string[][] {
  const single = [...alone].filter((file) => files.includes(file)).map((file) => [file]);
  const shared = files.filter((file) => !alone.has(file));
  const folderOf = (file: string) => file.split('/').slice(1, -1)[0] ?? '';
  const { [BROWSER_FOLDER]: browser = [], ...folders } = Object.groupBy(shared, folderOf);
  const groups = Object.values(folders).flatMap((group = []) => split(group, MAX_FILES_PER_PROCESS));
  return [
    ...split(browser, MAX_BROWSER_FILES_PER_PROCESS),
    ...single,
    ...groups.sort((one, other) => other.length - one.length),
  ];
}

/** Into as few groups as possible, of about the same length. */
function split(files: string[], maxFiles: number): string[][] {
  const count = Math.ceil(files.length / maxFiles);
  return Array.from({ length: count }, (_, index) => files.filter((_, at) => at % count === index));
}
