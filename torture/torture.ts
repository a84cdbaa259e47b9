/** The whole run: costs, floods, faults, random requests, kills. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noProgress, type Progress, startProgress } from '../src/cli/terminal/terminal.ts';
import { newFolder } from '../test/support/workspace.ts';
import { measureCosts } from './costs.ts';
import { failOver } from './failover.ts';
import { injectFaults } from './faults.ts';
import { flood } from './floods.ts';
import { fuzz } from './fuzz.ts';
import { kill } from './kills.ts';
import { startMeter } from './meter.ts';
import { Report } from './report.ts';
import { startEngines, startTargets, type Target } from './servers.ts';

export interface Options {
  seed: number;
  requests: number;
  kills: number;
  /** The run ends after about this time, even if requests or kills are left. */
  minutes: number;
  /** How long each flood and each fault lasts. */
  attackMs: number;
  /** Names and images in the catalogue that is flooded. */
  names: number;
  images: number;
  /** How many requests to derive from the most expensive ones. */
  searches: number;
  /** Only measures what requests cost. */
  onlyCosts?: boolean;
  /** The sizes of a run in the test suite. */
  short?: ShortRun;
}

/**
 * For the test suite: each flood runs on one of the stores, slow responses are not failures, because they depend on what
 * else the machine does, and there is no progress.
 */
export interface ShortRun {
  /** Measures the cost of every n-th shape only. */
  everyShape: number;
  /** How many of the floods to run. */
  floods: number;
  /** Each client waits this long between its requests while something is broken. */
  pauseMs: number;
  failovers: number;
}

const FAILOVERS = 5;
/** Requests may use this share of the time. The rest is for kills. */
const REQUESTS_SHARE = 0.6;
/** In CPU time of the server. */
const MAX_COST_MS = 1;
/** The test suite measures fewer shapes, for which the code is hardly compiled yet, on machines that are busy. */
const SHORT_RUN_MAX_COST_MS = 6;

export async function torture(options: Options): Promise<Report> {
  const { seed, requests, kills, minutes, attackMs: ms, searches, short } = options;
  const report = new Report();
  const folder = newFolder('zukan-torture-');
  const startedAt = performance.now();
  const isOver = (share: number) => performance.now() - startedAt > share * minutes * 60_000;
  const announce = (step: string) => {
    if (!short) process.stderr.write(`${step}\n`);
  };
  const showing = async (title: string, total: number, work: (progress: Progress) => Promise<void>) => {
    using progress = short ? noProgress : startProgress(title, total, process);
    await work(progress);
  };
  const newSubfolder = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  try {
    await using engines = await startEngines();
    await measureCosts(newSubfolder('costs'), engines, {
      seed,
      report,
      announce,
      searches,
      isShort: short !== undefined,
      every: short?.everyShape ?? 1,
      maxCost: short ? SHORT_RUN_MAX_COST_MS : MAX_COST_MS,
    });
    if (options.onlyCosts) return report;
    await flood(newSubfolder('floods'), engines, { ...options, report, announce, ms });
    await using stack = new AsyncDisposableStack();
    const targets = await startTargets(newSubfolder('servers'), engines, stack);
    await injectFaults(targets, engines, { seed, report, announce, ms, pauseMs: short?.pauseMs ?? 0 });
    if (engines.postgres)
      await failOver(newSubfolder('failover'), engines.postgres, {
        seed,
        report,
        announce,
        failovers: short?.failovers ?? FAILOVERS,
      });
    await showing('Sending requests', requests, (progress) =>
      fuzzAll(targets, requests, {
        seed,
        label: 'fuzz',
        pauseMs: 0,
        report,
        progress,
        isOver: () => isOver(REQUESTS_SHARE),
      }),
    );
    await stack.disposeAsync();
    await showing('Killing', kills, (progress) =>
      kill(newSubfolder('kills'), engines, { seed, kills, report, progress, isOver: () => isOver(1) }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

/** All servers at once, each with its share of the requests. */
async function fuzzAll(
  targets: Target[],
  requests: number,
  options: Omit<Parameters<typeof fuzz>[1], 'requests'>,
): Promise<void> {
  await Promise.all(
    targets.map(async (target) => {
      const meter = startMeter(target.pid);
      await fuzz(target, { ...options, requests: Math.ceil(requests / targets.length) });
      const { growth, peak } = meter.stop();
      const what = `fuzz, ${target.name}: API`;
      options.report.row(what).memory = { growth, peak };
      const ending = target.ending();
      if (ending) options.report.fail(what, ending, `seed ${options.seed}`);
    }),
  );
}
