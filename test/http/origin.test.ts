/** The origin that links start with. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Service, startKnownService } from '../support/zukan/service.ts';

const forwarded = { 'X-Forwarded-Host': 'pictures.example.org', 'X-Forwarded-Proto': 'https' };

async function originFor(environment: Record<string, string>) {
  const service = await startKnownService({ environment });
  return askFrom(service);
}

function askFrom(service: Service) {
  return async (headers: Record<string, string>) => {
    const { json } = await service.get('/api/image/random?limit=1', headers);
    return { origin: json.data[0].url.replace(/\/files\/.*/, ''), fallback: service.origin };
  };
}

describe('without a trusted proxy', async () => {
  const service = await startKnownService();
  const ask = askFrom(service);
  const hosts: [string, string | undefined][] = [
    ['example.org', 'http://example.org'],
    ['example.org:8080', 'http://example.org:8080'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['exa"mple.org', undefined],
    ['a/../b', undefined],
    ['user@example.org', undefined],
    ['a b', undefined],
    ['a:65535', 'http://a:65535'],
    ['a:99999', undefined],
    ['a:', undefined],
    ['[::::]', undefined],
    ['[1:2]', undefined],
    ['999.1.1.1', undefined],
    ['a.0x', undefined],
    [`${'a.'.repeat(130)}example`, undefined],
    ['', undefined],
  ];
  for (const [host, expected] of hosts) {
    test(`Host: ${host}`, async () => {
      const { origin, fallback } = await ask({ Host: host });
      assert.equal(origin, expected ?? fallback);
      const page = { Host: host, Accept: 'text/html' };
      for (const path of ['/', '/docs']) assert.equal((await service.get(path, page)).status, 200, path);
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
  // The proxy adds its value to those that the client sent.
  const spoofed = { 'X-Forwarded-Host': 'a.example, b.example', 'X-Forwarded-Proto': 'https, http' };
  assert.equal((await ask(spoofed)).origin, 'http://b.example');
  for (const host of ['"', 'a:99999', '[::::]', 'a.example, [::::]']) {
    const { origin, fallback } = await ask({ 'X-Forwarded-Host': host });
    assert.equal(origin, fallback, host);
  }
});

test('PUBLIC_URL takes precedence over everything', async () => {
  const ask = await originFor({ PUBLIC_URL: 'https://cdn.example.org', TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.equal((await ask(forwarded)).origin, 'https://cdn.example.org');
});
