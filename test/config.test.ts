/** The environment to configuration. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, describeConfig, readConfig } from '../src/config.ts';

test('an empty environment gives the defaults, frozen', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 3000);
  assert.equal(config.dataDir, resolve('data'));
  assert.equal(config.databasePath, resolve('data/zukan.db'));
  assert.equal(config.filesDir, resolve('data/files'));
  assert.deepEqual(config.apiPrefixes, ['/api', '/v1']);
  assert.equal(config.linkLifetime, 3600);
  assert.equal(config.rateLimit, true);
  assert.equal(config.logLevel, 'info');
  assert.ok(Object.isFrozen(config));
});

test('every variable is read', () => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    DATA_DIR: '/srv/zukan',
    DATABASE_URL: 'sqlite:/srv/other.db',
    FILES_URL: '/srv/pictures',
    PUBLIC_URL: 'https://cdn.example.org',
    API_PREFIXES: '/api, /v1 ,/v2/beta',
    LINK_KEYS: 'a-key-of-16-chars, another-key-of-16',
    LINK_LIFETIME: '60',
    RATE_LIMIT: 'off',
    TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16, 2001:db8::/32',
    LOG_LEVEL: 'debug',
  });
  assert.equal(config.databasePath, '/srv/other.db');
  assert.equal(config.filesDir, '/srv/pictures');
  assert.equal(config.publicUrl, 'https://cdn.example.org');
  assert.deepEqual(config.apiPrefixes, ['/api', '/v1', '/v2/beta']);
  assert.deepEqual(config.linkKeys, ['a-key-of-16-chars', 'another-key-of-16']);
  assert.equal(config.rateLimit, false);
  assert.ok(config.trustedProxies.check('192.168.7.7'));
  assert.ok(config.trustedProxies.check('2001:db8::1', 'ipv6'));
  assert.ok(!config.trustedProxies.check('10.0.0.2'));
});

const wrong: [string, string][] = [
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['PORT', 'http'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['FILES_URL', 'ftp://example.org/x'],
  ['PUBLIC_URL', 'example.org'],
  ['PUBLIC_URL', 'https://example.org/path'],
  ['API_PREFIXES', 'api'],
  ['API_PREFIXES', '/files'],
  ['API_PREFIXES', '/'],
  ['API_PREFIXES', '/api,/api/image'],
  ['LINK_KEYS', 'short'],
  ['LINK_LIFETIME', '0'],
  ['RATE_LIMIT', 'yes'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', 'localhost'],
  ['LOG_LEVEL', 'loud'],
];

for (const [name, value] of wrong) {
  test(`${name}=${value} is refused by name`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) => error instanceof ConfigError && error.message.startsWith(`${name}: `),
    );
  });
}

test('one message names every wrong variable', () => {
  const environment = { PORT: 'x', LINK_LIFETIME: '-1', LOG_LEVEL: 'loud', HOST: 'fine' };
  assert.throws(() => readConfig(environment), /PORT: .*\nLINK_LIFETIME: .*\nLOG_LEVEL: /);
});

test('what is shown of the configuration has no secret in it', () => {
  const secret = 'a-very-secret-signing-key';
  assert.ok(
    !JSON.stringify(describeConfig(readConfig({ LINK_KEYS: `${secret},${secret}2` }))).includes(secret),
  );
});
