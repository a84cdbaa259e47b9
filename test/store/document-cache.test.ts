/** The document cache returns what was added, as long as it is current, within its memory limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ImageDocument, type SignLink } from '../../src/catalogue/documents/image-document.ts';
import { DocumentCache } from '../../src/store/document-cache/cache.ts';
import { DocumentCacheWriter } from '../../src/store/document-cache/filler.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { documentWith } from '../support/catalogues/document.ts';
import { character, codePoint } from '../support/characters.ts';
import { until } from '../support/until.ts';
import { documentAt, IMAGES, isChangedIn, startReaders } from './cache-readers.ts';

/** A cache for changes up to number 1, and its writer. */
function emptyCache(bytes: number) {
  const memory = new SharedArrayBuffer(bytes);
  const writer = new DocumentCacheWriter(memory);
  writer.reset(1000, 1);
  return { memory, writer, cache: new DocumentCache(memory) };
}

const signLink: SignLink = ({ fileName: name, key }) => ({
  url: `https://example.org/${name}#${key}`,
  expires: 'later',
});

const documentOf = (text: string, character = text, previews?: string, title = ''): string =>
  documentWith({
    title,
    source: text,
    artist: { id: uuid(2, 1), name: text, url: character },
    characters: [{ name: character, occupations: [character], createdAt: 't' }],
    previews,
  });

test('returns any document as it was added', () => {
  const { memory, writer, cache } = emptyCache(4 * 1024 * 1024);
  const texts = fc.oneof(fc.string(), fc.string({ unit: character }), fc.string({ unit: codePoint }));
  const previews = fc.constantFrom(' AAAA', '1 AAAA', '1,2 VToDBYB3d3d4iIh4iIeHj3h9gNcH');
  let image = 0;
  fc.assert(
    fc.property(
      texts,
      texts,
      fc.option(previews, { nil: undefined }),
      texts,
      (text, character, previews, title) => {
        const document = documentOf(text, character, previews, title);
        assert.ok(writer.add(++image, document));
        assertCached(cache, image, document);
        // As in another thread.
        assertCached(new DocumentCache(memory), image, document);
      },
    ),
  );
});

function assertCached(cache: DocumentCache, image: number, document: string, revision = 1): void {
  const [cached, fresh] = [cache.get([image], revision)[0], new ImageDocument(document)];
  assert.equal(cached?.withLink(signLink), fresh.withLink(signLink));
  for (const include of [
    ['artist'],
    ['thumbnails'],
    ['details'],
    ['artist', 'thumbnails', 'details'],
  ] as const)
    assert.equal(cached?.withLink(signLink, include), fresh.withLink(signLink, include));
}

test('resetting it removes every document and frees the memory', () => {
  const { writer, cache } = emptyCache(20_000);
  writer.add(7, documentOf('before', 'same'));
  assertCached(cache, 7, documentOf('before', 'same'));
  writer.reset(1000, 1);
  assert.equal(cache.get([7], 1)[0], undefined);
  // Its shared texts take the place of the former ones.
  writer.add(7, documentOf('after', 'other'));
  assertCached(cache, 7, documentOf('after', 'other'));
});

test('a change removes what it changed, and nothing is returned for another revision', () => {
  const { writer, cache } = emptyCache(1024 * 1024);
  for (const image of [1, 2, 3]) writer.add(image, documentOf(`image ${image}`));
  const cached = (revision: number) => [1, 2, 3].filter((image) => cache.get([image], revision)[0]);
  assert.deepEqual([cached(1), cached(2)], [[1, 2, 3], []]);
  writer.remove([2], 2, false);
  assert.deepEqual([cached(1), cached(2)], [[], []]);
  writer.remove([], 3, true);
  assert.deepEqual([cached(1), cached(2), cached(3)], [[], [], [1, 3]]);
  writer.add(2, documentOf('changed'));
  assertCached(cache, 2, documentOf('changed'), 3);
});

test('adds nothing when it is full, and keeps what it has', () => {
  const { writer, cache } = emptyCache(100_000);
  const documents = Array.from({ length: 400 }, (_, image) => documentOf(`image ${image} 図鑑`, 'same'));
  const added = documents.filter((document, image) => writer.add(image, document)).length;
  assert.ok(added > 50 && added < 150, `${added} are cached`);
  for (let image = 0; image < added; image++) assertCached(cache, image, documents[image] as string);
});

test('stores documents whole when the shared texts have used up their part of the memory', () => {
  const { writer, cache } = emptyCache(300_000);
  const documents = Array.from({ length: 70 }, (_, image) =>
    documentOf('same', `${image} ${'x'.repeat(400)}`),
  );
  documents.forEach((document, image) => {
    assert.ok(writer.add(image, document));
  });
  documents.forEach((document, image) => {
    assertCached(cache, image, document);
  });
});

test('does not cache an image without room for its address, or a document that is too long', () => {
  const { writer, cache } = emptyCache(1024 * 1024);
  assert.ok(writer.add(1, documentOf('x'.repeat(100_000))));
  assert.ok(writer.add(writer.maxImage + 1, documentOf('fits')));
  assert.ok(writer.add(2, documentOf('fits')));
  assert.deepEqual(
    cache.get([1, 2, writer.maxImage + 1], 1).map((document) => document !== undefined),
    [false, true, false],
  );
});

test('has addresses for a tenth more images than at the reset, as far as the memory allows', () => {
  const { writer } = emptyCache(4 * 1024 * 1024);
  assert.ok(writer.hasAddressesUpTo(1100) && !writer.hasAddressesUpTo(300_000));
  writer.reset(300_000, 1);
  assert.ok(writer.hasAddressesUpTo(330_000) && !writer.hasAddressesUpTo(500_000));
  writer.reset(500_000, 1);
  assert.ok(writer.hasAddressesUpTo(500_000_000));
});

test('threads that read while documents change find each as it was after their revision, or not at all', async () => {
  const memory = new SharedArrayBuffer(200_000);
  const writer = new DocumentCacheWriter(memory);
  const readers = startReaders(memory, 2);
  const images = Array.from({ length: IMAGES }, (_, index) => index + 1);
  const found = () => Atomics.load(readers.counts, 0);
  for (let revision = 1; revision <= 400; revision++) {
    const changed = images.filter((image) => isChangedIn(revision, image));
    if (revision === 1 || writer.isWasteful) writer.reset(IMAGES, revision);
    else writer.remove(changed, revision, true);
    for (const image of images) if (!writer.has(image)) writer.add(image, documentAt(revision, image));
    const goal = found() + 1;
    // Otherwise they might not get a turn at all.
    if (revision % 20 === 0) await until('documents are found', () => found() >= goal);
  }
  await readers.stop();
  assert.equal(readers.counts[1], 0, 'no document is wrong');
  assert.ok(found() > 1000, `${found()} were found`);
});
