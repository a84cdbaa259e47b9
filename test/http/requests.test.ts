/** Requests: unusual targets and expectations, and ids in the log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { Exchange, RouteTraffic, sendError } from '../../src/http/exchange.ts';
import { Logger } from '../../src/http/logger.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { tamper } from '../support/servers/engines.ts';
import { until } from '../support/until.ts';
import { type Running, serve } from '../support/zukan/program.ts';
import { filesFolder, importKnownCatalogue, send, startKnownService } from '../support/zukan/service.ts';

const service = await startKnownService();

/** Sends the lines as they are, and returns the status and the body. */
async function sendRaw({ origin }: { origin: string }, ...lines: string[]) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
}

test('a target in absolute form works, and its host takes precedence over the Host header', async () => {
  const call = (target: string) => sendRaw(service, `GET ${target} HTTP/1.1`, 'Host: other.example');
  for (const target of ['http://a.example/api/stats', 'HTTPS://a.example/api/stats?x=1', 'http://a.example'])
    assert.equal((await call(target)).status, 200, target);
  const { body } = await call('http://a.example:81/api/image/random?limit=1');
  assert.match(JSON.parse(body).data[0].url, /^http:\/\/a\.example:81\/files\//);
  assert.equal((await call('http://a.example/nowhere')).status, 404);
  assert.equal((await call('ftp://a.example/api/stats')).status, 404);
});

test('an expectation that we do not know is 417 in the error envelope', async () => {
  const { status, body } = await sendRaw(service, 'GET /api/stats HTTP/1.1', 'Host: x', 'Expect: a-miracle');
  assert.equal(status, 417);
  assert.deepEqual(Object.keys(JSON.parse(body)), ['code', 'message', 'success']);
  const expected = await sendRaw(service, 'GET /api/stats HTTP/1.1', 'Host: x', 'Expect: 100-continue');
  assert.equal(expected.status, 100);
});

async function logOf({ stop, output }: Running): Promise<string> {
  await stop();
  return output();
}

test('the log never contains the signature of a link, however the link is escaped', async () => {
  const config = await importKnownCatalogue();
  const server = await serve({ DATA_DIR: config.dataDir });
  const response = await fetch(`${server.origin}/api/image/random?limit=1`);
  const { data } = (await response.json()) as { data: [{ url: string }] };
  const { pathname, search } = new URL(data[0].url);
  const signature = new URLSearchParams(search).get('signature') as string;
  const query = search.slice(1);
  const targets = [
    ...[`${pathname}?${query}`, `${pathname}%3F${query}`, `${pathname}%3f${encodeURIComponent(query)}`],
    ...[`${pathname}%253F${query}`, `${pathname}&${query}`, `${pathname}/${query}`, `${pathname};${query}`],
    ...[`http://a.example${pathname}%3F${query}`, `ftp://a.example${pathname}%3F${query}`],
  ];
  for (const target of targets) await sendRaw(server, `GET ${target} HTTP/1.1`, 'Host: x');
  const log = await logOf(server);
  assert.equal(log.split('"msg":"request"').length - 1, targets.length + 1);
  assert.ok(!log.includes(signature));
});

// The id of a request is in its response and in every log line about it.

test('logs requests, missing files, errors and failed health checks with the id of the request', async () => {
  const config = await importKnownCatalogue();
  const server = await serve({ DATA_DIR: config.dataDir });
  const ask = async (path: string) => {
    const response = await send(new URL(path, server.origin));
    return { ...response, id: response.headers['x-request-id'] as string };
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
  await server.stop();
  const logged = server.log();
  assert.deepEqual(
    logged.map(({ request, level, msg }) => [request, level, msg]),
    [
      [image.id, 'info', 'request'],
      [missing.id, 'error', 'image file missing'],
      [missing.id, 'info', 'request'],
      [failed.id, 'error', 'unexpected error'],
      [failed.id, 'info', 'request'],
      [unready.id, 'error', 'health check failed'],
      [unready.id, 'info', 'request'],
    ],
  );
  const fields = ['level', 'time', 'request', 'method', 'path', 'status', 'ms', 'client', 'msg'];
  assert.deepEqual(Object.keys(logged[0]), fields);
  assert.equal(new Date(logged[0].time).toISOString(), logged[0].time);
  const { err } = logged.find(({ msg }) => msg === 'unexpected error');
  assert.deepEqual(Object.keys(err), ['name', 'message', 'stack']);
});

/** Sends one request to a server that responds this way, and records what it logs and counts. */
async function respondWith(respond: (exchange: Exchange) => unknown) {
  const logged: unknown[][] = [];
  const counted: number[] = [];
  const log = new Logger('warn');
  for (const level of ['warn', 'error'] as const)
    log[level] = (fields, message) => logged.push([(fields as { request: string }).request, level, message]);
  const server = createServer((request, response) =>
    respond(
      new Exchange(request, response, new RouteTraffic(), {
        log,
        onFinished: (_, status) => counted.push(status),
        stallTimeoutMs: 30_000,
      }),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const [received] = await once(
    get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }),
    'response',
  );
  return { received: received as IncomingMessage, logged, counted };
}

test('logs a dependency that is unavailable as a warning', async () => {
  const { received, logged, counted } = await respondWith((exchange) =>
    sendError(new Unavailable('gone'), exchange),
  );
  received.resume();
  assert.deepEqual(logged, [[received.headers['x-request-id'], 'warn', 'unavailable']]);
  assert.deepEqual(counted, [503]);
});

/** A file that never ends. */
const endless = (onChunk: (chunk: number) => void) => {
  let chunk = 0;
  return new Readable({
    read() {
      try {
        onChunk(chunk++);
        setImmediate(() => this.push(Buffer.alloc(65536)));
      } catch (error) {
        this.destroy(error as Error);
      }
    },
  });
};

test('logs a file that cannot be read to its end', async () => {
  const bytes = endless((chunk) => {
    if (chunk > 3) throw new Error('the disk is broken');
  });
  const { received, logged, counted } = await respondWith((exchange) =>
    exchange.stream(200, bytes, () => {}),
  );
  await assert.rejects(received.resume().toArray());
  await until('the request is counted', () => counted.length > 0);
  assert.deepEqual(logged, [[received.headers['x-request-id'], 'error', 'response aborted']]);
  assert.deepEqual(counted, [200]);
});

test('counts a client that disconnects halfway once and logs nothing', async () => {
  const bytes = endless(() => {});
  const { received, logged, counted } = await respondWith((exchange) =>
    exchange.stream(200, bytes, () => {}),
  );
  await once(received, 'readable');
  received.destroy();
  await once(bytes, 'close').catch(() => {});
  await until('the request is counted', () => counted.length > 0);
  assert.deepEqual([logged, counted], [[], [200]]);
});
