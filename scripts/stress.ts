/**
 * Repeats the tests in random orders while busy loops occupy every core: `npm run test:stress [-- pattern…]`. It prints the
 * seed of each run; `npm test -- --seed N` repeats its order.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { root } from './imports.ts';

const { values: options, positionals: patterns } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    /** Busy loops per core. */
    loops: { type: 'string', default: '2' },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});
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
