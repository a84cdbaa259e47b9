/**
 * Runs the tests: `npm test [-- pattern…]`; every depth: `npm run test:all`; only those that start no server, browser or
 * command, which their imports show: `npm run test:unit`. `--seed N` shuffles the files.
 *
 * A few processes take one file after the other from a common list: loading the code takes longer than most files do, and
 * files of a process share a database server and a browser. The first lines of a file can say how it runs:
 *
 *   // depth: all     only in test:all
 *   // process: own   in a process with such files only: it emits signals, which a listener of another file could take
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { readAllImports, root } from './imports.ts';

const MIN_PROCESSES = 4;
/** Tests with a browser take longest, so they start first. More browsers would take more time to start than they save. */
const BROWSER_FOLDER = 'test/web/';
const BROWSERS = 1;
const cache = join(root, 'node_modules/.cache');
/** Where processes note which files they have claimed. */
const notes = mkdtempSync(join(tmpdir(), 'zukan-tests-'));
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
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`);

if (options.all) process.env.ZUKAN_TEST_DEPTH = 'all';
// Compiled code is cached, which saves each test process a third of its start. It would make the coverage inexact.
if (options.coverage) process.env.NODE_DISABLE_COMPILE_CACHE = '1';
else process.env.NODE_COMPILE_CACHE = join(cache, 'compiled');
process.chdir(root);
const concurrency = Math.min(Math.max(MIN_PROCESSES, availableParallelism()), files.length);
const results = run({
  files: writeProcesses(listFiles(files, concurrency)),
  concurrency,
  ...(options.coverage && { coverage: true, coverageIncludeGlobs: ['src/**/*.ts'], ...MIN_COVERAGE }),
});
results.on('test:fail', () => {
  process.exitCode = 1;
});
// A file is a suite in its process. One that declares no test has no result, nor has one whose process was ended from within,
// which reports no failure. A suite that is skipped, because a server or browser is missing, declares none.
const tested = new Set<string | undefined>();
const finished = new Set<string>();
for (const event of ['test:pass', 'test:fail'] as const)
  results.on(event, ({ name, nesting, details, entryFile, skip }: Result) => {
    if (details.type !== 'suite' || skip !== undefined) tested.add(entryFile);
    else if (nesting === 0 && tested.delete(entryFile)) finished.add(name);
  });
results.compose(new spec()).pipe(process.stdout);
process.on('exit', () => {
  rmSync(notes, { recursive: true });
  const lost = files.filter((file) => !finished.has(file));
  if (lost.length === 0) return;
  process.exitCode = 1;
  console.error(`No test has run to the end: ${lost.join(', ')}`);
});

/** What the types of Node lack. */
type Result = {
  name: string;
  nesting: number;
  details: { type?: string };
  entryFile?: string;
  skip?: unknown;
};

function hasMarker(file: string, marker: string): boolean {
  const [comments = ''] = readFileSync(join(root, file), 'utf8').split(/^(?!\/\/)/m, 1);
  return comments.split('\n').includes(`// ${marker}`);
}

function isUnitTest(file: string): boolean {
  const parts = [file, ...readAllImports(file)].filter((part) => part.startsWith('test/'));
  return !parts.some((part) => services.test(readFileSync(join(root, part), 'utf8')));
}

/** The files that each process may run, in order. Each file is run by the first process that comes to it. */
function listFiles(files: string[], processes: number): string[][] {
  const shuffle = options.seed === undefined ? <T>(items: T[]) => items : shuffler(Number(options.seed));
  const own = files.filter((file) => hasMarker(file, 'process: own'));
  const shared = shuffle(files.filter((file) => !own.includes(file)));
  const browser = shared.filter((file) => file.startsWith(BROWSER_FOLDER));
  const others = shared.filter((file) => !browser.includes(file));
  const lists = Array.from({ length: processes }, (_, index) =>
    index < BROWSERS ? [...browser, ...others] : others,
  );
  return [shuffle(own), ...lists].filter((list) => list.length > 0);
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

/**
 * Writes a module for each process, and returns their paths. A file is loaded when the tests of the one before have run.
 * Creating a folder claims a file, because only one process can.
 */
function writeProcesses(lists: string[][]): string[] {
  const urlOf = (file: string) => pathToFileURL(join(root, file)).href;
  return lists.map((files, index) => {
    const path = join(notes, `${index}.mjs`);
    writeFileSync(
      path,
      `import { mkdirSync } from 'node:fs';
import { after, describe } from 'node:test';
import '${urlOf('test/support/at-end.ts')}';
import '${urlOf('test/support/properties.ts')}';
const root = '${urlOf('')}/';
const claim = (file) => {
  try {
    mkdirSync(new URL(file.replaceAll('/', ' '), import.meta.url));
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
};
for (const file of ${JSON.stringify(files)})
  if (claim(file))
    await new Promise((resolve) =>
      describe(file, async () => {
        after(resolve);
        await import(root + file).catch((error) => {
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
