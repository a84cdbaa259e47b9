/** Imports a library with the sidecars of many tools and some bad files: at once, and interrupted many times. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFor } from '../torture/random.ts';
import { type Library, writeLibrary } from './library/files.ts';
import { runCommand, thisCheckout } from './process.ts';

/** Files that were just written are read again. */
const SETTLE_MS = 3000;
const POLL_MS = 20;
const SIGNALS = ['SIGKILL', 'SIGINT', 'SIGTERM'] as const;

export const usage = `library [--files <number>] [--bad <number>] [--interrupts <number>] [--side <pixels>] [--seed <number>]
  --files       how many pictures, 20000 by default
  --bad         how many of them cannot be imported, one in 40 by default
  --interrupts  how often the second import is interrupted, 10 by default
  --side        the longest side of the pictures, 640 by default
  --seed        of the moments and signals of the interrupts, 1 by default`;

interface Attempt {
  /** In seconds. */
  cpu: number;
  end: string;
  read: Set<string>;
}

export async function run(options: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: options,
    options: { files: text, bad: text, interrupts: text, side: text, seed: text },
  });
  const files = Number(values.files ?? 20_000);
  const bad = Number(values.bad ?? files / 40);
  const folder = realpathSync(await mkdtemp(join(tmpdir(), 'zukan-library-')));
  try {
    const library = await writeLibrary(
      join(folder, 'library'),
      files,
      Math.floor(bad),
      Number(values.side ?? 640),
    );
    await setTimeout(SETTLE_MS);
    console.log(
      `${files} files with the sidecars of ${library.shapes} tools, ${library.bad.size} of them bad`,
    );
    const whole = await attempt(library, join(folder, 'whole'));
    report('at once', whole, library);
    const attempts = await interrupt(
      library,
      join(folder, 'parts'),
      Number(values.interrupts ?? 10),
      Number(values.seed ?? 1),
    );
    summarise(whole, attempts, library);
    await compare(folder, library.good.size);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Interrupts the import again and again, the last time when all pictures were read, and then lets it finish. */
async function interrupt(library: Library, data: string, times: number, seed: number): Promise<Attempt[]> {
  const random = randomFor(seed, 'library');
  const cuts = Array.from({ length: times - 1 }, () => 1 + random.below(library.good.size - 1));
  const read = new Set<string>();
  const attempts: Attempt[] = [];
  for (const cut of [...cuts.sort((a, b) => a - b), library.good.size]) {
    const signal = random.pick(SIGNALS);
    const made = await attempt(library, data, signal, (opened) => read.union(opened).size >= cut);
    for (const path of made.read) if (library.good.has(path)) read.add(path);
    attempts.push(made);
    report(`attempt ${attempts.length}, ${made.end}`, made, library);
  }
  attempts.push(await attempt(library, data));
  report('the last attempt', attempts.at(-1) as Attempt, library);
  return attempts;
}

/** Runs an import. With a signal, until enough pictures were opened. */
async function attempt(
  { folder, good }: Library,
  data: string,
  signal?: (typeof SIGNALS)[number],
  isEnough: (opened: Set<string>) => boolean = () => false,
): Promise<Attempt> {
  const log = `${data}.log`;
  writeFileSync(log, '');
  const child = spawn(
    process.execPath,
    [
      `--import=${join(import.meta.dirname, 'library/note-reads.ts')}`,
      join(thisCheckout, 'bin/zukan.js'),
      ...['import', '--quiet', '--skip-bad', folder],
    ],
    {
      env: { ...process.env, DATA_DIR: data, READ_FOLDER: folder, READ_LOG: log },
      stdio: ['ignore', 'ignore', signal ? 'ignore' : 'inherit'],
    },
  );
  const ended = once(child, 'close');
  let cpu = 0;
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  while (signal && isRunning && !isEnough(readLog(log).read.intersection(good))) await setTimeout(POLL_MS);
  if (signal && isRunning) {
    cpu = cpuOf(child);
    child.kill(signal);
  }
  const [status, killedBy] = await ended;
  const { read, cpuMs } = readLog(log);
  return {
    cpu: cpuMs === undefined ? cpu : cpuMs / 1000,
    end: killedBy ?? (status === 0 ? 'finished' : `${signal}`),
    read,
  };
}

function readLog(path: string): { read: Set<string>; cpuMs: number | undefined } {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const last = /^cpu (\d+)$/.exec(lines.at(-1) ?? '')?.[1];
  return { read: new Set(lines), cpuMs: last === undefined ? undefined : Number(last) };
}

/** The CPU time of a running process, in seconds. Linux counts it in hundredths. */
function cpuOf({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / Number(execFileSync('getconf', ['CLK_TCK']));
}

function report(what: string, { cpu, read }: Attempt, { good, bad }: Library): void {
  const [pictures, damaged] = [read.intersection(good).size, read.intersection(bad).size];
  console.log(
    `${what.padEnd(24)} ${cpu.toFixed(1).padStart(8)} s CPU  ${pictures} pictures and ${damaged} bad files read`,
  );
}

function summarise(whole: Attempt, attempts: Attempt[], { good }: Library): void {
  const total = attempts.reduce((sum, { cpu }) => sum + cpu, 0);
  const reads = attempts.flatMap(({ read }) => [...read.intersection(good)]);
  const last = attempts.at(-1) as Attempt;
  const perFile = (cpu: number) => `${((cpu * 1000) / good.size).toFixed(2)} ms`;
  console.log(
    `all attempts             ${total.toFixed(1).padStart(8)} s CPU  ${(total / whole.cpu).toFixed(2)} times as much`,
  );
  console.log(`pictures read twice      ${reads.length - new Set(reads).size} of ${good.size}`);
  console.log(
    `a picture                ${perFile(whole.cpu)} of CPU time at once, ${perFile(last.cpu)} when it was read before: ` +
      `${((100 * last.cpu) / whole.cpu).toFixed(1)} %`,
  );
}

/** Whether both catalogues are the same, apart from ids and times. */
async function compare(folder: string, images: number): Promise<void> {
  const [whole, parts] = await Promise.all(
    ['whole', 'parts'].map(async (name) => {
      const environment = { DATA_DIR: join(folder, name) };
      const checked = await runCommand(['check', '--quiet'], environment);
      return `${checked}\n${normalise(await runCommand(['export'], environment))}`;
    }),
  );
  const count = whole?.match(/^\{"type":"image"/gm)?.length;
  console.log(
    `${count} images, ${images} expected; the results are ${whole === parts ? 'equal' : 'DIFFERENT'}`,
  );
  if (whole !== parts) process.exitCode = 1;
}

function normalise(lines: string): string {
  const ids = new Map<string, number>();
  return lines.replaceAll(/"createdAt":"[^"]*"/g, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
    ids.set(id, ids.get(id) ?? ids.size);
    return `id ${ids.get(id)}`;
  });
}
