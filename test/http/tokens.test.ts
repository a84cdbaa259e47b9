/** Tokens over HTTP: how long and where they are valid. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/engines.ts';
import { routes } from '../../src/http/api/routes.ts';
import { uuid } from '../support/catalogue.ts';
import { forEachEngine } from '../support/engines.ts';
import { makeToken, startKnownService } from '../support/service.ts';

await forEachEngine(async (engine) => {
  let now = Date.parse('2026-03-01T00:00:00.000Z');
  const service = await startKnownService({ engine, clock: () => now });

  test('a token is valid until it expires', async () => {
    const expires = '2026-03-01T01:00:00.000Z';
    const { headers, token } = await makeToken(service.config, ['image:list'], { expires });
    const status = async () => (await service.get('/api/token', headers)).status;
    const start = now;
    assert.equal(await status(), 200);
    now = Date.parse(expires) - 1;
    assert.equal(await status(), 200);
    assert.equal((await service.get('/api/token', headers)).json.data.expires, token.expires);
    now += 1;
    assert.equal(await status(), 401);
    now = start;
  });

  test('a revoked token is invalid from the next request on', async () => {
    const { headers, token } = await makeToken(service.config, []);
    assert.equal((await service.get('/api/token', headers)).status, 200);
    const store = await openStore(service.config);
    assert.equal(await store.tokens.revoke(token.id, new Date(now).toISOString()), true);
    await store[Symbol.asyncDispose]();
    assert.equal((await service.get('/api/token', headers)).status, 401);
  });

  test('anything but a live token is 401 on every endpoint, with WWW-Authenticate', async () => {
    const expired = await makeToken(service.config, ['image:list'], { expires: '2026-02-28T00:00:00.000Z' });
    const wrong = [expired.headers.Authorization, `Bearer ${'x'.repeat(100)}`, 'Bearer x', 'Basic abc', ''];
    for (const { path } of routes) {
      for (const Authorization of wrong) {
        const answer = await service.get(`/api${path.replace('{id}', uuid(4, 1))}`, { Authorization });
        assert.equal(answer.status, 401, `${path} ${Authorization}`);
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
        assert.match(answer.json.message, /^Invalid token/);
      }
    }
  });
});
