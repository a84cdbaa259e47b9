/** `zukan config` shows no secret, however the URL of a database is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { maskSecrets } from '../src/config/values.ts';
import { atDepth } from './support/depth.ts';

const shown: [string, string][] = [
  ['postgres://db/zukan', 'postgres://db/zukan'],
  [
    'postgresql://db.example.org:5432/zukan?sslmode=require',
    'postgresql://db.example.org:5432/zukan?sslmode=require',
  ],
  ['postgres://me@db/zukan', 'postgres://***@db/zukan'],
  ['postgres://me:hush@[::1]:5432/zukan', 'postgres://***@[::1]:5432/zukan'],
  ['postgres://me:hu@sh@db/zukan', 'postgres://***@db/zukan'],
  ['redis://:hush@10.0.0.31:6379/2', 'redis://***@10.0.0.31:6379/2'],
  ['rediss://cache', 'rediss://cache'],
];
for (const [url, masked] of shown)
  test(`shows ${url} as ${masked}`, () => assert.equal(maskSecrets(url), masked));

const ambiguous = [
  'postgres://me:123/hush@db/zukan',
  'postgres://me:123?hush@db/zukan',
  'postgres://me:123#hush@db/zukan',
  'postgres://me:a@hush:123/x@db/zukan',
  'redis://:6379/hush@cache',
  'postgres://me:hush/x@db/zukan',
  'postgres:hush@db/zukan',
  'postgres:///zukan?host=/tmp#hush',
];
for (const url of ambiguous)
  test(`masks all of ${url}`, () => assert.match(maskSecrets(url), /^((postgres|redis):\/\/)?\*\*\*$/));

test('masks every parameter that is not known to be harmless', () => {
  for (const name of ['password', 'PassWord', 'sslpassword', 'sslkey', 'sslcert', 'options', 'user'])
    assert.equal(
      maskSecrets(`postgres://db/zukan?sslmode=require&${name}=hush&host=/run/postgresql`),
      `postgres://db/zukan?sslmode=require&${name}=***&host=/run/postgresql`,
    );
  assert.equal(maskSecrets('postgres://db/zukan?pass%77ord=hush'), 'postgres://db/zukan?password=***');
});

/** A password that is not escaped as it should be. */
const password = fc
  .string({ unit: fc.constantFrom(...'0189azAZ/?#@:%[]\\&=;,! \t'), maxLength: 8 })
  .map((text) => `${text}Hush`)
  .chain((text) => fc.nat({ max: text.length }).map((cut) => text.slice(cut) + text.slice(0, cut)))
  .filter((text) => text.includes('Hush'));

test('no password is shown, whatever it contains', () => {
  const property = fc.property(
    password,
    fc.constantFrom('postgres://me:', 'postgresql://', 'redis://:', 'rediss://me:'),
    fc.constantFrom('@db/zukan', '@db:1/zukan?sslmode=require', '@db'),
    (secret, start, end) => {
      const url = `${start}${secret}${end}`;
      assert.doesNotMatch(maskSecrets(url), /hush/i);
      const name = url.startsWith('redis') ? 'REDIS_URL' : 'DATABASE_URL';
      assert.doesNotMatch(describe({ [name]: url }), /hush/i);
      assert.doesNotMatch(
        describe({ DATABASE_URL: 'postgres://db/zukan', DATABASE_READ_URLS: url }),
        /hush/i,
      );
    },
  );
  fc.assert(property, { numRuns: atDepth(800, 10_000), seed: 1 });
});

/** What `zukan config` prints. */
function describe(environment: Record<string, string>): string {
  try {
    return JSON.stringify(readConfig(environment).described);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
