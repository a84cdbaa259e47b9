/** Repeats the tests in random orders while busy loops occupy every core. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { root } from './imports.ts';

const usage = `Usage: npm run test:stress [-- options pattern…]
  --runs N    how often the tests run (10)
  --loops N   busy loops per core (2)
  --seed N    the order of every run; without it, each run has a new one

Prints the seed of each run; npm test -- --seed N repeats its order. Exit status 1 if a run failed.`;

const { values: options, positionals: patterns } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    loops: { type: 'string', default: '2' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (options.help) {
  console.log(usage);
  process.exit();
}
const runs = Number(options.runs);
const logs = join(root, 'node_modules/.cache/stress');
mkdirSync(logs, { recursive: true });

const loops = Array.from(
  { length: availableParallelism() * Number(options.loops) },
  () => new Worker('for (;;);', { eval: true }),
);
let passed = 0;
for (let run = 1; run <= runs; run++) {
  const seed = options.seed ?? String(randomInt(2 ** 31));
  const log = join(logs, `${seed}.log`);
  const started = performance.now();
  const hasPassed = await runTests(seed, log);
  if (hasPassed) passed++;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `run ${run} of ${runs}, seed ${seed}: ${hasPassed ? 'passed' : `FAILED, see ${log}`} (${seconds} s)`,
  );
}
await Promise.all(loops.map((loop) => loop.terminate()));
console.log(`${passed} passed, ${runs - passed} failed`);
process.exitCode = passed === runs ? 0 : 1;

async function runTests(seed: string, log: string): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, 'scripts/test.ts'), '--seed', seed, ...patterns], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const [status] = await once(child, 'close');
  output.end();
  return status === 0;
}
