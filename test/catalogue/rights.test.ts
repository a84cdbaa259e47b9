/** Licences as texts, and what an image without one of its own has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { altOf, rightsOf, titleOf, withoutRights } from '../../src/catalogue/rights.ts';
import { licenceText, parseLicence, readLicence } from '../../src/lib/licence.ts';

const BY = 'https://creativecommons.org/licenses/by/4.0/';

test('a known licence has a name and an address, however it is written', () => {
  for (const text of [
    'CC BY 4.0',
    'cc-by-4.0',
    'CC_BY 4.0',
    ` ${BY}deed.de`,
    BY.slice(0, -1),
    `cc by 4.0=${BY}`,
  ])
    assert.equal(parseLicence(text), 'CC BY 4.0', text);
  for (const text of ['http://www.creativecommons.org/licenses/by/4.0/legalcode.de', BY.toUpperCase()])
    assert.equal(parseLicence(text), 'CC BY 4.0', text);
  assert.deepEqual(readLicence('CC BY 4.0'), { name: 'CC BY 4.0', url: BY });
  assert.equal(readLicence('cc0').url, 'https://creativecommons.org/publicdomain/zero/1.0/');
  // One without a version, and one for a country, are others.
  assert.deepEqual(readLicence('CC BY'), { name: 'CC BY', url: '' });
  assert.equal(readLicence(`${BY.replace('4', '3')}de/`).name, '');
  assert.deepEqual(readLicence(`Ours=${BY}`), { name: 'Ours', url: BY });
});

test('any other licence is a name, an address or both', () => {
  assert.deepEqual(readLicence('MIT'), { name: 'MIT', url: '' });
  assert.deepEqual(readLicence('https://a.test/?b=c'), { name: '', url: 'https://a.test/?b=c' });
  assert.deepEqual(readLicence('a=b=https://a.test'), { name: 'a=b', url: 'https://a.test' });
  assert.deepEqual(readLicence(''), { name: '', url: '' });
  const long = 'x'.repeat(255);
  assert.equal(parseLicence(`${long}=https://a.test/`), `${long}=https://a.test/`);
  for (const text of [
    ...[
      'javascript:alert(1)',
      'Free=javascript:alert(1)',
      'data:text/html,x',
      'ftp://a.test',
      'a://b=https://a.test',
    ],
    ...['https://[', `${long}x`, `https://a.test/${'x'.repeat(2048)}`, ' '.repeat(10_000)],
  ])
    assert.equal(parseLicence(text), undefined, text.slice(0, 30));
});

test('a licence is the same after it was stored, and from its parts', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab =-4.©\u00e0\u00a0', 'CC BY ', 'https', '://') });
  const url = fc.constantFrom(
    '',
    BY,
    'https://a.test/=',
    'http://a.test',
    'HTTPS://CreativeCommons.org/licenses/by/4.0',
  );
  fc.assert(
    fc.property(name, url, (name, url) => {
      const stored = parseLicence(licenceText({ name, url }) ?? '');
      if (stored === undefined) return;
      assert.equal(parseLicence(stored), stored);
      const read = readLicence(stored);
      assert.equal(parseLicence(licenceText(read) ?? ''), stored);
      assert.ok(read.url === '' || /^https?:/i.test(read.url));
    }),
  );
});

test('an image that states nothing has the licence and credit of its artist, or else of the site', () => {
  const [own, artist] = [
    { licence: 'own', credit: 'me' },
    { licence: 'theirs', credit: 'them' },
  ];
  const named = (name: string) => ({ name, url: '' });
  assert.deepEqual(rightsOf({ ...own, alt: 'a' }, artist, 'site'), {
    licence: named('own'),
    credit: 'me',
    alt: 'a',
  });
  assert.deepEqual(rightsOf({ licence: '', credit: '' }, artist, 'site'), {
    licence: named('theirs'),
    credit: 'them',
    alt: '',
  });
  assert.deepEqual(rightsOf({}, { credit: 'them' }, 'site'), {
    licence: named('site'),
    credit: 'them',
    alt: '',
  });
  assert.deepEqual(rightsOf({}, {}), { licence: named(''), credit: '', alt: '' });
});

test('an artist in a response has no licence, whatever the name looks like', () => {
  const artist = { id: 'a', name: '","licence":"', url: 'https://a.test/' };
  const json = JSON.stringify(artist);
  assert.equal(withoutRights(json), json);
  assert.equal(withoutRights(JSON.stringify({ ...artist, licence: 'x', credit: 'y' })), json);
  assert.equal(withoutRights(JSON.stringify({ ...artist, credit: '"}' })), json);
});

test('an image is described by its alternative text, its title, or what it shows', () => {
  const category = (name: string, nsfw = false) => ({ name, nsfw });
  const shown = {
    characters: [{ name: 'Ann' }, { name: 'Cleo' }],
    categories: [category('fox'), category('x', true)],
  };
  assert.equal(altOf({ ...shown, title: 'Pier', alt: 'A fox on a pier' }), 'A fox on a pier');
  assert.equal(altOf({ ...shown, title: 'Pier', alt: '' }), 'Pier');
  assert.equal(altOf({ ...shown, title: '' }), 'Ann and Cleo');
  assert.equal(titleOf({ ...shown, title: '', description: '\n A pier. \nAt night.' }), 'A pier. ');
  assert.equal(titleOf({ ...shown, characters: [] }), 'fox');
  assert.equal(altOf({ characters: [], categories: [category('x', true)] }), '');
});
