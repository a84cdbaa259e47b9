/** The id of a request is in its answer, and in every line of the log that belongs to it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { importFiles } from '../../src/commands/import.ts';
import { Unavailable } from '../../src/errors.ts';
import { RouteTraffic } from '../../src/http/metrics/traffic.ts';
import { sendError } from '../../src/http/server/errors.ts';
import { Exchange } from '../../src/http/server/exchange.ts';
import { Log } from '../../src/http/server/log.ts';
import { uuid, writeKnownCatalogue } from '../support/catalogue.ts';
import { tamper } from '../support/engines.ts';
import { serve } from '../support/program.ts';
import { configFor, filesFolder, send } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

test('the log of a process: requests, missing bytes, errors, a part that is not ready', async () => {
  const folder = temporaryFolder();
  const config = configFor(folder);
  await importFiles(config, [await writeKnownCatalogue(folder)]);
  const server = await serve({ DATA_DIR: join(folder, 'data') });
  const ask = async (path: string) => {
    const answer = await send(new URL(path, server.origin));
    return { ...answer, id: answer.headers['x-request-id'] as string };
  };
  const image = await ask(`/api/image/${uuid(4, 1)}`);
  await rm(filesFolder(config), { recursive: true });
  const missing = await ask(image.json.data.url);
  tamper(config, 'alter table image rename to gone; alter table shelf rename to gone_too');
  const failed = await ask(`/api/image/${uuid(4, 1)}`);
  const unready = await ask('/health/ready');
  assert.deepEqual(
    [image, missing, failed, unready].map(({ status }) => status),
    [200, 404, 500, 503],
  );
  server.child.kill('SIGTERM');
  await server.ended;
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const logged = lines
    .map((line) => JSON.parse(line))
    .map(({ request, level, msg }) => [request, level, msg]);
  assert.deepEqual(logged, [
    [image.id, 'info', 'request'],
    [missing.id, 'error', 'the bytes of an image are missing'],
    [missing.id, 'info', 'request'],
    [failed.id, 'error', 'unexpected error'],
    [failed.id, 'info', 'request'],
    [unready.id, 'error', 'a part is not ready'],
    [unready.id, 'info', 'request'],
  ]);
});

/** A server that answers each request so, and what it told of it. */
async function answering(answer: (exchange: Exchange) => unknown) {
  const logged: unknown[][] = [];
  const answered: number[] = [];
  const log = new Log('warn');
  for (const level of ['warn', 'error'] as const)
    log[level] = (facts, message) => logged.push([(facts as { request: string }).request, level, message]);
  const server = createServer((request, response) =>
    answer(
      new Exchange(request, response, log, new RouteTraffic(), (_, status) => {
        answered.push(status);
      }),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const [received] = await once(get({ port: (server.address() as AddressInfo).port }), 'response');
  return { received: received as IncomingMessage, logged, answered };
}

test('a part that is away', async () => {
  const { received, logged, answered } = await answering((exchange) =>
    sendError(new Unavailable('gone'), exchange),
  );
  received.resume();
  assert.deepEqual(logged, [[received.headers['x-request-id'], 'warn', 'unavailable']]);
  assert.deepEqual(answered, [503]);
});

/** Bytes that never end by themselves. */
const endless = (atChunk: (chunk: number) => void) => {
  let chunk = 0;
  return new Readable({
    read() {
      try {
        atChunk(chunk++);
        setImmediate(() => this.push(Buffer.alloc(65536)));
      } catch (error) {
        this.destroy(error as Error);
      }
    },
  });
};

test('bytes that break off in the middle', async () => {
  const bytes = endless((chunk) => {
    if (chunk > 3) throw new Error('the disk is broken');
  });
  const { received, logged, answered } = await answering((exchange) => exchange.stream(200, bytes, () => {}));
  await assert.rejects(received.resume().toArray());
  await setTimeout(20);
  assert.deepEqual(logged, [[received.headers['x-request-id'], 'error', 'an answer broke off']]);
  assert.deepEqual(answered, [200]);
});

test('a client that goes in the middle is counted once, and nothing to write about', async () => {
  const bytes = endless(() => {});
  const { received, logged, answered } = await answering((exchange) => exchange.stream(200, bytes, () => {}));
  await once(received, 'readable');
  received.destroy();
  await once(bytes, 'close').catch(() => {});
  await setTimeout(20);
  assert.deepEqual([logged, answered], [[], [200]]);
});
