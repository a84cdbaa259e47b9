/**
 * Breaks conditions of `src/` one at a time, and reports those that no test notices:
 * `npm run mutate [-- --seed 20260131 --minutes 20 pattern…]`, where a pattern is a part of a path in `src/`. The
 * seed, by default the date, decides the order.
 *
 * Each broken tree is a copy in a temporary folder. The tests that execute the condition run first, then, in every depth,
 * those that import its file. What each test executes is kept in `node_modules/.cache`. A mutation whose survival is right
 * is listed with its reason in `mutations.json`.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newFolder, onDisk } from '../test/support/workspace.ts';
import { readImports, root } from './imports.ts';
import { chooseMutations, listConditions, type Mutation } from './mutations.ts';

/** How many tests, beyond those that execute a condition, run before it counts as a survivor. */
const MAX_IMPORTING = 6;
/** A broken loop may never end. A busy machine takes much longer than the run that measured. */
const MIN_TIMEOUT_MS = 180_000;
const TIMEOUT_FACTOR = 10;
const usesDepth =
  /\b(atDepth|testDeep|forEachEngineInDepth|isEveryCase|casesFor|testOnOneStore)\b|^\/\/ depth: all/m;

interface Execution {
  /** Of the test file. */
  hash: string;
  seconds: number;
  passes: boolean;
  /** For each source file, its hash, and the starts and ends of what the test executes. */
  files: Record<string, { hash: string; ranges: number[] }>;
}
type Limits = { all: boolean; timeout: number; until: number; env: NodeJS.ProcessEnv };
type Result = { status: 'green' | 'red' | 'late'; why: string };
type Outcome = { status: 'killed' | 'listed' | 'survived' | 'unfinished'; why: string };

const { values: options, positionals: patterns } = parseArgs({
  options: {
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
    minutes: { type: 'string', default: '20' },
  },
  allowPositionals: true,
});
const reasons: Record<string, string> = JSON.parse(
  fs.readFileSync(join(root, 'scripts/mutations.json'), 'utf8'),
);
const mutations = chooseMutations(listConditions(), options.seed).filter(
  ({ file }) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);

const [started, duration] = [Date.now(), Number(options.minutes) * 60_000];
const deadline = started + duration;
const running = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
// The folders are removed by the cleaner of newFolder.
process.on('exit', () => running.forEach(endGroup));

const texts = new Map<string, string>();
const hashes = new Map<string, string>();
const tests = fs.globSync('test/**/*.test.ts', { cwd: root }).sort();
for (const file of [...fs.globSync('src/**/*.ts', { cwd: root }), ...tests]) read(file);
const importers = readImporters();
const folders = Array.from({ length: availableParallelism() }, copyTree);
const executions = await measureExecutions();
const outcomes = new Map<Mutation, Outcome>();
const queue = mutations.values();
await Promise.all(folders.map(tryMutations));
report();

/** Copies the working tree, with links to the installed packages and a cache of its own: broken code fills it. */
function copyTree(): string {
  const folder = newFolder('zukan-mutations-', onDisk);
  const isCopied = (path: string) => !['.git', 'node_modules', 'dist', 'data'].includes(basename(path));
  for (const name of fs.readdirSync(root).filter(isCopied))
    fs.cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: isCopied,
      verbatimSymlinks: true,
    });
  fs.mkdirSync(join(folder, 'node_modules'));
  for (const name of fs.readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache')) {
    const path = join(root, 'node_modules', name);
    // Links of npm lead to the packages of this tree.
    const target = fs.lstatSync(path).isSymbolicLink() ? fs.readlinkSync(path) : path;
    fs.symlinkSync(target, join(folder, 'node_modules', name));
  }
  for (const modules of fs.globSync('{runtime,scripts/*}/node_modules', { cwd: root }))
    fs.symlinkSync(join(root, modules), join(folder, modules));
  return folder;
}

/**
 * Runs each test file that has changed since its last measurement, and notes what it executes. After half of the time, the
 * others have to wait for the next run.
 */
