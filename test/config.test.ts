/** Reading the configuration from the environment. */
import assert from 'node:assert/strict';
import { linkSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { addLinkKeys, loadLinkKeys } from '../src/config/environment.ts';
import { defaultCacheMb } from '../src/config/values.ts';
import { temporaryFolder } from './support/workspace.ts';
import { databaseFile, filesFolder } from './support/zukan/service.ts';

test('an empty environment gives the defaults, and the result is frozen', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 3000);
  assert.equal(config.workers, availableParallelism());
  assert.ok(config.cacheMb >= 32);
  assert.equal(config.dataDir, resolve('data'));
  assert.equal(databaseFile(config), resolve('data/zukan.db'));
  assert.equal(filesFolder(config), resolve('data/files'));
  assert.deepEqual(config.apiPrefixes, ['/api', '/v1']);
  assert.equal(config.linkLifetime, 3600);
  assert.equal(config.previewLifetime, 604_500);
  assert.deepEqual(config.site, {
    fixed: [],
    name: 'zukan',
    logo: undefined,
    accent: undefined,
    ratings: ['sfw', 'questionable', 'nsfw'],
    reportUrl: undefined,
    ...{ description: '', links: [], licence: '', refusesTraining: false },
  });
  assert.deepEqual(config.apiRatings, ['sfw', 'questionable', 'nsfw']);
  assert.equal(config.rateLimit, 1);
  assert.deepEqual(config.rateLimitExempt.rules, []);
  assert.equal(config.redisPrefix, 'zukan');
  assert.equal(config.logLevel, 'info');
  assert.ok(Object.isFrozen(config));
});

test('reads every variable', () => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    WORKERS: '3',
    CACHE_MB: '1',
    DATA_DIR: '/srv/zukan',
    DATABASE_URL: 'sqlite:/srv/other.db',
    FILES_URL: '/srv/pictures',
    IMPORT_OPTIONS: ` --exclude "a b"'*'  --prune `,
    PUBLIC_URL: 'https://cdn.example.org',
    API_PREFIXES: '/api, /v1 ,/v2/beta',
    API_RATINGS: 'questionable,sfw',
    REPORT_URL: 'https://例え.example/報告?image={id}#{id}',
    LINK_KEYS: 'a-key-of-16-chars, another-key-of-16',
    LINK_LIFETIME: '60',
    PREVIEW_LIFETIME: '120',
    SITE_NAME: ' 蔵 & Co ',
    SITE_LOGO: '/srv/logo.svg',
    SITE_ACCENT: '#2A6',
    SITE_RATINGS: 'questionable, sfw',
    SITE_DESCRIPTION: 'Foxes & <friends>',
    SITE_LINKS: 'Imprint = https://例え.example/a=b, About=http://example.org',
    SITE_LICENCE: 'https://www.creativecommons.org/licenses/by-nc/4.0/deed.ja',
    AI_TRAINING: 'no',
    THUMBNAILS: '800, 16,8192,800',
    HISTORY_DAYS: '0',
    TRASH_DAYS: '7',
    RATE_LIMIT: 'off',
    RATE_LIMIT_EXEMPT: '10.1.0.0/16, ::1',
    REDIS_PREFIX: 'zukan:staging',
    TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16, 2001:db8::/32',
    METRICS_ALLOW: '10.0.0.5, 2001:db8::/32',
    LOG_LEVEL: 'debug',
  });
  assert.equal(config.workers, 3);
  assert.equal(config.cacheMb, 1);
  assert.deepEqual([config.historyDays, config.trashDays], [0, 7]);
  assert.equal(databaseFile(config), '/srv/other.db');
  assert.equal(filesFolder(config), '/srv/pictures');
  assert.deepEqual(config.importOptions, ['--exclude', 'a b*', '--prune']);
  assert.equal(config.publicUrl, 'https://cdn.example.org');
  assert.deepEqual(config.apiPrefixes, ['/api', '/v1', '/v2/beta']);
  assert.deepEqual(config.linkKeys, ['a-key-of-16-chars', 'another-key-of-16']);
  assert.deepEqual(config.thumbnails, [16, 800, 8192]);
  assert.equal(config.previewLifetime, 120);
  assert.deepEqual(config.site, {
    fixed: ['name', 'description', 'links', 'licence'],
    name: '蔵 & Co',
    logo: '/srv/logo.svg',
    accent: '#22aa66',
    ratings: ['sfw', 'questionable'],
    reportUrl: 'https://xn--r8jz45g.example/%E5%A0%B1%E5%91%8A?image={id}#{id}',
    description: 'Foxes & <friends>',
    links: [
      { name: 'Imprint', url: 'https://xn--r8jz45g.example/a=b' },
      { name: 'About', url: 'http://example.org/' },
    ],
    licence: 'CC BY-NC 4.0',
    refusesTraining: true,
  });
  assert.deepEqual(config.apiRatings, ['sfw', 'questionable']);
  const { SITE_LINKS } = config.described;
  assert.equal(SITE_LINKS, 'Imprint=https://xn--r8jz45g.example/a=b, About=http://example.org/');
  assert.equal(config.rateLimit, 'off');
  assert.ok(config.rateLimitExempt.check('10.1.2.3') && config.rateLimitExempt.check('::1', 'ipv6'));
  assert.equal(config.redisPrefix, 'zukan:staging');
  assert.ok(config.trustedProxies.check('192.168.7.7'));
  assert.ok(config.trustedProxies.check('2001:db8::1', 'ipv6'));
  assert.ok(config.metricsAllow.check('10.0.0.5') && !config.metricsAllow.check('127.0.0.1'));
  assert.ok(!config.trustedProxies.check('10.0.0.2'));
});

