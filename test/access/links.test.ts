/** Links to files and pagination cursors: only those that were issued are accepted, and only where they belong. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Cursors, cursorScope, FileLinks, linkValidity, parseFileLink } from '../../src/access/links.ts';
import type { Filter } from '../../src/catalogue/catalogue.ts';
import { packPosition, unpackPosition } from '../../src/catalogue/sets/orders.ts';

const name = '40000000-0000-4000-8000-000000000001.webp';
const expires = 1_800_000_000;
const before = expires * 1000 - 1;
const links = new FileLinks(['the first key, 16+', 'the second key, 16+']);
const ORIGIN = 'https://example.org';

function signedUrl(signer: FileLinks, end = expires): { url: string; expires: string } {
  return signer.signer(ORIGIN, { begins: 0, expires: end })({ fileName: name, key: 'key' });
}

const targetOf = ({ url }: { url: string }) => url.replace(ORIGIN, '');

function verify(signer: FileLinks, target: string, now = before): string {
  const parsed = parseFileLink(target);
  return parsed ? signer.verify(parsed, now) : 'invalid';
}

const link = signedUrl(links);
const target = targetOf(link);
const [, signature = ''] = target.split('signature=');

test('a link states its expiry time and is valid until just before it', () => {
  assert.equal(target, `/files/${name}?expires=${expires}&signature=${signature}`);
  assert.equal(link.expires, new Date(expires * 1000).toISOString());
  assert.equal(verify(links, target), 'valid');
  assert.equal(verify(links, target, expires * 1000), 'expired');
});

test('the link to a thumbnail covers its size', () => {
  const thumbnail = name.replace('.webp', '-480.webp');
  const { url } = links.signer(ORIGIN, { begins: 0, expires })({ fileName: thumbnail, key: 'key' });
  const small = targetOf({ url });
  assert.equal(verify(links, small), 'valid');
  for (const other of [name, thumbnail.replace('480', '960'), thumbnail.replace('480', '0480')])
    assert.equal(verify(links, small.replace(thumbnail, other)), 'invalid');
});

describe('rejects', () => {
  const [end, given] = [`expires=${expires}`, `signature=${signature}`];
  const tampered: [string, string][] = [
    ['another image', target.replace('1.webp', '2.webp')],
    ['another type', target.replace('webp', 'png')],
    ['a thumbnail of the image', target.replace('.webp', '-480.webp')],
    ['an upper-case extension', target.replace('webp', 'WEBP')],
    ['a later expiry time', target.replace(end, `expires=${expires + 1}`)],
    ['an expiry time with leading zeros', target.replace('expires=', 'expires=0')],
    ['an expiry time with a digit appended', target.replace('&', '0&')],
    ['a missing expiry time', target.replace(`${end}&`, '')],
    ['two expiry times', target.replace(end, `${end}&${end}`)],
    ['a missing signature', target.replace(`&${given}`, '')],
    ['an empty signature', target.replace(signature, '')],
    ['a truncated signature', target.slice(0, -1)],
    ['a longer signature', `${target}A`],
    ['two signatures', `${target}&${given}`],
    ['a wrong signature, even if the link has expired', target.replace(end, 'expires=1')],
    ['a path that leads to the parent folder', target.replace('/files/', '/files/../')],
    ['another folder', target.replace('/files/', '/files/x/')],
    ['a slash more', target.replace('?', '/?')],
    ['two slashes', target.replace('/files', '//files')],
    ['an escaped letter', target.replace('.webp', '%2Ewebp')],
    ['an escaped digit of the query', target.replace('expires=1', 'expires=%31')],
    ['another parameter after it', `${target}&junk=1`],
    ['another parameter before it', target.replace('?', '?junk=1&')],
    ['an empty parameter', `${target}&`],
    ['another order', `/files/${name}?${given}&${end}`],
    ['a list', target.replace('expires=', 'expires[]=')],
    ['a line break', `${target}\n`],
  ];
  for (const [what, changed] of tampered) {
    test(what, () => {
      assert.notEqual(changed, target);
      assert.equal(verify(links, changed), 'invalid');
    });
  }

  test('a link with any one character changed, added or missing', () => {
    for (let index = 0; index < target.length; index++) {
      const [start, rest] = [target.slice(0, index), target.slice(index + 1)];
      const other = target[index] === 'A' ? 'B' : 'A';
      for (const changed of [start + other + rest, start + rest, `${start}/${target.slice(index)}`])
        assert.equal(verify(links, changed), 'invalid', changed);
    }
  });
});

test('the first key signs and every key verifies', () => {
  const rotated = new FileLinks(['a brand new key, 16+', 'the first key, 16+']);
  assert.equal(verify(rotated, target), 'valid');
  const fresh = targetOf(signedUrl(rotated));
  assert.notEqual(fresh, target);
  assert.equal(verify(links, fresh), 'invalid');
  const retired = new FileLinks(['a brand new key, 16+']);
  assert.equal(verify(retired, target), 'invalid');
});

test('alternating between expiry times and origins gives the right link each time', () => {
  const later = signedUrl(links, expires + 60);
  assert.ok(!later.url.endsWith(signature));
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

// Pagination cursors: only those issued for the same scope are accepted.

const [old, current] = ['a key of sixteen', 'another such key'];
const cursors = new Cursors([current]);
const seven = packPosition(22, 7);

describe('a cursor', () => {
  test('gives back the position it was written with', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.constantFrom(22, 32), fc.string(), (rank, bits, scope) => {
        const read = cursors.read(cursors.write(packPosition(bits, rank), scope), scope);
        assert.deepEqual(read !== undefined && unpackPosition(read), [bits, rank]);
      }),
    );
  });

  test('is rejected with any character changed, removed or added', () => {
    const cursor = cursors.write(packPosition(22, 123_456), 'scope');
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.'];
    for (let at = 0; at <= cursor.length; at++) {
      const [before, after] = [cursor.slice(0, at), cursor.slice(at)];
      for (const character of alphabet) {
        assert.equal(cursors.read(before + character + after, 'scope'), undefined);
        const changed = before + character + after.slice(1);
        if (changed !== cursor) assert.equal(cursors.read(changed, 'scope'), undefined, changed);
      }
      if (at < cursor.length) assert.equal(cursors.read(before + after.slice(1), 'scope'), undefined);
    }
  });

  test('is rejected in another scope or by another service', () => {
    const cursor = cursors.write(seven, 'scope');
    assert.equal(cursors.read(cursor, 'another scope'), undefined);
    assert.equal(new Cursors([old]).read(cursor, 'scope'), undefined);
  });

  test('is accepted after its key was rotated', () => {
    const rotated = new Cursors([current, old]);
    assert.deepEqual(rotated.read(new Cursors([old]).write(seven, 'scope'), 'scope'), seven);
    assert.deepEqual(cursors.read(rotated.write(seven, 'scope'), 'scope'), seven);
  });
});

describe('a scope', () => {
  const filter: Filter = {
    ...{
      nsfw: ['sfw', 'nsfw'],
      orientation: ['square'],
      categories: ['Cat', 'dog'],
      exclude: ['x', 'Y'],
    },
    match: 'all',
    artist: ['a1'],
    character: ['c1'],
  };

  test('does not depend on the order or case of the filters', () => {
    const other: Filter = {
      nsfw: ['nsfw', 'sfw'],
      orientation: ['square'],
      categories: ['DOG', 'cat', 'dog'],
      exclude: ['y', 'X'],
      match: 'all',
      artist: ['a1'],
      character: ['c1'],
    };
    assert.equal(cursorScope('s', filter), cursorScope('s', other));
    for (const categories of [['a'], ['A', 'a']])
      assert.equal(cursorScope('s', { categories, match: 'any' }), cursorScope('s', { categories: ['a'] }));
  });

  test('is that of older versions, which took one artist and one character', () => {
    assert.equal(
      cursorScope('s', { artist: ['a1'], character: ['c1'] }),
      '["s",[["artist","a1"],["character","c1"]]]',
    );
  });

  test('differs for another seed or any other filter', () => {
    const { nsfw, ...anyRating } = filter;
    const others: [string | undefined, Filter][] = [
      ...[['S', filter] as [string, Filter], ['s', anyRating] as [string, Filter]],
      ...[[undefined, filter] as [undefined, Filter], ['', filter] as [string, Filter]],
      ...Object.entries<Filter>({
        a: { ...filter, nsfw: ['sfw'] },
        b: { ...filter, orientation: ['portrait'] },
        c: { ...filter, match: 'any' },
        d: { ...filter, categories: ['Cat'] },
        ...{
          e: { ...filter, exclude: [] },
          f: { ...filter, categories: ['x', 'Y'], exclude: ['Cat', 'dog'] },
        },
        g: { ...filter, artist: ['c1'], character: ['a1'] },
        h: { ...filter, artist: undefined },
        i: { ...filter, artist: ['a1', 'c1'] },
        j: { ...filter, excludeArtist: ['a1'] },
        k: { ...filter, animated: true },
        l: { ...filter, animated: false },
        ...{ m: { ...filter, minWidth: 2 }, n: { ...filter, minHeight: 2 } },
        o: { ...filter, aspectRatio: '16:9' },
      }).map(([, changed]): [string, Filter] => ['s', changed]),
    ];
    const scopes = others.map(([seed, changed]) => cursorScope(seed, changed));
    assert.equal(new Set([...scopes, cursorScope('s', filter)]).size, others.length + 1);
  });
});
