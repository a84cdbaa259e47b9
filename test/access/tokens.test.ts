/** Access tokens: secrets, scopes, expiry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expiryAllowance,
  hashIn,
  hashSecret,
  isLive,
  isScope,
  newSecret,
  type Token,
} from '../../src/access/tokens.ts';
import { secureRandomInt } from '../../src/lib/random.ts';

test('a secret has 100 letters and digits and is unique', () => {
  const secrets = Array.from({ length: 100 }, () => newSecret(secureRandomInt));
  for (const secret of secrets) assert.match(secret, /^[0-9A-Za-z]{100}$/);
  assert.equal(new Set(secrets).size, 100);
});

test('a secret uses the whole alphabet', () => {
  assert.equal(new Set(Array.from({ length: 50 }, () => newSecret(secureRandomInt)).join('')).size, 62);
});

test('a secret is stored as its SHA-256', () => {
  assert.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

const secret = 'a'.repeat(100);
const headers: [string, string | undefined][] = [
  [`Bearer ${secret}`, secret],
  [`bearer ${secret}`, secret],
  [`Bearer   ${secret}`, secret],
  [`Bearer${' '.repeat(45)}${secret}`, undefined],
  [`Bearer ${secret.slice(1)}`, undefined],
  [`Bearer ${secret}a`, undefined],
  [`Bearer ${secret} ${secret}`, undefined],
  [`Bearer ${'é'.repeat(100)}`, undefined],
  [`Basic ${secret}`, undefined],
  [secret, undefined],
  ['Bearer', undefined],
  ['', undefined],
];
for (const [header, expected] of headers) {
  test(`${expected ? 'accepts' : 'rejects'} "${header.slice(0, 24)}…" (${header.length} characters)`, () => {
    const hash = expected && hashSecret(expected);
    assert.equal(hashIn(header), hash);
  });
}

test('accepts known scopes only', () => {
  const known = ['image:list', 'image:custom-expiry', 'image:custom-expiry:31', 'api:ratelimit:disabled'];
  const unknown = [
    '',
    'image',
    'image:list:1',
    'image:custom-expiry:',
    'image:custom-expiry:0',
    'image:custom-expiry:-1',
  ];
  for (const scope of known) assert.ok(isScope(scope), scope);
  for (const scope of [...unknown, 'image:custom-expiry:1e9', 'IMAGE:LIST', ' image:list'])
    assert.ok(!isScope(scope), scope);
});

test('the largest allowed lifetime counts, and the bare scope has no maximum', () => {
  assert.equal(expiryAllowance(['image:list']), undefined);
  assert.equal(expiryAllowance(['image:custom-expiry:60', 'image:custom-expiry:600']), 600);
  assert.equal(expiryAllowance(['image:custom-expiry', 'image:custom-expiry:60']), Number.POSITIVE_INFINITY);
});

test('a token is valid until just before it expires', () => {
  const token = { expires: '2026-06-01T00:00:00.000Z' } as Token;
  assert.ok(isLive(token, Date.parse(token.expires) - 1));
  assert.ok(!isLive(token, Date.parse(token.expires)));
});
