/** `npm run torture`: attacks, breaks and kills real servers and commands, and prints what happened. */
import { parseArgs } from 'node:util';
import { torture } from './torture.ts';

const usage = `Usage: npm run torture -- [options]
  --requests N   random requests to send (100000)
  --kills N      processes to kill (60)
  --minutes N    stop after about N minutes; without --requests and --kills, use all of them
  --costs        only measure what requests cost, and look for the most expensive ones
  --searches N   requests to derive from the most expensive ones (500)
  --seed N       repeat the run with this seed (a new one)

Attacks zukan on SQLite and on PostgreSQL with Redis: floods, faults of the database, Redis, disk and workers, random
requests, and kills of commands, servers, watched folders and the studio, also with a database that was lost, emptied or
mixed up, a full disk and a clock that jumps. Prints one table and everything that failed. Exit status 1 if anything did.
PostgreSQL, Redis and Chromium must be installed. Mounting a small disk, to fill it, needs root. Nothing else should run
meanwhile, because slow responses during floods count as failures.`;

/** More than fits into any time that --minutes may allow. */
const UNLIMITED = 1_000_000_000;
const MAX_KILLS = 1_000_000;
const sizes = { attackMs: 4000, names: 100_000, images: 20_000, pauseMs: 0, failovers: 5 };
const everything = { everyShape: 1, floods: Number.POSITIVE_INFINITY };

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`not a whole number: ${text}`);
  return Number(text);
}

class UsageError extends Error {
  code = 'ERR_PARSE_ARGS';
}

function readOptions() {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      ...{ requests: option, kills: option, minutes: option, searches: option, seed: option },
      costs: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const minutes = readNumber(values.minutes);
  return {
    help: values.help,
    onlyCosts: values.costs ?? false,
    searches: readNumber(values.searches) ?? 500,
    seed: readNumber(values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    requests: readNumber(values.requests) ?? (minutes ? UNLIMITED : 100_000),
    kills: readNumber(values.kills) ?? (minutes ? MAX_KILLS : 60),
    minutes: minutes ?? Number.POSITIVE_INFINITY,
  };
}

try {
  const { help, ...options } = readOptions();
  if (help) {
    console.log(usage);
  } else {
    const startedAt = performance.now();
    const report = await torture({ ...sizes, ...everything, ...options });
    console.log(report.lines().join('\n'));
    console.log(`took ${Math.round((performance.now() - startedAt) / 1000)} s`);
    process.exitCode = report.failed > 0 ? 1 : 0;
  }
} catch (error) {
  if (!(error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}
