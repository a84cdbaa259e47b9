/** The document cache returns what was added, for one version only, within its memory limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { composeDocument, dimensions } from '../../../src/catalogue/document.ts';
import { ImageDocument } from '../../../src/catalogue/image-document.ts';
import { DocumentCache } from '../../../src/store/sqlite/document-cache.ts';

function emptyDocuments(bytes: number): DocumentCache {
  const documents = new DocumentCache(bytes);
  documents.clear(1000);
  return documents;
}

function add(documents: DocumentCache, image: number, document: string): void {
  documents.add(image, document, new ImageDocument(document).extraBytes);
}

const signLink = (name: string, key: string) => ({
  url: `https://example.org/${name}#${key}`,
  expires: 'later',
});

function documentOf(text: string, character = text, previews?: string): string {
  return composeDocument(
    {
      id: '40000000-0000-4000-8000-000000000001',
      artist: '20000000-0000-4000-8000-000000000001',
      source: { name: text, url: 'https://example.org/' },
      nsfw: 'sfw',
      createdAt: '2026-01-01T00:00:00.000Z',
      meta: { eTag: 'e', size: 5, mimetype: 'image/png', color: '#000000', dimens: dimensions(3, 2) },
    },
    'ab/cd.png',
    JSON.stringify({ id: '20000000-0000-4000-8000-000000000001', name: text, url: character }),
    [],
    [JSON.stringify({ name: character, occupations: [character], createdAt: 't' })],
    previews,
  );
}

test('returns any document as it was added', () => {
  const documents = emptyDocuments(1024 * 1024);
  const texts = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  const previews = fc.constantFrom(' AAAA', '1 AAAA', '1,2 VToDBYB3d3d4iIh4iIeHj3h9gNcH');
  let image = 0;
  fc.assert(
    fc.property(texts, texts, fc.option(previews, { nil: undefined }), (text, character, previews) => {
      const document = documentOf(text, character, previews);
      add(documents, ++image, document);
      const [cached, fresh] = [documents.get(image), new ImageDocument(document)];
      assert.equal(cached?.withLink(signLink), fresh.withLink(signLink));
      for (const include of [['artist'], ['thumbnails'], ['artist', 'thumbnails']] as const)
        assert.equal(cached?.withLink(signLink, include), fresh.withLink(signLink, include));
      assert.equal(cached?.extraBytes, fresh.extraBytes);
    }),
  );
});

test('clearing it removes every document and frees the memory', () => {
  const documents = emptyDocuments(10_000);
  add(documents, 7, documentOf('before'));
  assert.ok(documents.get(7));
  documents.clear(1000);
  assert.equal(documents.get(7), undefined);
  add(documents, 7, documentOf('after'));
  assert.match(documents.get(7)?.withLink(signLink) ?? '', /after/);
});

test('adds nothing when it is full, and keeps what it has', () => {
  const documents = emptyDocuments(20_000);
  const count = 200;
  for (let image = 0; image < count; image++)
    add(documents, image, documentOf(`image ${image} 図鑑`, 'same'));
  const cached = Array.from({ length: count }, (_, image) => documents.get(image)).filter((it) => it);
  assert.ok(cached.length > 20 && cached.length < 50, `${cached.length} are cached`);
  cached.forEach((it, image) => {
    assert.equal(
      it?.withLink(signLink),
      new ImageDocument(documentOf(`image ${image} 図鑑`, 'same')).withLink(signLink),
    );
  });
});

test('does not cache a document that is too long', () => {
  const documents = emptyDocuments(1024 * 1024);
  add(documents, 1, documentOf('x'.repeat(100_000)));
  add(documents, 2, documentOf('fits'));
  assert.equal(documents.get(1), undefined);
  assert.ok(documents.get(2));
});