async function measureExecutions(): Promise<Map<string, Execution>> {
  const path = join(root, 'node_modules/.cache/mutate.json');
  const known: Record<string, Execution> = fs.existsSync(path)
    ? JSON.parse(fs.readFileSync(path, 'utf8'))
    : {};
  const measured = new Map(
    tests.flatMap((test) => (known[test]?.hash === hashOf(test) ? [[test, known[test]]] : [])),
  );
  const missing = tests.filter((test) => !measured.has(test) && !/^\/\/ depth: all/m.test(read(test)));
  const save = () => {
    fs.mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    fs.writeFileSync(path, JSON.stringify(Object.fromEntries(measured)));
  };
  const files = missing.values();
  await Promise.all(
    folders.map(async (folder) => {
      for (const test of files) {
        if (Date.now() > started + duration / 2) return;
        measured.set(test, await measure(folder, test));
        if (measured.size % 20 === 0) save();
      }
    }),
  );
  if (missing.length > 0) save();
  for (const [test, { passes }] of measured) if (!passes) console.log(`left out, fails unbroken: ${test}`);
  return measured;
}

async function measure(folder: string, test: string): Promise<Execution> {
  const reports = join(folder, 'node_modules/.cache/coverage');
  // Compiled code from a cache has no counters.
  const env = { NODE_V8_COVERAGE: reports, NODE_DISABLE_COMPILE_CACHE: '1' };
  const started = performance.now();
  const limits = { all: false, timeout: 4 * MIN_TIMEOUT_MS, until: Number.POSITIVE_INFINITY, env };
  const { status } = await runTests(folder, [test], limits);
  const seconds = (performance.now() - started) / 1000;
  const painted = new Map<string, Uint8Array>();
  for (const name of fs.globSync('*.json', { cwd: reports })) paint(painted, join(reports, name), folder);
  fs.rmSync(reports, { recursive: true, force: true });
  const files = Object.fromEntries(
    Array.from(painted, ([file, paint]) => [file, { hash: hashOf(file), ranges: toRanges(paint) }]),
  );
  return { hash: hashOf(test), seconds, passes: status === 'green', files };
}

/** Marks what one process has executed: an inner range says more than those around it. */
function paint(painted: Map<string, Uint8Array>, path: string, folder: string): void {
  type Range = { startOffset: number; endOffset: number; count: number };
  type Script = { url: string; functions: { ranges: Range[] }[] };
  const { result } = JSON.parse(fs.readFileSync(path, 'utf8')) as { result: Script[] };
  for (const { url, functions } of result) {
    if (!url.startsWith(`file://${folder}/src/`)) continue;
    const file = fileURLToPath(url).slice(folder.length + 1);
    const ranges = functions.flatMap((one) => one.ranges);
    const size = (range: Range) => range.endOffset - range.startOffset;
    const own = new Uint8Array(read(file).length);
    for (const range of ranges.sort((a, b) => size(b) - size(a)))
      own.fill(Number(range.count > 0), range.startOffset, range.endOffset);
    const all = painted.get(file);
    painted.set(file, all ? all.map((value, at) => value | (own[at] as number)) : own);
  }
}

function toRanges(paint: Uint8Array): number[] {
  const edges: number[] = [];
  for (let at = 0; at <= paint.length; at++) if ((paint[at] ?? 0) !== (paint[at - 1] ?? 0)) edges.push(at);
  return edges;
}

/** Breaks one condition after the other in a copy of the tree. */
async function tryMutations(folder: string): Promise<void> {
  for (const mutation of queue) {
    if (Date.now() > deadline) return;
    const path = join(folder, mutation.file);
    const text = read(mutation.file);
    fs.writeFileSync(path, text.slice(0, mutation.start) + mutation.replacement + text.slice(mutation.end));
    const outcome = reasons[mutation.name]
      ? { status: 'listed' as const, why: reasons[mutation.name] as string }
      : await judge(folder, mutation);
    fs.writeFileSync(path, text);
    outcomes.set(mutation, outcome);
    console.log(`${outcome.status}  ${mutation.name}  (${outcome.why})`);
  }
}

async function judge(folder: string, mutation: Mutation): Promise<Outcome> {
  const executing = listExecuting(mutation);
  const outcome = await runUntilRed(folder, executing, false);
  if (outcome) return outcome;
  const deeper = [...executing, ...listImporting(mutation.file)].filter(
    (test) => !executing.includes(test) || usesDepth.test(read(test)),
  );
  const last = await runUntilRed(folder, [...new Set(deeper)].slice(0, MAX_IMPORTING), true);
  return last ?? { status: 'survived', why: `executed by ${executing.length} test files` };
}

