/** Tokens over HTTP: how long they are valid, and what is rejected as invalid. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/server/engines.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, isEveryCase } from '../support/servers/engines.ts';
import { assertError, examples, NOW } from '../support/zukan/api.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

await forEachEngine(async (engine) => {
  let now = NOW;
  const service = await startKnownService({ engine, clock: () => now });
  const { config } = service;

  async function revoke(id: string): Promise<void> {
    await using store = await openStore(config);
    assert.equal(await store.tokens.revoke(id, new Date(now).toISOString()), true);
  }

  test('a token is valid until it expires', async () => {
    const expires = new Date(NOW + 3_600_000).toISOString();
    const { headers } = await makeToken(config, ['image:list'], { expires });
    for (const [time, status] of [
      [NOW, 200],
      [NOW + 3_599_999, 200],
      [NOW + 3_600_000, 401],
    ] as const) {
      now = time;
      const response = await service.get('/api/token', headers);
      assert.equal(response.status, status);
      if (status === 200) assert.equal(response.json.data.expires, expires);
    }
    now = NOW;
  });

  test('a revoked token is invalid from the next request on', async () => {
    const { headers, token } = await makeToken(config, []);
    assert.equal((await service.get('/api/token', headers)).status, 200);
    await revoke(token.id);
    assert.equal((await service.get('/api/token', headers)).status, 401);
  });

  if (!isEveryCase(engine)) return;

  test('anything but a live token is 401 on every endpoint, with WWW-Authenticate', async () => {
    const { secret } = await makeToken(config, ['image:list']);
    const expired = await makeToken(config, ['image:list'], { expires: new Date(NOW - 1000).toISOString() });
    const revoked = await makeToken(config, ['image:list']);
    await revoke(revoked.token.id);
    const upperCase = secret.replace(/[a-z]/g, (letter) => letter.toUpperCase());
    const invalid = [
      ...[
        '',
        secret,
        `Bearer${secret}`,
        `Basic ${secret}`,
        `Token ${secret}`,
        'Basic abc',
        'Basic dXNlcjpwYXNz',
      ].map((text) => [text, /^Invalid Authorization: the only scheme is Bearer/] as const),
      ...['Bearer', 'Bearer ', 'Bearer x', `Bearer ${secret} a`, `Bearer ${secret.slice(1)}`].map(
        (text) => [text, /^Invalid token: it must have 100 letters and digits/] as const,
      ),
      ...[
        `Bearer ${secret}a`,
        `Bearer "${secret}"`,
        `Bearer ${'é'.repeat(100)}`,
        `Bearer ${'a'.repeat(5000)}`,
      ].map((text) => [text, /^Invalid token: it must have 100 letters and digits/] as const),
      ...[`Bearer ${upperCase}`, `Bearer ${'x'.repeat(100)}`].map(
        (text) => [text, /^Invalid token: it is unknown, expired or revoked/] as const,
      ),
      ...[expired.headers.Authorization, revoked.headers.Authorization].map(
        (text) => [text, /^Invalid token: it is unknown, expired or revoked/] as const,
      ),
    ];
    // Every endpoint with some of them, and every one of them on some endpoints.
    for (const [at, path] of examples.entries())
      for (const [Authorization, message] of invalid.filter((_, number) =>
        atDepth((at + number) % 5 === 0, true),
      )) {
        const response = await service.get(`/api${path}`, { Authorization });
        assertError(response, 401, message);
        assert.equal(response.headers['www-authenticate'], 'Bearer');
      }
  });
});
