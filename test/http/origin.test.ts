/** The origin that links start with. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startKnownService } from '../support/service.ts';

const forwarded = { 'X-Forwarded-Host': 'pictures.example.org', 'X-Forwarded-Proto': 'https' };

async function originFor(environment: Record<string, string>) {
  const service = await startKnownService({ environment });
  return async (headers: Record<string, string>) => {
    const { json } = await service.get('/api/image/random?limit=1', headers);
    return { origin: json.data[0].url.replace(/\/files\/.*/, ''), fallback: service.origin };
  };
}

describe('without a trusted proxy', async () => {
  const ask = await originFor({});
  const hosts: [string, string | undefined][] = [
    ['example.org', 'http://example.org'],
    ['example.org:8080', 'http://example.org:8080'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['exa"mple.org', undefined],
    ['a/../b', undefined],
    ['user@example.org', undefined],
    ['a b', undefined],
  ];
  for (const [host, expected] of hosts) {
    test(`Host: ${host}`, async () => {
      const { origin, fallback } = await ask({ Host: host });
      assert.equal(origin, expected ?? fallback);
    });
  }

  test('ignores X-Forwarded headers', async () => {
    const { origin, fallback } = await ask(forwarded);
    assert.equal(origin, fallback);
  });
});

test('uses valid X-Forwarded headers of a trusted proxy', async () => {
  const ask = await originFor({ TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.equal((await ask(forwarded)).origin, 'https://pictures.example.org');
  assert.equal((await ask({ 'X-Forwarded-Host': 'a.example, b.example' })).origin, 'http://a.example');
  const { origin, fallback } = await ask({ 'X-Forwarded-Host': '"' });
  assert.equal(origin, fallback);
});

test('PUBLIC_URL takes precedence over everything', async () => {
  const ask = await originFor({ PUBLIC_URL: 'https://cdn.example.org', TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.equal((await ask(forwarded)).origin, 'https://cdn.example.org');
});