test('the cache is a tenth of the available memory by default, within bounds', () => {
  const gigabyte = 1024 ** 3;
  assert.deepEqual(
    [0.25, 0.5, 4, 24, 1024].map((gigabytes) => defaultCacheMb(gigabytes * gigabyte)),
    [32, 51, 409, 2457, 16_000],
  );
});

test('reads the primary, the replicas and the connection limit of PostgreSQL', () => {
  const { database } = readConfig({
    DATABASE_URL: 'postgresql://me:secret@db.example.org/zukan?sslmode=require',
    DATABASE_READ_URLS: 'postgres://me:secret@r1/zukan, postgres://me:secret@r2/zukan',
    DATABASE_CONNECTIONS: '4',
  });
  assert.deepEqual(database, {
    engine: 'postgres',
    url: 'postgresql://me:secret@db.example.org/zukan?sslmode=require',
    readUrls: ['postgres://me:secret@r1/zukan', 'postgres://me:secret@r2/zukan'],
    connections: 4,
  });
  const alone = readConfig({ DATABASE_URL: 'postgres://db/zukan' }).database;
  assert.deepEqual(alone, { engine: 'postgres', url: 'postgres://db/zukan', readUrls: [], connections: 10 });
});

const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'very secret' };

test('a letter and a colon are a drive of Windows', () => {
  const { storage } = readConfig({ FILES_URL: 'E:\\bilder' });
  assert.deepEqual(storage, { engine: 'folder', path: resolve('E:\\bilder') });
  const { database } = readConfig({ DATABASE_URL: 'sqlite:E:\\zukan.db' });
  assert.equal(database.engine === 'sqlite' && database.tokensPath, resolve('E:\\zukan-tokens.db'));
});

test('reads a bucket from its URL and the usual AWS variables', () => {
  const readStorage = (url: string, more = {}) => readConfig({ FILES_URL: url, ...aws, ...more }).storage;
  const keys = { from: 'environment', accessKeyId: 'id', secretAccessKey: 'very secret' };
  const credentials = { ...keys, sessionToken: undefined, expires: undefined };
  assert.deepEqual(readStorage('s3://pictures/some/where/?endpoint=http://127.0.0.1:9000&region=eu-west-1'), {
    engine: 's3',
    bucket: 'pictures',
    prefix: 'some/where/',
    credentials,
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9000',
  });
  assert.deepEqual(readStorage('s3://pictures', { AWS_REGION: 'eu-north-1', AWS_SESSION_TOKEN: 't' }), {
    engine: 's3',
    bucket: 'pictures',
    prefix: '',
    credentials: { ...credentials, sessionToken: 't' },
    region: 'eu-north-1',
    endpoint: undefined,
  });
  const { region, endpoint } = readStorage('s3://p-1', { AWS_ENDPOINT_URL: 'https://s3.example.org' }) as {
    region: string;
    endpoint: string;
  };
  assert.deepEqual([region, endpoint], ['us-east-1', 'https://s3.example.org']);
});

