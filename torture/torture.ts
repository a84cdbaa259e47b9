/** The whole run: costs, floods, faults, random requests, kills. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noProgress, type Progress, startProgress } from '../src/cli/terminal/terminal.ts';
import { newFolder } from '../test/support/workspace.ts';
import { measureCosts } from './costs.ts';
import { failOver } from './failover.ts';
import { injectFaults } from './faults.ts';
import { flood } from './floods.ts';
import { fuzzAll } from './fuzz.ts';
import { kill } from './kills.ts';
import { Report } from './report.ts';
import { type Engines, startEngines, startTargets } from './servers.ts';

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
  /** Measures the cost of every n-th shape of a request. */
  everyShape: number;
  /** How many requests to derive from the most expensive ones. */
  searches: number;
  /** How many of the floods to run. */
  floods: number;
  /** Each client waits this long between its requests while something is broken. */
  pauseMs: number;
  failovers: number;
  /** Only measures what requests cost. */
  onlyCosts?: boolean;
  /**
   * In the test suite: each flood runs on one of the stores, slow responses are not failures, because they depend on what
   * else the machine does, and there is no progress.
   */
  isShort?: boolean;
}

/** What every part of a run gets. */
export interface Run extends Options {
  report: Report;
  engines: Engines;
  /** A new folder for the part. */
  folder: string;
  announce(step: string): void;
  /** Whether this share of the time is over. */
  isOver(share: number): boolean;
}

export async function torture(options: Options): Promise<Report> {
  const { seed, requests, kills, minutes, isShort } = options;
  const report = new Report(seed);
  const folder = newFolder('zukan-torture-');
  const startedAt = performance.now();
  const showing = async (title: string, total: number, work: (progress: Progress) => Promise<void>) => {
    using progress = isShort ? noProgress : startProgress(title, total, process);
    await work(progress);
  };
  try {
    await using engines = await startEngines();
    const runIn = (name: string): Run => {
      mkdirSync(join(folder, name));
      return {
        ...options,
        ...{ report, engines, folder: join(folder, name) },
        announce: (step) => void (isShort || process.stderr.write(`${step}\n`)),
        isOver: (share) => performance.now() - startedAt > share * minutes * 60_000,
      };
    };
    await measureCosts(runIn('costs'));
    if (options.onlyCosts) return report;
    await flood(runIn('floods'));
    await using stack = new AsyncDisposableStack();
    const run = runIn('servers');
    const targets = await startTargets(run, stack);
    await injectFaults(targets, run);
    if (engines.postgres) await failOver(engines.postgres, runIn('failover'));
    await showing('Sending requests', requests, (progress) => fuzzAll(targets, progress, run));
    await stack.disposeAsync();
    await showing('Killing', kills, (progress) => kill(progress, runIn('kills')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report;
}
