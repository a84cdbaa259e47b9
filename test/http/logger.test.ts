/** The log when the reader of standard output is slow, stuck or gone. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { errorField, Logger } from '../../src/http/logger.ts';
import { parseMetrics, sampleIn } from '../support/checks/metrics.ts';
import { testDeep } from '../support/depth.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const CONNECTIONS = 64;
/** Less than a long line, so lines are split wherever it hurts. */
const READ_SIZE = 7000;

/** `zukan serve` with its standard output on a real pipe that the test reads when it likes. */
async function startServer(workers = '1') {
  const folder = temporaryFolder();
  const pipe = join(folder, 'stdout');
  execFileSync('mkfifo', [pipe]);
  // Opening one end of a pipe waits for the other, unless both are opened at once.
  const bothEnds = openSync(pipe, constants.O_RDWR);
  const writeEnd = openSync(pipe, constants.O_WRONLY);
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', RATE_LIMIT: 'off', WORKERS: workers },
    stdio: ['ignore', writeEnd, 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit').then(([status]) => status as number);
  const reader = createReadStream(pipe, { encoding: 'utf8', highWaterMark: READ_SIZE });
  const closed = once(reader, 'close');
  let output = '';
  reader.on('data', (chunk) => {
    output += chunk;
  });
  await once(reader, 'open');
  for (const end of [bothEnds, writeEnd]) closeSync(end);
  await until('the server has started', () => output.split('\n').length > 3);
  const origin = /http:\/\/\S+/.exec(output)?.[0];

  let requests = 0;
  const request = async (path: string) => {
    requests++;
    const response = await fetch(origin + path);
    return { status: response.status, text: await response.text() };
  };
  return {
    reader,
    request,
    output: () => output,
    requests: () => requests,
    /** Sends requests whose log lines are a little longer than `length`. */
    async flood(count: number, length: number) {
      for (let sent = 0; sent < count; sent += CONNECTIONS) {
        const batch = Array.from({ length: Math.min(CONNECTIONS, count - sent) }, () =>
          request(`/${'x'.repeat(length)}`),
        );
        for (const { status } of await Promise.all(batch)) assert.equal(status, 404);
      }
    },
    async droppedLines() {
      return sampleIn(parseMetrics((await request('/metrics')).text), 'zukan_log_lines_dropped_total');
    },
    async stop() {
      child.kill('SIGTERM');
      const status = await exited;
      if (reader.readableFlowing) await closed;
      return status;
    },
  };
}

/** Fails on a line that is not whole. */
function loggedPaths(output: string): string[] {
  const [, , , ...lines] = output.split('\n');
  assert.equal(lines.pop(), '', 'the last line is whole');
  return lines.map((line) => JSON.parse(line).path);
}

test('loses no line while the reader is behind by less than the buffer, else drops whole lines and counts them', async () => {
  const server = await startServer();
  server.reader.pause();
  await server.flood(100, 8000);
  assert.equal(await server.droppedLines(), 0);
  server.reader.resume();
  await until('the last line is logged', () => /"\/metrics".*\n$/.test(server.output()));
  assert.equal(loggedPaths(server.output()).length, server.requests());

  // Behind by more than the buffer.
  server.reader.pause();
  await server.flood(320, 15_000);
  assert.ok((await server.droppedLines()) > 0);
  server.reader.resume();
  await until('the reader has caught up', async () => {
    await server.request('/caught-up');
    return server.output().includes('"/caught-up"');
  });
  const dropped = await server.droppedLines();
  assert.equal(await server.stop(), 0);
  const paths = loggedPaths(server.output());
  assert.equal(paths.length + dropped, server.requests());
  assert.equal(paths.at(-1), '/metrics');
});

testDeep('keeps serving when the reader goes away, and counts the lines nobody can read', async () => {
  const server = await startServer();
  server.reader.destroy();
  await server.flood(120, 15_000);
  assert.ok((await server.droppedLines()) > 100);
  assert.equal(await server.stop(), 0);
});

testDeep('several workers write whole lines', async () => {
  const server = await startServer('2');
  await server.flood(300, 3000);
  assert.equal(await server.stop(), 0);
  assert.equal(loggedPaths(server.output()).length, server.requests());
});

test('stops even when the reader is stuck', async () => {
  const server = await startServer();
  server.reader.pause();
  // More than a pipe holds.
  await server.flood(20, 15_000);
  assert.equal(await server.stop(), 0);
});

test('text for people: one line for each event, which nobody can forge', async () => {
  const lines: Record<string, string> = {};
  for (const format of ['json', 'text'] as const) {
    const write = (text: string, done: () => void) => {
      lines[format] = `${lines[format] ?? ''}${text}`;
      done();
    };
    const log = new Logger('info', write, format);
    const request = {
      request: 'r-1',
      method: 'GET',
      path: '/api/stats',
      status: 200,
      ms: 1.2,
      client: '::1',
    };
    log.info(request, 'request');
    log.warn({ ...request, path: '/a b"\n2026 info  \x1b[31m\u202eforged' }, 'request');
    log.error({ part: 'files', ...errorField(new TypeError('no\nsuch file')) }, 'health check failed');
    log.warn({}, 'plain');
    await log.flush();
  }
  const text = (lines.text ?? '').replaceAll(/^\S+Z /gm, '');
  const [first, second, third, ...others] = text.split('\n');
  assert.equal(first, 'info  GET /api/stats 200 1.2 ms request=r-1 client=::1');
  assert.equal(
    second,
    String.raw`warn  GET "/a b\"\n2026 info  \u001b[31m\u202eforged" 200 1.2 ms request=r-1 client=::1`,
  );
  assert.match(third ?? '', /^error health check failed part=files err="TypeError: no such file at .*"$/);
  assert.deepEqual(others, ['warn  plain', '']);
  assert.match(
    lines.json ?? '',
    /^\{"level":"info","time":"[^"]+","request":"r-1","method":"GET","path":"\/api\/stats","status":200,"ms":1.2,"client":"::1","msg":"request"\}\n/,
  );
});
