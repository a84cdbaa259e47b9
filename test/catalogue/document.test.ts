/** Image documents: reading, filling in links, and updating entries. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  composeDocument,
  dimensions,
  locateLists,
  parseStored,
  readDocument,
  replacePreviews,
  type StoredImage,
  updateEntry,
} from '../../src/catalogue/documents/document.ts';
import {
  ImageDocument,
  type SignLink,
  withoutAspectRatio,
} from '../../src/catalogue/documents/image-document.ts';
import { NO_DETAILS } from '../../src/catalogue/schemas.ts';
import { toByteString } from '../../src/lib/byte-string.ts';
import { codePoint } from '../support/characters.ts';

const artist = { id: '20000000-0000-4000-8000-000000000001', name: 'Ann', url: '' };

const image = (text: string): StoredImage => ({
  id: '40000000-0000-4000-8000-000000000001',
  artist: artist.id,
  source: { name: text, url: 'https://example.org/' },
  nsfw: 'sfw',
  categories: [{ id: 'c', name: text, description: '"aspectRatio":"1:1",', nsfw: true, createdAt: 't' }],
  characters: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...NO_DETAILS,
  meta: { eTag: 'e', size: 5, mimetype: 'image/jpeg', color: '#000000', dimens: dimensions(300, 200) },
});

const serialise = (entries: object[]) => entries.map((entry) => JSON.stringify(entry));
const write = (image: StoredImage, key = 'ab/cd.jpg', details: object = artist) =>
  composeDocument(
    image,
    key,
    JSON.stringify(details),
    serialise(image.categories),
    serialise(image.characters),
  );

const signLink: SignLink = ({ fileName }) => ({
  url: `https://example.org/files/${fileName}`,
  expires: '2026-01-01T01:00:00.000Z',
});

test('keeps any text unchanged when it is stored and when a link is filled in', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      const stored = image(text);
      const document = write(stored);
      assert.deepEqual(readDocument(document), JSON.parse(JSON.stringify(stored)));
      const { url, meta, ...rest } = new ImageDocument(document).toImage(signLink);
      const { expires, ...facts } = meta;
      assert.equal(url, `https://example.org/files/${stored.id}.jpg`);
      assert.equal(expires, '2026-01-01T01:00:00.000Z');
      assert.deepEqual({ ...rest, ...NO_DETAILS, meta: facts }, stored);
    }),
  );
});

test('adds the details on request only, and never the name of the file', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.boolean(), (text, hasPreviews) => {
      const details = {
        title: text,
        description: `"${text}"`,
        takenAt: '2024-02-03',
        licence: hasPreviews ? '' : 'terms',
        credit: text,
        alt: text,
        fileName: `secret ${text}`,
      };
      const plain = write({ ...image('x'), ...details });
      const document = hasPreviews ? replacePreviews(plain, '20 AAAA') : plain;
      assert.deepEqual(readDocument(document), { ...image('x'), ...details });
      const stored = new ImageDocument(document);
      assert.deepEqual(stored.toImage(signLink), new ImageDocument(write(image('x'))).toImage(signLink));
      const { fileName, ...texts } = details;
      const shown = { ...texts, licence: { name: details.licence, url: '' } };
      const wanted = { ...stored.toImage(signLink, ['artist', 'thumbnails']), ...shown };
      assert.deepEqual(stored.toImage(signLink, ['details', 'thumbnails', 'artist']), wanted);
      assert.ok(!stored.withLink(signLink, ['details', 'thumbnails', 'artist']).includes('secret'));
      const renamed = updateEntry(document, {
        kind: 'artist',
        ...artist,
        createdAt: '',
        document: '{"id":"b"}',
      });
      assert.deepEqual(readDocument(renamed), readDocument(document));
      assert.equal(parseStored(renamed).previews, hasPreviews ? '20 AAAA' : undefined);
    }),
  );
  const { title, description, takenAt } = new ImageDocument(write(image('x'))).toImage(signLink, ['details']);
  assert.deepEqual([title, description, takenAt], ['', '', '']);
});

test('is a byte string with a link, for any text and key', () => {
  const text = fc.string({ unit: codePoint });
  fc.assert(
    fc.property(text, text, (text, key) => {
      const filled = new ImageDocument(write(image(text), key.replaceAll('\n', '')));
      const bytes = Buffer.from(JSON.stringify(filled.toImage(signLink)));
      assert.deepEqual(Buffer.from(filled.withLink(signLink), 'latin1'), bytes);
    }),
  );
});

test('updates the artist without touching the rest', () => {
  const document = write(image('x'), 'ab/"cd.jpg');
  const changed = { ...artist, name: 'Ben' };
  const entry = { kind: 'artist' as const, ...changed, createdAt: 't', document: JSON.stringify(changed) };
  const expected = write(image('x'), 'ab/"cd.jpg', changed);
  assert.equal(updateEntry(document, entry), expected);
  assert.equal(updateEntry(`${document}\n20 AAAA`, entry), `${expected}\n20 AAAA`);
});

test('finds its lists of categories and characters, which can be stored apart', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.array(fc.string()), (text, occupations) => {
      const document = write({
        ...image(`"categories":[${text}],"createdAt":"`),
        characters: [{ id: 'x', occupations, createdAt: 't' }] as unknown as StoredImage['characters'],
      });
      const { start, middle, end } = locateLists(document);
      assert.deepEqual(Object.keys(JSON.parse(`{${document.slice(start, middle)}]}`)), ['categories']);
      const lists = document.slice(start, end);
      assert.deepEqual(Object.keys(JSON.parse(`{${lists}]}`)), ['categories', 'characters']);
      const without = document.slice(0, start) + document.slice(end);
      const shared = {
        lists: toByteString(lists),
        position: toByteString(document.slice(0, start)).length,
        artist: JSON.stringify(artist),
      };
      const [split, whole] = [new ImageDocument(without, shared), new ImageDocument(document)];
      assert.equal(split.withLink(signLink), whole.withLink(signLink));
      assert.equal(split.withLink(signLink, ['artist']), whole.withLink(signLink, ['artist']));
    }),
  );
});

test('updates an entry and its position by name, but not an entry of another kind with the same id', () => {
  const category = (id: string, name: string) => ({ id, name, description: '', nsfw: false, createdAt: 't' });
  const stored = {
    ...image('x'),
    categories: [category('1', 'a'), category('2', 'b')],
    characters: [{ ...category('1', 'a'), source: 's' }] as unknown as StoredImage['characters'],
  };
  const changed = category('1', 'c');
  const entry = {
    kind: 'category' as const,
    id: '1',
    name: 'c',
    createdAt: 't',
    document: JSON.stringify(changed),
  };
  const { categories, characters } = readDocument(updateEntry(write(stored), entry));
  assert.equal(
    updateEntry(`${write(stored)}\n20 AAAA`, entry),
    `${updateEntry(write(stored), entry)}\n20 AAAA`,
  );
  assert.deepEqual(categories, [category('2', 'b'), changed]);
  assert.deepEqual(characters, stored.characters);
});

test('removes only the aspect ratio of the image itself', () => {
  const { meta, categories } = JSON.parse(
    withoutAspectRatio(new ImageDocument(write(image('x'))).withLink(signLink)),
  );
  assert.deepEqual(meta.dimens, { width: 300, height: 200, orientation: 'landscape' });
  assert.equal(categories[0].description, '"aspectRatio":"1:1",');
});

const shapes: [number, number, string, string][] = [
  [1920, 1080, '16:9', 'landscape'],
  [1080, 1920, '9:16', 'portrait'],
  [500, 500, '1:1', 'square'],
  [997, 1009, '997:1009', 'portrait'],
];
for (const [width, height, aspectRatio, orientation] of shapes) {
  test(`${width} x ${height} is ${aspectRatio}, ${orientation}`, () => {
    assert.deepEqual(dimensions(width, height), { width, height, aspectRatio, orientation });
  });
}
