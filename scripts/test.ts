/**
 * Runs the tests: `npm test [-- pattern…]`; every depth: `npm run test:all`; only those that start no server, browser or
 * command, which their imports show: `npm run test:unit`. `--seed N` shuffles the files.
 *
 * Files of the same folder share a process, one after the other. Loading the code takes longer than most files do, and
 * they can share a database server and a browser. The first lines of a file can say how it runs:
 *
 *   // depth: all     only in test:all
 *   // process: own   it changes its process (the clock, the current folder, the environment, signals), or takes long
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readAllImports, root } from './imports.ts';

const MIN_PROCESSES = 4;
const MAX_FILES_PER_PROCESS = 24;
/** The tests with a browser take longest, so they start first, in more processes. */
const BROWSER_FOLDER = 'web';
const MAX_BROWSER_FILES_PER_PROCESS = 8;
const cache = join(root, 'node_modules/.cache');
/** What a test needs to start a server, a browser or a command. */
const services = /'node:(child_process|http|net)'|'playwright-core'|\/src\/app\.ts'/;
/** Of the lines of `src/` and of their branches, that `npm run coverage` must see. */
const MIN_COVERAGE = { lineCoverage: 95, branchCoverage: 90 };

const { values: options, positionals: patterns } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    unit: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});

const files = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => options.all || patterns.length > 0 || !hasMarker(file, 'depth: all'))
  .filter((file) => !options.unit || isUnitTest(file))
  .sort();

if (options.all) process.env.ZUKAN_TEST_DEPTH = 'all';
// Compiled code is cached, which saves each test process a third of its start. It would make the coverage inexact.
if (options.coverage) process.env.NODE_DISABLE_COMPILE_CACHE = '1';
else process.env.NODE_COMPILE_CACHE = join(cache, 'compiled');
process.chdir(root);
const results = run({
  files: writeGroups(groupFiles(files)),
  concurrency: Math.max(MIN_PROCESSES, availableParallelism()),
  ...(options.coverage && { coverage: true, coverageIncludeGlobs: ['src/**/*.ts'], ...MIN_COVERAGE }),
});
results.on('test:fail', () => {
  process.exitCode = 1;
});
results.compose(new spec()).pipe(process.stdout);

function hasMarker(file: string, marker: string): boolean {
  const [comments = ''] = readFileSync(join(root, file), 'utf8').split(/^(?!\/\/)/m, 1);
  return comments.split('\n').includes(`// ${marker}`);
}

function isUnitTest(file: string): boolean {
  const parts = [file, ...readAllImports(file)].filter((part) => part.startsWith('test/'));
  return !parts.some((part) => services.test(readFileSync(join(root, part), 'utf8')));
}

/** One group for each process. The slowest first, so that the last ones to end are short. */
function groupFiles(files: string[]): string[][] {
  const { own = [], shared = [] } = Object.groupBy(files, (file) =>
    hasMarker(file, 'process: own') ? 'own' : 'shared',
  );
  const { [BROWSER_FOLDER]: browser = [], ...folders } = Object.groupBy(shared, folderOf);
  const groups = Object.values(folders).flatMap((group = []) => split(group, MAX_FILES_PER_PROCESS));
  const ordered = [
    ...split(browser, MAX_BROWSER_FILES_PER_PROCESS),
    ...own.map((file) => [file]),
    ...groups.sort((one, other) => other.length - one.length),
  ];
  if (options.seed === undefined) return ordered;
  const shuffle = shuffler(Number(options.seed));
  return shuffle(ordered.map(shuffle));
}

function folderOf(file: string): string {
  return file.split('/').slice(1, -1)[0] ?? '';
}

/** Into as few groups as possible, of about the same length. */
function split(files: string[], maxFiles: number): string[][] {
  const count = Math.ceil(files.length / maxFiles);
  return Array.from({ length: count }, (_, index) => files.filter((_, at) => at % count === index));
}

/** The same seed gives the same order. */
function shuffler(seed: number): <T>(items: T[]) => T[] {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return (items) => {
    const rest = [...items];
    return items.map(() => rest.splice(next(rest.length), 1)[0] as (typeof items)[number]);
  };
}

/** Writes a module for each process, and returns their paths. A file is loaded when the tests of the one before have run. */
function writeGroups(groups: string[][]): string[] {
  const folder = join(cache, 'tests');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const urlOf = (file: string) => pathToFileURL(join(root, file)).href;
  return groups.map((group, index) => {
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