test('finds the credentials of a bucket where the variables say', () => {
  const sourceOf = (more: Record<string, string>) => {
    const { storage } = readConfig({ FILES_URL: 's3://pictures', HOME: '/home/me', ...more });
    return storage.engine === 's3' ? storage.credentials : assert.fail();
  };
  const path = '/home/me/.aws/credentials';
  const role = { AWS_WEB_IDENTITY_TOKEN_FILE: '/t', AWS_ROLE_ARN: 'arn' };
  const container = {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x',
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'hush',
  };
  const file = { AWS_PROFILE: 'pictures' };
  const endpoint = 'http://169.254.169.254';
  assert.deepEqual(sourceOf({}), { from: 'machine', path, profile: 'default', endpoint });
  assert.deepEqual(sourceOf({ AWS_EC2_METADATA_DISABLED: 'true' }), {
    from: 'file',
    path,
    profile: 'default',
  });
  assert.deepEqual(sourceOf(container), {
    from: 'container',
    url: 'http://169.254.170.2/v2/x',
    token: 'hush',
    tokenFile: undefined,
  });
  assert.deepEqual(
    sourceOf({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://[::1]:80/x',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/t',
    }),
    {
      from: 'container',
      url: 'http://[::1]:80/x',
      token: undefined,
      tokenFile: '/t',
    },
  );
  assert.deepEqual(sourceOf({ ...container, ...role, AWS_REGION: 'cn-north-1' }), {
    from: 'webIdentity',
    tokenFile: '/t',
    role: 'arn',
    session: 'zukan',
    endpoint: 'https://sts.cn-north-1.amazonaws.com.cn',
  });
  assert.deepEqual(sourceOf({ ...container, ...role, ...file }), { from: 'file', path, profile: 'pictures' });
  assert.deepEqual(sourceOf({ AWS_SHARED_CREDENTIALS_FILE: '/keys' }), {
    from: 'file',
    path: '/keys',
    profile: 'default',
  });
  const expires = { AWS_CREDENTIAL_EXPIRATION: '2026-01-01T00:00:00Z' };
  const keys = sourceOf({ ...container, ...role, ...file, ...aws, ...expires });
  assert.deepEqual([keys.from, 'expires' in keys && keys.expires], ['environment', Date.UTC(2026)]);
});

test('rejects settings that the storage or the database does not support', () => {
  const rejects = (environment: Record<string, string>, reason: RegExp) =>
    assert.throws(() => readConfig(environment), reason);
  for (const name of Object.keys(aws))
    rejects(
      { FILES_URL: 's3://pictures', [name]: 'x' },
      /FILES_URL: requires both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
    );
  rejects({ FILES_URL: 's3://pics', ...aws, AWS_CREDENTIAL_EXPIRATION: 'soon' }, /AWS_CREDENTIAL_EXPIRATION/);
  for (const uri of ['http://example.org/x', 'http://127.0.0.1.example.org/', 'ftp://127.0.0.1/', 'x'])
    rejects({ FILES_URL: 's3://pics', AWS_CONTAINER_CREDENTIALS_FULL_URI: uri }, /must start with https:/);
  rejects({ FILES_URL: 's3://Upper_case', ...aws }, /FILES_URL: must be a folder, or s3:/);
  rejects({ FILES_URL: 's3://p?regoin=x', ...aws }, /FILES_URL/);
  rejects({ FILES_URL: 's3://pics?regoin=x', ...aws }, /unknown parameter regoin/);
  rejects({ FILES_URL: 's3://pics?endpoint=nowhere', ...aws }, /the endpoint must be an origin/);
  rejects({ FILES_URL: 's3://pics?endpoint=https://me:hush@h', ...aws }, /^(?!.*hush).*$/s);
  rejects({ FILES_URL: 's3://pics', LINK_LIFETIME: '604800', ...aws }, /LINK_LIFETIME: .* at most 604500/);
  rejects({ FILES_URL: 's3://pics', PREVIEW_LIFETIME: '604501', ...aws }, /PREVIEW_LIFETIME: .* 604500/);
  rejects({ DATABASE_READ_URLS: 'postgres://r/x' }, /DATABASE_READ_URLS: only for PostgreSQL/);
  rejects({ DATABASE_URL: 'postgres://p/x', DATABASE_READ_URLS: 'mysql://r' }, /DATABASE_READ_URLS: must be/);
});

test('describes a bucket and a database without secrets', () => {
  const shown = readConfig({
    DATABASE_URL: 'postgres://me:hu@sh:hush@db/zukan?sslpassword=hush',
    DATABASE_READ_URLS: 'postgres://me:hush@r1/zukan',
    FILES_URL: 's3://pictures/here?endpoint=https://s3.example.org',
    AWS_ACCESS_KEY_ID: 'hush',
    AWS_SECRET_ACCESS_KEY: 'hush',
  }).described;
  assert.ok(!JSON.stringify(shown).includes('hush'));
  assert.equal(shown.DATABASE_URL, 'postgres://***@db/zukan?sslpassword=***');
  assert.equal(shown.FILES_URL, 's3://pictures/here/?endpoint=https%3A%2F%2Fs3.example.org&region=us-east-1');
});

