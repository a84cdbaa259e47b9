/** Clients that send many requests at once, read nothing, disconnect, or send a body. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { countOpenFiles } from '../support/checks/open-files.ts';
import { until } from '../support/until.ts';
import { filesFolder, type Service, startKnownService } from '../support/zukan/service.ts';

/** As in pipeline.ts. */
const MAX_WAITING = 16;

const service = await startKnownService();

async function open({ origin }: Service = service): Promise<Socket> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

function requests(count: number, path: string): string {
  const last = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count - 1) + last;
}

/** How many requests of a route were answered. */
async function countAnswered(route: string): Promise<number> {
  const { text } = await service.get('/metrics');
  const line = text
    .split('\n')
    .find((line) => line.startsWith(`zukan_http_requests_total{route="${route}",status="200"}`));
  return Number(line?.split(' ')[1] ?? 0);
}

test('answers pipelined requests one at a time, up to a limit', async () => {
  const [before, count] = [await countAnswered('/docs'), 2500];
  const clients = await Promise.all(Array.from({ length: 3 }, () => open()));
  for (const client of clients) {
    client.pause();
    client.write(requests(count, '/docs'));
  }
  const parsed = (1 + MAX_WAITING) * clients.length;
  // Others are answered meanwhile, and no more than the limit is ever parsed.
  await until('some are answered', async () => (await countAnswered('/docs')) > before);
  const responses = await Promise.all(clients.map(countResponses));
  assert.deepEqual(
    responses,
    clients.map(() => 1 + MAX_WAITING),
  );
  assert.equal((await countAnswered('/docs')) - before, parsed);
});

test('answers as many pipelined requests as may wait, and keeps the connection', async () => {
  const client = await open();
  const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  for (const round of [1, 2, 3]) {
    client.write(request.repeat(1 + MAX_WAITING));
    const expected = round * (1 + MAX_WAITING);
    await until('all are answered', () => received.split('HTTP/1.1 200 OK').length - 1 === expected);
  }
  assert.doesNotMatch(received, /Connection: close/);
  client.destroy();
});

const switching = {
  upgrade: 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  connect: 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
};
for (const [name, request] of Object.entries(switching))
  test(`answers what comes before a request to switch protocols: ${name}`, async () => {
    const client = await open();
    const plain = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    client.write(plain.repeat(1 + MAX_WAITING) + request);
    assert.equal(await countResponses(client), 1 + MAX_WAITING);
  });

test('ignores Upgrade, and closes the connection because the parser ignores what follows', async () => {
  const client = await open();
  client.write(switching.upgrade + requests(2, '/health/live'));
  const received = await readAll(client);
  assert.deepEqual(statusesIn(received), ['200']);
  assert.match(received, /\r\nConnection: close\r\n/);
});

test('responds to CONNECT with 405', async () => {
  const client = await open();
  client.write(`GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n${switching.connect}tunnel`);
  const received = await readAll(client);
  assert.deepEqual(statusesIn(received), ['200', '405']);
  assert.match(received, /\r\nAllow: GET, HEAD, OPTIONS\r\n/);
  assert.match(received, /\r\nConnection: close\r\n/);
  assert.match(received, /"code":405/);
});

async function readAll(client: Socket): Promise<string> {
  return Buffer.concat(await client.toArray()).toString();
}

function statusesIn(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
}

/** Reads to the end. */
async function countResponses(client: Socket): Promise<number> {
  const statusLine = 'HTTP/1.1 200 OK';
  let [rest, count] = ['', 0];
  for await (const chunk of client) {
    const pieces = (rest + (chunk as Buffer).toString('latin1')).split(statusLine);
    count += pieces.length - 1;
    rest = (pieces.at(-1) as string).slice(1 - statusLine.length);
  }
  return count;
}

test('opens no file for a client that has disconnected', async () => {
  const folder = filesFolder(service.config);
  const [{ url }] = (await service.get('/api/image/random?limit=1')).json.data;
  const { pathname, search } = new URL(url);
  const before = await countAnswered('/files/{name}');
  const clients = await Promise.all(Array.from({ length: 10 }, () => open()));
  for (const client of clients) {
    client.pause();
    client.write(requests(2000, pathname + search));
  }
  await until('some are answered', async () => (await countAnswered('/files/{name}')) > before);
  assert.ok(countOpenFiles(folder) <= clients.length);
  for (const client of clients) client.resetAndDestroy();
  await until('all files are closed', () => countOpenFiles(folder) === 0);
  assert.equal((await service.get(url)).status, 200);
});

test('answers a request with an endless body and closes the connection', async () => {
  const client = await open();
  client.on('error', () => {});
  client.write('GET /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const closed = new Promise((resolve) => client.once('close', resolve));
  const send = () => {
    while (!client.destroyed && client.write(chunk));
  };
  client.on('drain', send);
  send();
  await closed;
  assert.match(received, /^HTTP\/1\.1 200 OK/);
  assert.match(received, /\r\nConnection: close\r\n/);
});