/** Few tests at first, because most mutations are noticed by the first ones. */
async function runUntilRed(folder: string, files: string[], all: boolean): Promise<Outcome | undefined> {
  for (let from = 0, size = 1; from < files.length; from += size, size = Math.min(8, size * 2)) {
    const some = files.slice(from, from + size);
    const seconds = some.reduce((sum, test) => sum + (executions.get(test)?.seconds ?? 0), 0);
    const timeout = Math.max(MIN_TIMEOUT_MS, seconds * 1000 * TIMEOUT_FACTOR);
    const { status, why } = await runTests(folder, some, { all, timeout, until: deadline, env: {} });
    if (status === 'late') return { status: 'unfinished', why };
    if (status === 'red') return { status: 'killed', why };
  }
  return;
}

/** The tests that execute a condition, those first that take little time and execute little else. */
function listExecuting({ file, start }: Mutation): string[] {
  const cost = ({ seconds, files }: Execution) => seconds * Object.keys(files).length;
  return [...executions]
    .filter(([, { passes, files }]) => passes && files[file] && covers(files[file], file, start))
    .sort(([, a], [, b]) => cost(a) - cost(b))
    .map(([test]) => test);
}

/** What is known of an older text is only that the test executes some of it. */
function covers({ hash, ranges }: { hash: string; ranges: number[] }, file: string, at: number): boolean {
  return hash !== hashOf(file) || ranges.filter((edge) => edge <= at).length % 2 === 1;
}

/** The tests that import a file, those first that do so most directly. */
function listImporting(file: string): string[] {
  const found = new Set([file]);
  for (const one of found) for (const importer of importers.get(one) ?? []) found.add(importer);
  return [...found].filter((one) => tests.includes(one) && executions.get(one)?.passes !== false);
}

function readImporters(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of fs.globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }))
    for (const target of readImports(file)) found.set(target, [...(found.get(target) ?? []), file]);
  return found;
}

/** Runs test files in a copy of the tree until the first of two limits. */
async function runTests(folder: string, files: string[], limits: Limits): Promise<Result> {
  const args = ['scripts/test.ts', ...(limits.all ? ['--all'] : []), ...files];
  const child = spawn(process.execPath, args, {
    ...{ cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { ...process.env, ...limits.env },
  });
  const pid = child.pid as number;
  running.add(pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  const isLate = limits.until < Date.now() + limits.timeout;
  let isEnded = false;
  const timer = setTimeout(
    () => {
      isEnded = true;
      endGroup(pid);
    },
    Math.max(0, Math.min(limits.timeout, limits.until - Date.now())),
  );
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  endGroup(pid);
  running.delete(pid);
  if (isEnded) return { status: isLate ? 'late' : 'red', why: `no end: ${files.join(', ')}` };
  if (code === 0) return { status: 'green', why: '' };
  const failed = [...output.matchAll(/^ *✖ (.*?) \(\d/gm)].map(([, name]) => name);
  return { status: 'red', why: failed.slice(0, 2).join(' < ') || files.join(', ') };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function report(): void {
  const rows: Record<string, Record<Outcome['status'] | 'score', number>> = {};
  for (const [{ file }, { status }] of outcomes)
    for (const name of [file.split('/').slice(0, 2).join('/'), 'all']) {
      const row = rows[name] ?? { killed: 0, survived: 0, listed: 0, unfinished: 0, score: 0 };
      rows[name] = row;
      row[status]++;
      row.score = Math.round((100 * row.killed) / (row.killed + row.survived));
    }
  console.table(rows);
  const survivors = [...outcomes].filter(([, { status }]) => status === 'survived');
  if (survivors.length === 0) return;
  process.exitCode = 1;
  console.log('No test notices these. Add one, or a line with the reason to scripts/mutations.json:');
  for (const [{ name }] of survivors) console.log(`  ${JSON.stringify(name)}`);
}

/** The text that a file had at first: it may be edited while this runs. */
function read(file: string): string {
  const text = texts.get(file) ?? fs.readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

function hashOf(file: string): string {
  const hash = hashes.get(file) ?? createHash('sha256').update(read(file)).digest('hex');
  hashes.set(file, hash);
  return hash;
}
