/** Lists of images are written into memory that other responses use later. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import type { Exchange } from '../../src/http/exchange.ts';
import { Logger } from '../../src/http/logger.ts';
import { Router } from '../../src/http/router.ts';
import { createServer } from '../../src/http/server.ts';
import { Traffic } from '../../src/http/traffic.ts';
import { type ByteWriter, ByteWriterPool } from '../../src/lib/byte-writer.ts';
import { until } from '../support/until.ts';
import { madeUpImage, startMadeUpService } from '../support/zukan/api.ts';

/** More than the system takes from a server whose client reads nothing. */
const LONG = Buffer.alloc(40_000_000, 'long ');
const SHORT = Buffer.from('{"short":"図鑑"}'.repeat(200));

const pool = new ByteWriterPool();
const bodies: ByteWriter[] = [];
const { listen, close } = createServer({
  router: new Router<never>() as never,
  traffic: new Traffic(),
  log: new Logger('silent'),
  clientOf: () => 'x',
  beforeError: () => undefined,
  notFound(exchange: Exchange) {
    const body = pool.writer();
    body.append(exchange.path === '/long' ? LONG : SHORT);
    bodies.push(body);
    exchange.sendWritten(200, body);
  },
});
const origin = await listen({ host: '127.0.0.1', port: 0 });
after(() => close());

async function bytesOf(response: globalThis.Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

test('the memory of a response is free when the system has taken all of it, and not before', async () => {
  const client = connect(Number(new URL(origin).port), '127.0.0.1');
  await once(client, 'connect');
  client.pause();
  client.write('GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await until('it is being sent', () => bodies.length === 1);
  for (let count = 0; count < 3; count++)
    assert.ok((await bytesOf(await fetch(`${origin}/short`))).equals(SHORT));
  const [long, ...short] = bodies as [ByteWriter, ...ByteWriter[]];
  assert.equal(long.length, LONG.length, 'not released');
  await until('the others are released', () => short.every(({ length }) => length === 0));
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  client.resume();
  await once(client, 'close');
  assert.ok(Buffer.concat(chunks).subarray(-LONG.length).equals(LONG));
  await until('it is released', () => long.length === 0);
});

test('it is free at once when a compressed copy is sent, or only the head', async () => {
  const compressed = await fetch(`${origin}/short`, { headers: { 'Accept-Encoding': 'gzip' } });
  assert.equal(compressed.headers.get('Content-Encoding'), 'gzip');
  assert.ok((await bytesOf(compressed)).equals(SHORT));
  const head = await fetch(`${origin}/short`, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
  assert.equal(head.headers.get('Content-Length'), String(SHORT.length));
  await until('both are released', () => bodies.every(({ length }) => length === 0));
});

test('lists from the cache have the same records as single images, whatever is asked for at once', async () => {
  const images = Array.from({ length: 30 }, (_, index) =>
    madeUpImage(`40000000-0000-4000-8000-0000000000${10 + index}`, {
      source: { name: `図鑑 ${index}`, url: '' },
    }),
  );
  const { get } = await startMadeUpService(images);
  const cached = async () => {
    const { text } = await get('/metrics');
    return (name: string) => Number(new RegExp(`^zukan_document_cache_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  await until('all documents are cached', async () => (await cached())('images') === images.length);
  const before = (await cached())('hits_total');
  const lists = await Promise.all(
    [25, 8, 25, 9, 25].map(async (limit) => (await get(`/api/image/latest?limit=${limit}`)).json.data),
  );
  const read = lists.flat().length;
  assert.equal((await cached())('hits_total') - before, read);
  for (const image of lists.flat()) assert.deepEqual((await get(`/api/image/${image.id}`)).json.data, image);
});
