/** Input that is not HTTP, on new connections and on those that served requests before. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { startKnownService } from '../support/zukan/service.ts';

const service = await startKnownService();
const valid = 'GET /api/stats HTTP/1.1\r\nHost: x\r\n\r\n';
const tooLarge = `GET /api/stats HTTP/1.1\r\nHost: x\r\n${`X-Filler: ${'x'.repeat(8000)}\r\n`.repeat(30)}\r\n`;

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1').setEncoding('utf8');
  after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Sends text and returns what the server sends until it closes. A reset fails the test. */
async function exchange(socket: Socket, text: string): Promise<string> {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  return received;
}

function assertRejected(received: string, statuses: number[]): void {
  const lines = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
  assert.deepEqual(lines, statuses);
  const last = statuses.at(-1);
  assert.match(received, new RegExp(`\\{"code":${last},"message":"[^"]+","success":false\\}$`));
}

test('a request has at most 100 headers', async () => {
  const withHeaders = (count: number) =>
    `GET /api/stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'X:y\r\n'.repeat(count - 2)}\r\n`;
  assert.match(await exchange(await open(), withHeaders(100)), /^HTTP\/1\.1 200 /);
  for (const count of [101, 102, 2000])
    assertRejected(await exchange(await open(), withHeaders(count)), [431]);
});

test('a request of HTTP/1.1 has exactly one Host, one of HTTP/1.0 at most one', async () => {
  const withHosts = (version: string, count: number) =>
    `GET /api/stats HTTP/${version}\r\nConnection: close\r\n${'hoST: x\r\n'.repeat(count)}\r\n`;
  for (const [version, count] of [['1.1', 1] as const, ['1.0', 0] as const, ['1.0', 1] as const])
    assert.match(await exchange(await open(), withHosts(version, count)), /^HTTP\/1\.1 200 /);
  for (const [version, count] of [['1.1', 0] as const, ['1.1', 2] as const, ['1.0', 2] as const])
    assertRejected(await exchange(await open(), withHosts(version, count)), [400]);
});

test('an address that is not percent-encoded gets 400 with advice', async () => {
  const received = await exchange(await open(), 'GET /api/artist?search=é HTTP/1.1\r\nHost: x\r\n\r\n');
  assertRejected(received, [400]);
  assert.match(received, /percent-encode the address/);
});

test('a kept-alive connection gets 400 or 431, too', async () => {
  for (const [text, status] of [['nonsense\r\n\r\n', 400] as const, [tooLarge, 431] as const]) {
    const socket = await open();
    socket.write(valid);
    const [first] = await once(socket, 'data');
    assert.match(first, /^HTTP\/1\.1 200 /);
    assertRejected(await exchange(socket, text), [status]);
  }
});

test('responses to the valid requests before come first', async () => {
  assertRejected(await exchange(await open(), `${valid}${valid}nonsense\r\n\r\n`), [200, 200, 400]);
  assertRejected(await exchange(await open(), valid + tooLarge), [200, 431]);
});

test('the rest of what the client sends is discarded', async () => {
  const socket = await open();
  for (let chunk = 0; chunk < 20; chunk++) socket.write(`nonsense\r\n${'x'.repeat(50_000)}`);
  assertRejected(await exchange(socket, 'the end'), [400]);
});

test('a method that the parser does not know gets 405, like any other', async () => {
  const known = await service.get('/api/stats', {}, 'DELETE');
  const connection = 'HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const [method, sent, statuses] of [
    ['BREW', `BREW /api/stats ${connection}`, [405]],
    ['get', `get /api/stats ${connection}`, [405]],
    ['GETS', `${valid}GETS /api/stats ${connection}`, [200, 405]],
  ] as const) {
    const received = await exchange(await open(), sent);
    assertRejected(received, [...statuses]);
    assert.ok(received.includes(`\r\nAllow: ${known.headers.allow}\r\n`));
    assert.ok(received.includes(known.json.message.replace('DELETE', method)));
  }
});

test('what only resembles a request gets 400', async () => {
  for (const sent of [
    'BREW\r\n\r\n',
    'BREW /api/stats\r\n\r\n',
    '(x) / HTTP/1.1\r\n\r\n',
    'GET / HTTP/9.1\r\n\r\n',
  ])
    assertRejected(await exchange(await open(), sent), [400]);
  assertRejected(await exchange(await open(), `${'X'.repeat(33)} / HTTP/1.1\r\n\r\n`), [400]);
});