const invalid: Record<string, string[]> = {
  PORT: ['65536', '80.5', 'http'],
  DATABASE_URL: ['mysql://localhost/x'],
  FILES_URL: ['ftp://example.org/x'],
  PUBLIC_URL: ['example.org', 'https://example.org/path'],
  API_PREFIXES: [
    'api',
    '/files',
    '/gallery',
    '//',
    '/api/',
    '/,/docs',
    '/docs.js',
    '/api,/api/image',
    '/feed.xml',
  ],
  LINK_KEYS: ['short'],
  LINK_LIFETIME: ['0'],
  THUMBNAILS: ['on', ',', '15', '320,8193', '320.5', '16,17,18,19,20,21,22,23,24'],
  RATE_LIMIT: ['yes', '0', '-1', '0.5', '1e2', '1001'],
  RATE_LIMIT_EXEMPT: ['my-bot', '10.0.0.0/8/8'],
  WORKERS: ['0', 'all'],
  CACHE_MB: ['0', '64MB'],
  REDIS_PREFIX: ['two words'],
  TRUSTED_PROXIES: ['10.0.0.0/33', 'localhost'],
  METRICS_ALLOW: ['everybody'],
  PREVIEW_LIFETIME: ['1d'],
  SITE_NAME: ['a'.repeat(61), 'a\nb'],
  SITE_ACCENT: ['red', '#12345', '#000;}'],
  SITE_RATINGS: ['safe', ','],
  API_RATINGS: ['all'],
  REPORT_URL: [
    'https://example.org/report',
    'javascript:alert({id})',
    '/report/{id}',
    `https://example.org/${'a'.repeat(2048)}{id}`,
  ],
  SITE_DESCRIPTION: ['a'.repeat(301)],
  SITE_LINKS: [
    'https://example.org/',
    'Imprint=javascript:alert(1)',
    'Imprint=/imprint',
    `${'a'.repeat(61)}=https://example.org/`,
    `a=https://example.org/${'b'.repeat(2048)}`,
    'a=https://a.test,'.repeat(11),
  ],
  SITE_LICENCE: ['javascript:alert(1)', 'a\nb', 'a'.repeat(10_000)],
  AI_TRAINING: ['yes'],
  LOG_LEVEL: ['loud'],
  LOG_FORMAT: ['xml'],
};

for (const [name, values] of Object.entries(invalid))
  test(`invalid values of ${name} are rejected by its name`, () => {
    for (const value of values)
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => error instanceof ConfigError && error.message.startsWith(`${name}: `),
        value,
      );
  });

test('one error names every invalid variable', () => {
  const environment = { PORT: 'x', LINK_LIFETIME: '-1', LOG_LEVEL: 'loud', HOST: 'fine' };
  assert.throws(() => readConfig(environment), /PORT: .*\nLINK_LIFETIME: .*\nLOG_LEVEL: /);
});

test('reads the rate limit in requests per second, and says what is allowed', () => {
  const readRate = (text: string) => readConfig({ RATE_LIMIT: text }).rateLimit;
  assert.deepEqual(['on', '1', '5', '1000', 'off', ''].map(readRate), [1, 1, 5, 1000, 'off', 1]);
  const message = 'RATE_LIMIT: must be on, off or a whole number of requests per second from 1 to 1000';
  assert.throws(() => readRate('0.5'), { message });
});

test('describes the rate limit and networks as one would write them', () => {
  const networks = '10.0.0.0/8,192.0.2.1,2001:db8::/32';
  const shown = readConfig({
    RATE_LIMIT: '5',
    RATE_LIMIT_EXEMPT: networks,
    TRUSTED_PROXIES: '127.0.0.1',
  }).described;
  assert.equal(shown.RATE_LIMIT, '5');
  assert.deepEqual(shown.RATE_LIMIT_EXEMPT?.split(',').sort(), networks.split(','));
  assert.equal(shown.TRUSTED_PROXIES, '127.0.0.1');
  const defaults = readConfig({}).described;
  assert.deepEqual([defaults.RATE_LIMIT, defaults.RATE_LIMIT_EXEMPT], ['1', '(none)']);
});

test('describes the configuration without its keys', () => {
  const secret = 'a-very-secret-signing-key';
  assert.ok(!JSON.stringify(readConfig({ LINK_KEYS: `${secret},${secret}2` }).described).includes(secret));
});

test('link keys are replaced at once, whatever a killed process left behind', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'link.keys');
  const [key = ''] = await loadLinkKeys(folder);
  // Killed after it linked the file, by a process with the same number, as in another container.
  linkSync(path, `${path}.${process.pid}`);
  const { ino } = statSync(path);
  await addLinkKeys(folder, ['a key of the backup']);
  assert.deepEqual(await loadLinkKeys(folder), ['a key of the backup', key]);
  assert.notEqual(statSync(path).ino, ino);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
