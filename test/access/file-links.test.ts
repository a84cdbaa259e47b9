/** File links: the signature covers every part, keys rotate, and links expire on time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FileLinks, linkValidity } from '../../src/access/file-links.ts';

const name = '40000000-0000-4000-8000-000000000001.webp';
const expires = 1_800_000_000;
const before = expires * 1000 - 1;
const links = new FileLinks(['the first key, 16+', 'the second key, 16+']);
const ORIGIN = 'https://example.org';

function signedUrl(signer: FileLinks, end = expires): { url: string; expires: string } {
  return signer.signer(ORIGIN, { begins: 0, expires: end })({ fileName: name, key: 'key' });
}

function parseUrl(url: string): { file: string; expires: string; signature: string } {
  const { pathname, searchParams } = new URL(url);
  return {
    file: pathname.replace('/files/', ''),
    expires: searchParams.get('expires') as string,
    signature: searchParams.get('signature') as string,
  };
}

const link = signedUrl(links);
const { file, expires: end, signature } = parseUrl(link.url);

test('a link states its expiry time and is valid until just before it', () => {
  assert.equal(file, name);
  assert.equal(link.expires, new Date(expires * 1000).toISOString());
  assert.equal(links.verify(file, end, signature, before), 'valid');
  assert.equal(links.verify(file, end, signature, expires * 1000), 'expired');
});

test('the link to a thumbnail covers its size', () => {
  const thumbnail = name.replace('.webp', '-480.webp');
  const { url } = links.signer(ORIGIN, { begins: 0, expires })({ fileName: thumbnail, key: 'key' });
  const { file, signature } = parseUrl(url);
  assert.equal(links.verify(file, end, signature, before), 'valid');
  for (const other of [name, thumbnail.replace('480', '960'), thumbnail.replace('480', '0480')])
    assert.equal(links.verify(other, end, signature, before), 'invalid');
});

describe('rejects', () => {
  const tampered: [string, unknown, unknown, unknown][] = [
    ['another image', name.replace('1.webp', '2.webp'), end, signature],
    ['another type', name.replace('webp', 'png'), end, signature],
    ['a thumbnail of the image', name.replace('.webp', '-480.webp'), end, signature],
    ['an upper-case extension', name.replace('webp', 'WEBP'), end, signature],
    ['a later expiry time', name, String(expires + 1), signature],
    ['an expiry time with leading zeros', name, `0${end}`, signature],
    ['an expiry time with a digit appended', name, `${end}0`, signature],
    ['a missing expiry time', name, undefined, signature],
    ['two expiry times', name, [end, end], signature],
    ['a missing signature', name, end, undefined],
    ['an empty signature', name, end, ''],
    ['a truncated signature', name, end, signature.slice(0, -1)],
    ['a longer signature', name, end, `${signature}A`],
    ['two signatures', name, end, [signature, signature]],
    ['a path that leads to the parent folder', `../${name}`, end, signature],
    ['a wrong signature, even if the link has expired', name, '1', signature],
  ];
  for (const [what, ...parts] of tampered) {
    test(what, () => {
      assert.equal(links.verify(parts[0] as string, parts[1], parts[2], before), 'invalid');
    });
  }

  test('a signature with any one character changed', () => {
    for (let index = 0; index < signature.length; index++) {
      const other = signature[index] === 'A' ? 'B' : 'A';
      const changed = signature.slice(0, index) + other + signature.slice(index + 1);
      assert.equal(links.verify(name, end, changed, before), 'invalid', `at ${index}`);
    }
  });
});

test('the first key signs and every key verifies', () => {
  const rotated = new FileLinks(['a brand new key, 16+', 'the first key, 16+']);
  assert.equal(rotated.verify(file, end, signature, before), 'valid');
  const fresh = parseUrl(signedUrl(rotated).url);
  assert.notEqual(fresh.signature, signature);
  assert.equal(links.verify(fresh.file, fresh.expires, fresh.signature, before), 'invalid');
  const retired = new FileLinks(['a brand new key, 16+']);
  assert.equal(retired.verify(file, end, signature, before), 'invalid');
});

test('alternating between expiry times and origins gives the right link each time', () => {
  const later = signedUrl(links, expires + 60);
  assert.notEqual(parseUrl(later.url).signature, signature);
  assert.equal(signedUrl(links).url, link.url);
  const elsewhere = links.signer('https://other.example', { begins: 0, expires })({
    fileName: name,
    key: 'key',
  }).url;
  assert.equal(elsewhere, link.url.replace(ORIGIN, 'https://other.example'));
});

test('a default lifetime is rounded up to the end of a bucket, an exact one to the second', () => {
  for (const now of [0, 1, 59_999, 1_700_000_000_123]) {
    const rounded = linkValidity(now, 3600, false);
    assert.equal(rounded.expires % 60, 0);
    assert.ok(rounded.expires >= now / 1000 + 3600 && rounded.expires < now / 1000 + 3660);
    assert.ok(rounded.begins <= now / 1000, 'valid at once');
    assert.equal(rounded.expires - rounded.begins, 3660);
    const exact = linkValidity(now, 100, true);
    assert.ok(exact.expires >= now / 1000 + 100 && exact.expires < now / 1000 + 101);
    assert.equal(exact.expires - exact.begins, 100);
  }
});

test('the link to a thumbnail leaves the signatures of images cached', () => {
  const cached = new FileLinks(['the first key, 16+'], 1000);
  const sign = cached.signer(ORIGIN, { begins: 0, expires }, true);
  const original = { key: '', number: 1, revision: 1 };
  const { url } = sign({ ...original, fileName: name });
  sign({ key: '', fileName: name.replace('.webp', '-480.webp') });
  // It is not signed again, whatever its name is now.
  assert.equal(sign({ ...original, fileName: 'x' }).url, url.replace(name, 'x'));
});

test('a cached signature belongs to the file, the expiry time and the revision', () => {
  const keys = ['the first key, 16+'];
  // Room for three images.
  const [cached, plain] = [new FileLinks(keys, 3 * 48), new FileLinks(keys)];
  const image = fc.record({
    number: fc.constantFrom(undefined, 0, 1, 2, 3, 1_000_000),
    revision: fc.integer({ min: 1, max: 2 }),
    validity: fc.constantFrom({ begins: 0, expires }, { begins: 0, expires: expires + 60 }),
    isDefault: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(image, { maxLength: 30 }), (images) => {
      for (const { number, revision, validity, isDefault } of images) {
        const fileName = name.replace('40', `${revision}${(number ?? 9) % 10}`);
        const file = { fileName, key: '', number, revision };
        const expected = plain.signer(ORIGIN, validity)(file);
        assert.deepEqual(cached.signer(ORIGIN, validity, isDefault)(file), expected);
      }
    }),
  );
});
