/** Unusual request targets and expectations. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type Running, serve } from '../support/zukan/program.ts';
import { importKnownCatalogue, startKnownService } from '../support/zukan/service.ts';

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

async function logOf({ child, ended, output }: Running): Promise<string> {
  child.kill('SIGTERM');
  await ended;
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
