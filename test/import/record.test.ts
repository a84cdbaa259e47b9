/** Parsing records: errors name the invalid field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordError } from '../../src/import/records/lines.ts';
import { parseRecord } from '../../src/import/records/record.ts';

const meta = { eTag: 'e', size: 1, mimetype: 'image/png', color: '#00ff00', dimens: { width: 1, height: 1 } };
const image = { type: 'image', key: 'a/b.png', meta, nsfw: 'sfw' };
const thumbnails = { sizes: [16, 20], thumbHash: '1QcSHQRnh493V4dIh4eXh1h4kJUI', isAnimated: false };
const id = '0000000A-0000-4000-8000-00000000000B';

test('accepts ids in upper case and times in any time zone', () => {
  const record = parseRecord(
    JSON.stringify({ type: 'artist', name: 'A', id, createdAt: '2026-01-01T02:00:00+02:00' }),
  );
  assert.equal(record && 'id' in record && record.id, id.toLowerCase());
  assert.equal(record?.createdAt, '2026-01-01T00:00:00.000Z');
});

const valid: [string, object][] = [
  ['an image with key and meta', image],
  ['a null artist and source', { ...image, artist: null, source: null }],
  ['an artist with an empty URL', { type: 'artist', name: 'A', url: '' }],
  ['a description of several lines', { type: 'character', name: 'a', description: 'a\r\n\tb\u2028' }],
  ['an emoji', { type: 'artist', name: '😀' }],
  ['aliases', { type: 'category', name: 'a', aliases: ['b', 'c'] }],
  ['thumbnails', { ...image, meta: { ...meta, dimens: { width: 20, height: 1 } }, thumbnails }],
  ['edited fields', { ...image, edited: ['rating', 'source'] }],
  ['a blocked name', { type: 'blocked', kind: 'category', name: 'a' }],
  ['a removed picture', { type: 'removed', hash: 'ab', image: id, reason: 'asked' }],
];
for (const [what, record] of valid)
  test(`accepts ${what}`, () => assert.ok(parseRecord(JSON.stringify(record))));

const invalid: [string, string | object, RegExp][] = [
  ['invalid JSON', '{"type":', /not valid JSON/],
  ['a list', '[]', /"type" must be/],
  ['null', 'null', /"type" must be/],
  ['an unknown type', { type: 'picture' }, /"type" must be/],
  ['a type from the prototype', { type: 'constructor' }, /"type" must be/],
  ['a missing name', { type: 'artist' }, /name/],
  ['an empty name', { type: 'artist', name: '' }, /name/],
  ['a name with a leading space', { type: 'artist', name: ' a' }, /name/],
  ['a line feed in a name', { type: 'artist', name: 'a\nb' }, /name: character 2 is U\+000A/],
  ['a bidi override in a title', { ...image, title: '🦊\u202e' }, /title: character 2 is U\+202E/],
  ['a name of nothing', { type: 'artist', name: '\u2800' }, /name: must have something visible/],
  ['an invisible alias', { type: 'album', name: 'a', aliases: ['b', 'c\u200b'] }, /aliases\.1: .*U\+200B/],
  ['an invisible occupation', { type: 'character', name: 'a', occupations: ['\u00ad'] }, /occupations\.0: /],
  ['an invisible reference', { ...image, characters: ['a\ufeff'] }, /characters\.0: .*U\+FEFF/],
  ['an invisible source', { ...image, source: { name: 'a\u0085', url: '' } }, /source\.name: .*U\+0085/],
  ['a tab in a blocked name', { type: 'blocked', kind: 'artist', name: 'a\tb' }, /name: .*U\+0009/],
  [
    'an escape in a description',
    { type: 'album', name: 'a', description: '\n\x1b[31m' },
    /character 2 is U\+001B/,
  ],
  ['a comma in a category', { type: 'category', name: 'a,b' }, /name/],
  ['a misspelt field', { type: 'artist', name: 'A', adress: '' }, /adress/],
  ['a javascript: URL', { type: 'artist', name: 'A', url: 'javascript:alert(1)' }, /url/],
  ['an id that is not a UUID', { type: 'artist', name: 'A', id: '1' }, /id/],
  ['a leap second', { type: 'artist', name: 'A', createdAt: '2016-12-31T23:59:60Z' }, /createdAt/],
  [
    'a year of five digits',
    { type: 'artist', name: 'A', createdAt: '9999-12-31T23:59:59-10:00' },
    /createdAt/,
  ],
  ['a name that is a UUID', { type: 'category', name: id }, /UUID/],
  ['an entity tag with a comma', { ...image, meta: { ...meta, eTag: 'a,b' } }, /eTag/],
  ['an invalid time', { type: 'artist', name: 'A', createdAt: 'yesterday' }, /createdAt/],
  ['ages that are not numbers', { type: 'character', name: 'C', ages: ['16'] }, /ages/],
  ['an unknown rating', { ...image, nsfw: 'safe' }, /nsfw/],
  ['neither file nor key', { type: 'image', nsfw: 'sfw' }, /needs "file"/],
  ['key without meta', { type: 'image', nsfw: 'sfw', key: 'a' }, /needs "file"/],
  ['thumbnails that are larger than the image', { ...image, thumbnails }, /thumbnails\.sizes/],
  ['thumbnails twice', { ...image, thumbnails: { ...thumbnails, sizes: [1, 1] } }, /thumbnails\.sizes/],
  ['a ThumbHash with a space', { ...image, thumbnails: { ...thumbnails, thumbHash: 'a b c' } }, /thumbnails/],
  ['thumbnails of a file', { type: 'image', nsfw: 'sfw', file: 'a.png', thumbnails }, /needs "key"/],
  ['both file and key', { ...image, file: 'a.png' }, /not both/],
  ['a key with ..', { ...image, key: '../a.png' }, /key/],
  ['an absolute key', { ...image, key: '/etc/passwd' }, /key/],
  ['a key with a backslash', { ...image, key: 'a\\..\\b' }, /key/],
  ['a key to a hidden file', { ...image, key: 'a/.b' }, /key/],
  ['a quoted entity tag', { ...image, meta: { ...meta, eTag: '"e"' } }, /eTag/],
  ['a type that is not an image', { ...image, meta: { ...meta, mimetype: 'text/html' } }, /mimetype/],
  ['a width of 0', { ...image, meta: { ...meta, dimens: { width: 0, height: 1 } } }, /width/],
  ['an empty alias', { type: 'category', name: 'a', aliases: [''] }, /aliases/],
  [
    'an edited field that does not exist',
    { ...image, edited: ['nsfw'] },
    /edited\.0: must be a list of alt, artist/,
  ],
  ['a blocked name of no kind', { type: 'blocked', kind: 'image', name: 'a' }, /kind: must be/],
  ['a removed picture without its id', { type: 'removed', hash: 'ab', image: '1' }, /image: must be a UUID/],
  ['a NUL', '{"type":"artist","name":"a\\u0000b"}', /NUL/],
  ['an unpaired surrogate', '{"type":"artist","name":"a\\ud800b"}', /surrogate/],
];
for (const [what, record, reason] of invalid) {
  test(`rejects ${what}`, () => {
    const text = typeof record === 'string' ? record : JSON.stringify(record);
    assert.throws(
      () => parseRecord(text),
      (error) => error instanceof RecordError && reason.test(error.message),
    );
  });
}

test('an alias may be an id, which is stored in lower case', () => {
  const given = { type: 'artist', name: 'a', aliases: ['B', id.toUpperCase()] };
  assert.deepEqual(parseRecord(JSON.stringify(given)), { ...given, aliases: ['B', id.toLowerCase()] });
});

test('ignores a blank line', () => assert.equal(parseRecord(''), undefined));
