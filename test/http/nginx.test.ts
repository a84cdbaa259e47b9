/** Two instances behind nginx: what one client sends must not make the calls of others fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unless } from '../support/servers/needs.ts';
import { findNginx, installNginx, startNginx } from '../support/servers/nginx.ts';
import { assertError } from '../support/zukan/api.ts';
import { send, startKnownService } from '../support/zukan/service.ts';

const skip = unless(findNginx(), 'nginx', installNginx);
const environment = { TRUSTED_PROXIES: '127.0.0.1' };

/** Short lines, because each must fit into one of nginx's buffers. */
function largeHeaders(kilobytes: number): Record<string, string> {
  const names = Array.from({ length: kilobytes * 4 }, (_, line) => `X-Filler-${1000 + line}`);
  return Object.fromEntries(names.map((name) => [name, 'x'.repeat(256 - `${name}: \r\n`.length)]));
}

test('nginx keeps both instances, whatever headers it passes on', { skip }, async () => {
  const [first, second] = [
    await startKnownService({ environment }),
    await startKnownService({ environment }),
  ];
  const proxy = await startNginx(first.origin, second.origin);
  const call = (headers = {}) => send(new URL('/api/stats', proxy), headers);
  for (const kilobytes of [14, 17, 20, 24, 28, 31])
    for (let attempt = 0; attempt < 4; attempt++) {
      assert.equal(
        (await call(largeHeaders(kilobytes))).status,
        kilobytes < 16 ? 200 : 431,
        `${kilobytes} KB`,
      );
      assert.equal((await call()).status, 200, `after ${kilobytes} KB`);
    }
});

test('nginx passes on our 431 and does not take the instance for broken', { skip }, async () => {
  const [first, second] = [
    await startKnownService({ environment }),
    await startKnownService({ environment }),
  ];
  const proxy = await startNginx(first.origin, second.origin, 'large_client_header_buffers 32 8k;');
  const call = (headers = {}) => send(new URL('/api/stats', proxy), headers);
  for (const kilobytes of [60, 120, 200])
    for (let attempt = 0; attempt < 4; attempt++) {
      assertError(await call(largeHeaders(kilobytes)), 431);
      assert.equal((await call()).status, 200, `after ${kilobytes} KB`);
    }
});
