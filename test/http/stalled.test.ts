/** Connections that make no progress are closed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { type Exchange, Traffic } from '../../src/http/exchange.ts';
import { Logger } from '../../src/http/logger.ts';
import { createServer, Router } from '../../src/http/server.ts';
import { until } from '../support/until.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Connects to a server that responds this way to every request. */
async function connectTo(respond: (exchange: Exchange) => void, stallTimeoutMs = 1000) {
  const traffic = new Traffic();
  const { server, listen, close } = createServer({
    router: new Router(),
    traffic,
    log: new Logger('silent'),
    clientOf: () => 'x',
    beforeError: async () => {},
    notFound: respond,
    stallTimeoutMs,
  });
  const { port } = new URL(await listen({ host: '127.0.0.1', port: 0 }));
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  client.on('error', () => {});
  after(async () => {
    client.destroy();
    server.closeAllConnections();
    await close();
  });
  const [socket] = await accepted;
  return { client, socket, close, metrics: () => JSON.stringify(traffic.metrics()) };
}

/** All that the server sends until it closes the connection. */
async function receive(client: Socket): Promise<string> {
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  await once(client, 'close');
  return received;
}

const endless = () =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });

for (const [name, respond] of [
  ['text', (exchange: Exchange) => exchange.send(200, 'x'.repeat(50_000_000), 'text/plain')],
  ['file', (exchange: Exchange) => exchange.stream(200, endless(), () => {})],
] as const)
  test(`a client that does not read a ${name}`, async () => {
    let isCalled = false;
    const { client, socket } = await connectTo((exchange) => {
      isCalled = true;
      respond(exchange);
    });
    client.pause();
    client.write(REQUEST);
    await until('the connection is closed', () => socket.destroyed);
    assert.ok(isCalled);
  });

test('a client that sends two requests and is gone before the first response', async () => {
  const responses: ServerResponse[] = [];
  const { client } = await connectTo(({ response }) => responses.push(response));
  client.write(REQUEST + REQUEST);
  await until('the request is handled', () => responses.length > 0);
  client.destroy();
  await until('the response is closed', () => responses[0]?.destroyed === true);
});

test('a request that is never complete gets 408', async () => {
  const { client } = await connectTo(() => assert.fail());
  client.write(REQUEST.slice(0, -2));
  const received = await receive(client);
  assert.ok(received.startsWith('HTTP/1.1 408 ') && received.includes('"code":408'), received);
});

test('a connection that is never used is closed without a response, and not counted as malformed', async () => {
  const { client, metrics } = await connectTo(() => assert.fail());
  assert.equal(await receive(client), '');
  assert.match(metrics(), /"status":"408"\},"value":0/);
});

test('a server that closes waits for a request that has begun, not for a connection that was never used', async () => {
  const begun = await connectTo((exchange) => exchange.send(200, '"late"'), 300_000);
  begun.client.write(REQUEST.slice(0, -2));
  await until('the request has begun', () => begun.socket.bytesRead > 0);
  const unused = connect(begun.client.remotePort as number, '127.0.0.1').resume();
  await once(unused, 'connect');
  const closed = begun.close();
  await once(unused, 'close');
  begun.client.write(REQUEST.slice(-2));
  assert.match(await receive(begun.client), /^HTTP\/1.1 200 .*"late"$/s);
  await closed;
});
