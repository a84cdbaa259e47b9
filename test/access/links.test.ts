/** Links: each part is held by the signature, keys rotate, and the end is exact. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Links, validityOf } from '../../src/access/links.ts';

const name = '40000000-0000-4000-8000-000000000001.webp';
const expires = 1_800_000_000;
const before = expires * 1000 - 1;
const links = new Links(['the first key, 16+', 'the second key, 16+']);

function partsOf(url: string) {
  const { pathname, searchParams } = new URL(url);
  const [moment, signature] = [searchParams.get('expires'), searchParams.get('signature')];
  return { file: pathname.replace('/files/', ''), moment: moment as string, signature: signature as string };
}

const link = links.signer('https://example.org', { begins: 0, expires })(name, 'key');
const { file, moment, signature } = partsOf(link.url);

test('a link says when it expires and is valid until just before', () => {
  assert.equal(file, name);
  assert.equal(link.expires, new Date(expires * 1000).toISOString());
  assert.equal(links.verify(file, moment, signature, before), 'valid');
  assert.equal(links.verify(file, moment, signature, expires * 1000), 'expired');
});

const tampered: [string, unknown, unknown, unknown][] = [
  ['another image', name.replace('1.webp', '2.webp'), moment, signature],
  ['another type', name.replace('webp', 'png'), moment, signature],
  ['an upper-case id', name.replace('webp', 'WEBP'), moment, signature],
  ['a longer life', name, String(expires + 1), signature],
  ['a moment with zeros before it', name, `0${moment}`, signature],
  ['a moment with more behind it', name, `${moment}0`, signature],
  ['no moment', name, undefined, signature],
  ['two moments', name, [moment, moment], signature],
  ['no signature', name, moment, undefined],
  ['an empty signature', name, moment, ''],
  ['a cut signature', name, moment, signature.slice(0, -1)],
  ['a longer signature', name, moment, `${signature}A`],
  ['two signatures', name, moment, [signature, signature]],
  ['a name that goes up', `../${name}`, moment, signature],
];
for (const [what, ...parts] of tampered) {
  test(`${what} is forged`, () => {
    assert.equal(links.verify(parts[0] as string, parts[1], parts[2], before), 'forged');
  });
}

test('each character of the signature counts', () => {
  for (let index = 0; index < signature.length; index++) {
    const other = signature[index] === 'A' ? 'B' : 'A';
    const changed = signature.slice(0, index) + other + signature.slice(index + 1);
    assert.equal(links.verify(name, moment, changed, before), 'forged', `at ${index}`);
  }
});

test('a forged link is forged even when it has expired', () => {
  assert.equal(links.verify(name, '1', signature, before), 'forged');
});

test('the first key signs and every key verifies', () => {
  const rotated = new Links(['a brand new key, 16+', 'the first key, 16+']);
  assert.equal(rotated.verify(file, moment, signature, before), 'valid');
  const fresh = partsOf(
    rotated.signer('', { begins: 0, expires })(name, 'key').url.replace(/^/, 'https://example.org'),
  );
  assert.notEqual(fresh.signature, signature);
  assert.equal(links.verify(fresh.file, fresh.moment, fresh.signature, before), 'forged');
  const retired = new Links(['a brand new key, 16+']);
  assert.equal(retired.verify(file, moment, signature, before), 'forged');
});

test('switching between moments signs each with its own key', () => {
  const first = links.signer('', { begins: 0, expires })(name, 'key');
  const second = links.signer('', { begins: 0, expires: expires + 60 })(name, 'key');
  const again = links.signer('', { begins: 0, expires })(name, 'key');
  assert.equal(first.url, again.url);
  assert.notEqual(partsOf(`https://example.org${second.url}`).signature, signature);
});

test('a default lifetime is rounded up to a short bucket, an asked one to the second', () => {
  for (const now of [0, 1, 59_999, 1_700_000_000_123]) {
    const rounded = validityOf(now, 3600, false);
    assert.equal(rounded.expires % 60, 0);
    assert.ok(rounded.expires >= now / 1000 + 3600 && rounded.expires < now / 1000 + 3660);
    assert.ok(rounded.begins <= now / 1000, 'it works at once');
    assert.equal(rounded.expires - rounded.begins, 3660);
    const exact = validityOf(now, 100, true);
    assert.ok(exact.expires >= now / 1000 + 100 && exact.expires < now / 1000 + 101);
    assert.equal(exact.expires - exact.begins, 100);
  }
});
