/** Breaks what the servers depend on while they are being fuzzed. They must recover without a restart. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { noProgress } from '../src/cli/terminal/terminal.ts';
import { keyed } from '../test/support/catalogues/import.ts';
import { toLines } from '../test/support/catalogues/lines.ts';
import { mountDisk } from '../test/support/servers/mount.ts';
import { until } from '../test/support/until.ts';
import { runCommand } from '../test/support/zukan/program.ts';
import { filesFolder } from '../test/support/zukan/service.ts';
import { fuzz } from './fuzz.ts';
import { runOrThrow, startTarget, type Target } from './servers.ts';
import type { Run } from './torture.ts';

const DISK_BYTES = 2 * 1024 * 1024;
const MAX_READ_MS = 5000;
const READY = '{"status":"ready"}';

interface Fault {
  what: string;
  target: Target | undefined;
  /** Whether requests may fail with 503 meanwhile. */
  isUnavailable: boolean;
  /** Whether connections may be closed without a response meanwhile. */
  isCut?: boolean;
  begin(): Promise<void> | void | undefined;
  end(): Promise<void> | void | undefined;
}

export async function injectFaults(targets: Target[], run: Run): Promise<void> {
  const { postgres, redis } = run.engines;
  const find = (name: string) => targets.find((target) => target.name === name);
  const [sqlite, limited] = [find('SQLite'), find('PostgreSQL')];
  const start = () => postgres?.start();
  const proceed = () => postgres?.signal('SIGCONT');
  const ofPostgres = { target: limited, isUnavailable: true };
  const ofRedis = { target: limited, isUnavailable: false };
  const faults: Fault[] = [
    { what: 'PostgreSQL killed', ...ofPostgres, begin: () => postgres?.stop('kill'), end: start },
    { what: 'PostgreSQL restarted', ...ofPostgres, begin: () => postgres?.stop('fast'), end: start },
    { what: 'PostgreSQL hung', ...ofPostgres, begin: () => postgres?.signal('SIGSTOP'), end: proceed },
    ...(redis
      ? [
          { what: 'Redis killed', ...ofRedis, begin: () => redis.kill(), end: () => redis.start() },
          {
            ...{ what: 'Redis hung', ...ofRedis },
            begin: () => redis.signal('SIGSTOP'),
            end: () => redis.signal('SIGCONT'),
          },
        ]
      : []),
    { what: 'files folder gone', target: sqlite, isUnavailable: false, ...hideFiles(sqlite) },
  ];
  for (const fault of faults) if (fault.target) await inject(fault, fault.target, run);
  if (sqlite) await hangWorker(sqlite, run);
  await fillDisk(run);
}

function hideFiles(target: Target | undefined) {
  const folder = target ? filesFolder(target.config) : '';
  return {
    begin: () => renameSync(folder, `${folder}.gone`),
    end: () => renameSync(`${folder}.gone`, folder),
  };
}

/** One of several threads: it is reported, then replaced, and whoever waited for it is served in the end. */
async function hangWorker({ environment }: Target, run: Run): Promise<void> {
  const flags = [`--import=${join(import.meta.dirname, 'hang-on-signal.ts')}`];
  await using target = await startTarget('SQLite', { ...environment, WORKERS: '3' }, flags);
  const fault = {
    what: 'worker hung',
    target,
    isUnavailable: false,
    isCut: true,
    async begin() {
      process.kill(target.pid, 'SIGUSR2');
      await until('/health/ready reports the worker', async () =>
        /"workers"/.test(await read(target, '/health/ready')),
      );
    },
    end: () =>
      until('the worker is replaced', async () =>
        /^zukan_worker_failures_total 1$/m.test(await read(target, '/metrics')),
      ),
  };
  await inject(fault, target, run);
}

async function inject(fault: Fault, target: Target, run: Run): Promise<void> {
  const what = `fault: ${fault.what}`;
  const { report, announce, attackMs, pauseMs } = run;
  announce(what);
  let isOver = false;
  await report.observe(what, target, async () => {
    const fuzzing = fuzz(target, {
      ...{ report, pauseMs, label: what, rowOf: () => what },
      requests: 1_000_000,
      progress: noProgress,
      isOver: () => isOver,
    });
    try {
      // Before the first request may fail.
      target.situation.mayBeUnavailable = fault.isUnavailable;
      target.situation.mayBeCut = fault.isCut ?? false;
      await setTimeout(attackMs / 4);
      await fault.begin();
      await setTimeout(attackMs);
      await fault.end();
      await until('the service has recovered', async () => (await read(target, '/health/ready')) === READY);
      target.situation.mayBeCut = false;
      if (fault.isCut) await setTimeout(attackMs / 4);
    } catch (error) {
      report.fail(what, (error as Error).message);
    }
    isOver = true;
    await fuzzing;
    target.situation.mayBeUnavailable = false;
  });
}

/** The body of the response, or nothing if none comes in time: the connection may have reached a thread that hangs. */
async function read({ origin }: Target, path: string): Promise<string> {
  const signal = AbortSignal.timeout(MAX_READ_MS);
  return fetch(origin + path, { signal }).then(
    (response) => response.text(),
    () => '',
  );
}

/** An import fails on a full disk. The server stays up, and a smaller import works at once. */
async function fillDisk({ report, announce }: Run): Promise<void> {
  const what = 'fault: disk full';
  announce(what);
  const startedAt = performance.now();
  try {
    using disk = mountDisk(DISK_BYTES);
    const environment = { DATA_DIR: join(disk.folder, 'data'), LOG_LEVEL: 'silent' };
    await runOrThrow(['import', '--quiet', '-'], environment, JSON.stringify(keyed(1)));
    await using target = await startTarget('SQLite', { ...environment, RATE_LIMIT: 'off' });
    const url = `https://example.org/${'x'.repeat(1000)}`;
    const artists = (count: number) =>
      toLines(
        Array.from({ length: count }, (_, index) => ({ type: 'artist', name: `Artist ${index}`, url })),
      );
    const full = await runCommand(['import', '--quiet', '-'], environment, artists((2 * DISK_BYTES) / 1000));
    if (full.status !== 1) throw new Error('the import did not fail');
    await runOrThrow(['import', '--quiet', '-'], environment, artists(200));
    const { status, headers } = await fetch(`${target.origin}/api/artist`);
    // And the artist of the image, who is unknown.
    const total = headers.get('x-total-count');
    if (status !== 200 || total !== '201') throw new Error(`${status}, ${total} artists after the import`);
  } catch (error) {
    if (/^Command failed: mount/.test((error as Error).message))
      return console.error('!!! SKIPPED: disk full: mounting needs root');
    report.fail(what, (error as Error).message);
  }
  report.add(what, performance.now() - startedAt);
}
