/** Kept documents: what was put in comes out, of no other version, and never more than there is room for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { composeDocument, dimensions } from '../../../src/catalogue/document.ts';
import { ImageDocument } from '../../../src/catalogue/image-document.ts';
import { DocumentCache } from '../../../src/store/sqlite/document-cache.ts';

function emptyDocuments(bytes: number): DocumentCache {
  const documents = new DocumentCache(bytes);
  documents.forget(1000);
  return documents;
}

/** As the store adds what it has read. */
function add(documents: DocumentCache, image: number, document: string): void {
  documents.add(image, document, new ImageDocument(document).extraBytes);
}

const signLink = (name: string, key: string) => ({
  url: `https://example.org/${name}#${key}`,
  expires: 'later',
});

function documentOf(text: string, character = text): string {
  return composeDocument(
    {
      id: '40000000-0000-4000-8000-000000000001',
      artist: null,
      source: { name: text, url: 'https://example.org/' },
      nsfw: 'sfw',
      createdAt: '2026-01-01T00:00:00.000Z',
      meta: { eTag: 'e', size: 5, mimetype: 'image/png', color: '#000000', dimens: dimensions(3, 2) },
    },
    'ab/cd.png',
    [],
    [JSON.stringify({ name: character, occupations: [character], createdAt: 't' })],
  );
}

test('what was added comes back as it was, whatever it is made of', () => {
  const documents = emptyDocuments(1024 * 1024);
  const texts = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  let image = 0;
  fc.assert(
    fc.property(texts, texts, (text, character) => {
      const document = documentOf(text, character);
      add(documents, ++image, document);
      const [kept, fresh] = [documents.get(image), new ImageDocument(document)];
      assert.equal(kept?.withLink(signLink), fresh.withLink(signLink));
      assert.equal(kept?.extraBytes, fresh.extraBytes);
    }),
  );
});

test('what is forgotten is gone, and there is room again', () => {
  const documents = emptyDocuments(10_000);
  add(documents, 7, documentOf('before'));
  assert.ok(documents.get(7));
  documents.forget(1000);
  assert.equal(documents.get(7), undefined);
  add(documents, 7, documentOf('after'));
  assert.match(documents.get(7)?.withLink(signLink) ?? '', /after/);
});

test('when it is full, the rest is not kept, and what is kept stays as it was', () => {
  const documents = emptyDocuments(20_000);
  const count = 200;
  for (let image = 0; image < count; image++)
    add(documents, image, documentOf(`image ${image} 図鑑`, 'same'));
  const kept = Array.from({ length: count }, (_, image) => documents.get(image)).filter((it) => it);
  assert.ok(kept.length > 20 && kept.length < 50, `${kept.length} are kept`);
  kept.forEach((it, image) => {
    assert.equal(
      it?.withLink(signLink),
      new ImageDocument(documentOf(`image ${image} 図鑑`, 'same')).withLink(signLink),
    );
  });
});

test('a document that is too long for it is not kept, and does no harm', () => {
  const documents = emptyDocuments(1024 * 1024);
  add(documents, 1, documentOf('x'.repeat(100_000)));
  add(documents, 2, documentOf('fits'));
  assert.equal(documents.get(1), undefined);
  assert.ok(documents.get(2));
});
