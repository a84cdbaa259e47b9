/**
 * `zukan import --watch` as a program whose parent decides when it scans. It prints `waiting` before each wait and continues
 * when a line with a number arrives: so many milliseconds have passed. It stops at the end of its input.
 */
import { createInterface } from 'node:readline';
import { watchCommand } from '../src/cli/importing/watch.ts';
import { readConfig } from '../src/config/config.ts';

const [folder = '', ...flags] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let now = Date.now();
const prune = flags.includes('--prune');

await watchCommand(readConfig(process.env), [folder], { prune, yes: prune }, process, {
  clock: () => now,
  steadyClock: () => now,
  async wait() {
    process.stdout.write('waiting\n');
    const { done, value } = await lines.next();
    if (done) process.emit('SIGINT');
    else now += Number(value);
  },
  watch: () => undefined,
});
