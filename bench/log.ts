/** The CPU time of a log line to a fast reader, compared with pino, and the lines that each of them lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LINES = 200_000;
const LINES_PER_TICK = 50;
const fields = {
  request: '6f0c3a5e-53c5-4b0f-8f5a-0d1c5ad1f0b1',
  method: 'GET',
  path: '/api/image/random',
  status: 200,
  ms: 0.42,
  client: '203.0.113.7',
};

/** Writes the lines, then reports its CPU time on standard error. */
const child = `
const { name, lines, perTick, fields, logger } = JSON.parse(process.argv[1]);
let log;
if (name === 'pino') {
  const { pino } = await import('pino');
  const destination = pino.destination({ dest: 1, sync: false, maxLength: 4 * 1024 * 1024 });
  log = pino({ base: null }, destination);
  log.flush = () => new Promise((resolve) => destination.flush(resolve));
} else {
  const { Logger } = await import(logger);
  log = new Logger('info');
}
const start = process.cpuUsage();
for (let line = 0; line < lines; line += perTick) {
  for (let index = 0; index < perTick; index++) log.info(fields, 'request');
  await new Promise((resolve) => setImmediate(resolve));
}
await log.flush();
const { user, system } = process.cpuUsage(start);
process.stderr.write(String((user + system) / lines));
process.exit();
`;

export async function run(): Promise<void> {
  for (const name of ['zukan', 'pino']) {
    const logger = new URL('../src/http/logger.ts', import.meta.url).href;
    const parameters = { name, lines: LINES, perTick: LINES_PER_TICK, fields, logger };
    const script = ['--input-type=module', '--eval', child, JSON.stringify(parameters)];
    const writer = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [received, cpu] = [0, ''];
    writer.stdout.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) received++;
    });
    writer.stderr.on('data', (chunk) => {
      cpu += chunk;
    });
    await once(writer, 'close');
    console.log(
      `${name}: ${Number(cpu).toFixed(1)} µs of CPU time per line, ${LINES - received} of ${LINES} lost`,
    );
  }
}
