/** Documents: what is written is read back, and filled without a trace of the holes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  byNameThenId,
  composeDocument,
  dimensions,
  listsIn,
  readDocument,
  repeatEntry,
  type StoredImage,
} from '../../src/catalogue/document.ts';
import { ImageDocument, withoutAspectRatio } from '../../src/catalogue/image-document.ts';

const image = (text: string): StoredImage => ({
  id: '40000000-0000-4000-8000-000000000001',
  artist: null,
  source: { name: text, url: 'https://example.org/' },
  nsfw: 'sfw',
  categories: [{ id: 'c', name: text, description: '"aspectRatio":"1:1",', nsfw: true, createdAt: 't' }],
  characters: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  meta: { eTag: 'e', size: 5, mimetype: 'image/jpeg', color: '#000000', dimens: dimensions(300, 200) },
});

const texts = (entries: object[]) => entries.map((entry) => JSON.stringify(entry));
const write = (image: StoredImage, key = 'ab/cd.jpg') =>
  composeDocument(image, key, texts(image.categories), texts(image.characters));

const signLink = (name: string) => ({
  url: `https://example.org/files/${name}`,
  expires: '2026-01-01T01:00:00.000Z',
});

test('any text survives being stored and filled', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const stored = image(text);
      const document = write(stored);
      assert.deepEqual(readDocument(document), JSON.parse(JSON.stringify(stored)));
      const { url, meta, ...rest } = JSON.parse(new ImageDocument(document).withLink(signLink));
      const { expires, ...facts } = meta;
      assert.equal(url, `https://example.org/files/${stored.id}.jpg`);
      assert.equal(expires, '2026-01-01T01:00:00.000Z');
      assert.deepEqual({ ...rest, meta: facts }, stored);
    }),
  );
});

test('a link may be made of the key of the bytes, whatever is in it', () => {
  const key = 'some/"odd\' name%+ö.jpg';
  const filled = new ImageDocument(write(image('x'), key)).withLink((_name, key) => ({
    url: encodeURI(key),
    expires: 't',
  }));
  assert.equal(JSON.parse(filled).url, encodeURI(key));
  assert.deepEqual(readDocument(write(image('x'), key)), image('x'));
});

test('how many bytes it has more than characters is known, whatever it and its key are made of', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (text, key) => {
      const linkable = new ImageDocument(write(image(text), key.replaceAll('\n', '')));
      const json = linkable.withLink(signLink);
      assert.equal(json.length + linkable.extraBytes, Buffer.byteLength(json));
    }),
  );
});

test('the lists of a document can be taken out and put back, whatever they are made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (text, occupations) => {
      const document = write({
        ...image(`"categories":[${text}],"createdAt":"`),
        characters: [{ id: 'x', occupations, createdAt: 't' }] as unknown as StoredImage['characters'],
      });
      const { start, middle, end } = listsIn(document);
      assert.deepEqual(Object.keys(JSON.parse(`{${document.slice(start, middle)}]}`)), ['categories']);
      const lists = document.slice(start, end);
      assert.deepEqual(Object.keys(JSON.parse(`{${lists}]}`)), ['categories', 'characters']);
      const without = document.slice(0, start) + document.slice(end);
      const apart = new ImageDocument(without, { text: lists, place: start });
      const whole = new ImageDocument(document);
      assert.equal(apart.withLink(signLink), whole.withLink(signLink));
      assert.equal(apart.extraBytes, whole.extraBytes);
    }),
  );
});

test('an entry is repeated as it is now, in its place by name, and no other of the same id', () => {
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
  const { categories, characters } = readDocument(repeatEntry(write(stored), entry));
  assert.deepEqual(categories, [category('2', 'b'), changed]);
  assert.deepEqual(characters, stored.characters);
});

test('only the image’s own aspect ratio is left out', () => {
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

test('names are ordered by code point, as UTF-8 is by byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const ours = Math.sign(byNameThenId({ name: a, id: '' }, { name: b, id: '' }));
      assert.equal(ours, Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  const [emoji, halfWidth] = ['😀', 'ｱ'];
  assert.ok(byNameThenId({ name: halfWidth, id: '' }, { name: emoji, id: '' }) < 0);
  assert.ok(byNameThenId({ name: 'a', id: '2' }, { name: 'a', id: '1' }) > 0);
});
