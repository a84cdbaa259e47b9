/** Two instances behind nginx: what one client sends must not make the calls of others fail. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { unless } from '../support/servers/needs.ts';
import {
  findNginx,
  installNginx,
  readConfiguration,
  runNginx,
  startNginx,
} from '../support/servers/nginx.ts';
import { freePort } from '../support/servers/redis.ts';
import { assertError } from '../support/zukan/api.ts';
import { send, startKnownService } from '../support/zukan/service.ts';

const skip = unless(findNginx(), 'nginx', installNginx);
const environment = { TRUSTED_PROXIES: '127.0.0.1' };

/** Short lines, because each must fit into one of nginx's buffers. */
function largeHeaders(kilobytes: number): Record<string, string> {
  const names = Array.from({ length: kilobytes * 4 }, (_, line) => `X-Filler-${1000 + line}`);
  return Object.fromEntries(names.map((name) => [name, 'x'.repeat(256 - `${name}: \r\n`.length)]));
}

const settings: [what: string, settings: string, isServed: boolean, kilobytes: number[]][] = [
  ['whose headers it passes on', '', true, [14]],
  ['whose headers are too large for us', '', false, [17, 20, 24, 28, 31]],
  ['whose headers it passes on, however large', 'large_client_header_buffers 32 8k;', false, [60, 120, 200]],
];
for (const [what, setting, isServed, sizes] of settings)
  test(`nginx keeps both instances after a request ${what}`, { skip }, async () => {
    const [first, second] = [
      await startKnownService({ environment }),
      await startKnownService({ environment }),
    ];
    const proxy = await startNginx(first.origin, second.origin, setting);
    const call = (headers = {}) => send(new URL('/api/stats', proxy), headers);
    for (const kilobytes of sizes)
      for (let attempt = 0; attempt < 4; attempt++) {
        const answer = await call(largeHeaders(kilobytes));
        if (isServed) assert.equal(answer.status, 200);
        else assertError(answer, 431);
        assert.equal((await call()).status, 200, `after ${kilobytes} KB`);
      }
  });

/** Behind a proxy with TLS, whose settings are those of docs/operating.md. */
// Other systems have no 127.0.0.2.
test('nginx of the Compose file passes on what a proxy in front says of its clients', {
  skip: skip || process.platform !== 'linux',
}, async () => {
  const limited = { ...environment, RATE_LIMIT: 'on' };
  const service = await startKnownService({ environment: limited });
  const [innerPort, outerPort] = [String(await freePort()), String(await freePort())];
  const inner = await runNginx(
    readConfiguration('nginx.compose.conf')
      .replaceAll('172.28.0.0/24', '127.0.0.1/32')
      .replaceAll(String.raw`172\.28\.0\.[0-9]+`, String.raw`127\.0\.0\.1`)
      .replaceAll(/(zukan[12]|storage):\d+/g, new URL(service.origin).host)
      .replace('listen 8080', `listen ${innerPort}`),
    innerPort,
  );
  const [, headers = ''] = /(proxy_set_header Host[\s\S]*?) *location/.exec(shownConfiguration()) ?? [];
  const outer = await runNginx(
    `events {} http { server { listen ${outerPort}; ${headers.replace('$scheme', 'https')}
      location / { proxy_pass ${inner}; } } }`,
    outerPort,
  );
  const call = async (origin: string, localAddress: string, sent: Record<string, string> = {}) => {
    const request = get(new URL('/api/image/random?limit=1', origin), { localAddress, headers: sent });
    const [response] = await once(request, 'response');
    return { status: response.statusCode, body: await text(response) };
  };
  // Each is a client of its own, whatever it says.
  const forged = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' };
  for (const client of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    const { status, body } = await call(outer, client, forged);
    assert.equal(status, 200, client);
    assert.ok(body.includes(`"url":"https://127.0.0.1:${outerPort}/files/`), body);
  }
  assert.equal((await call(outer, '127.0.0.2', { 'X-Forwarded-For': '203.0.113.8' })).status, 429);
  // Without the proxy, no client can say who it is.
  const direct = await call(inner, '127.0.0.5', { ...forged, 'X-Forwarded-Proto': 'https' });
  assert.ok(direct.status === 200 && direct.body.includes('"url":"http://'), direct.body);
  assert.equal((await call(inner, '127.0.0.5', { 'X-Forwarded-For': '203.0.113.8' })).status, 429);
});

/** The one of docs/operating.md. */
function shownConfiguration(): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  return /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}
