/** Tokens: their secret, their scopes, their end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from '../../src/access/token-store.ts';
import {
  expiryAllowance,
  hashSecret,
  isLive,
  isScope,
  newSecret,
  secretIn,
} from '../../src/access/tokens.ts';
import { secureRandomInt } from '../../src/random.ts';

test('a secret is 100 letters and digits, and never the same twice', () => {
  const secrets = Array.from({ length: 100 }, () => newSecret(secureRandomInt));
  for (const secret of secrets) assert.match(secret, /^[0-9A-Za-z]{100}$/);
  assert.equal(new Set(secrets).size, 100);
});

test('a secret uses the whole alphabet', () => {
  assert.equal(new Set(Array.from({ length: 50 }, () => newSecret(secureRandomInt)).join('')).size, 62);
});

test('the stored form is the SHA-256', () => {
  assert.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

const secret = 'a'.repeat(100);
const headers: [string, string | undefined][] = [
  [`Bearer ${secret}`, secret],
  [`bearer ${secret}`, secret],
  [`Bearer   ${secret}`, secret],
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
  test(`the secret in "${header.slice(0, 24)}…" (${header.length}) is ${expected ? 'found' : 'none'}`, () => {
    assert.equal(secretIn(header), expected);
  });
}

test('only the known scopes are scopes', () => {
  const right = ['image:list', 'image:custom-expiry', 'image:custom-expiry:31', 'api:ratelimit:disabled'];
  const wrong = [
    '',
    'image',
    'image:list:1',
    'image:custom-expiry:',
    'image:custom-expiry:0',
    'image:custom-expiry:-1',
  ];
  for (const scope of right) assert.ok(isScope(scope), scope);
  for (const scope of [...wrong, 'image:custom-expiry:1e9', 'IMAGE:LIST', ' image:list'])
    assert.ok(!isScope(scope), scope);
});

test('the largest allowance counts, and the bare scope has no maximum', () => {
  assert.equal(expiryAllowance(['image:list']), undefined);
  assert.equal(expiryAllowance(['image:custom-expiry:60', 'image:custom-expiry:600']), 600);
  assert.equal(expiryAllowance(['image:custom-expiry', 'image:custom-expiry:60']), Number.POSITIVE_INFINITY);
});

test('a token lives until the moment it expires', () => {
  const token = { expires: '2026-06-01T00:00:00.000Z' } as Token;
  assert.ok(isLive(token, Date.parse(token.expires) - 1));
  assert.ok(!isLive(token, Date.parse(token.expires)));
});
