/** Which thumbnails an image has, how large they are, and which one is wide enough. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chooseSizes,
  composeDocument,
  dimensions,
  fileKeys,
  findUnused,
  formatPreviews,
  isUpToDate,
  MAX_PREVIEWS_LENGTH,
  originalKey,
  parsePreviews,
  possibleOriginals,
  replacePreviews,
  thumbnailDimensions,
  thumbnailKey,
} from '../../src/catalogue/documents/document.ts';
import { ImageDocument, type SignLink } from '../../src/catalogue/documents/image-document.ts';
import { NO_DETAILS } from '../../src/catalogue/schemas.ts';

const id = '40000000-0000-4000-8000-000000000001';
const side = fc.integer({ min: 1, max: 20_000 });
const sizeLists = fc
  .uniqueArray(fc.integer({ min: 16, max: 8192 }), { maxLength: 8 })
  .map((sizes) => sizes.sort((a, b) => a - b));
const thumbHashes = fc
  .uint8Array({ minLength: 5, maxLength: 33 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));

function documentOf(width: number, height: number, previews?: string, key = 'ab/cd.jpg'): string {
  const dimens = dimensions(width, height);
  const meta = { eTag: 'tag', size: 1, mimetype: 'image/jpeg' as const, color: '#000000', dimens };
  const source = { name: '', url: '' };
  const image = { id, artist: id, source, nsfw: 'sfw' as const, createdAt: '2026-01-01T00:00:00.000Z', meta };
  return composeDocument({ ...image, ...NO_DETAILS }, key, '{"name":"図鑑"}', [], [], previews);
}

test('no thumbnail is as large as the original, and an animation has at least one', () => {
  fc.assert(
    fc.property(sizeLists, side, side, fc.boolean(), (thumbnailSizes, width, height, isAnimated) => {
      const longest = Math.max(width, height);
      const sizes = chooseSizes(thumbnailSizes, { width, height }, isAnimated);
      if (isAnimated && thumbnailSizes.length > 0 && (thumbnailSizes[0] ?? 0) >= longest)
        assert.deepEqual(sizes, [longest]);
      else
        assert.deepEqual(
          sizes,
          thumbnailSizes.filter((size) => size < longest),
        );
      for (const size of sizes) {
        const scaled = thumbnailDimensions({ width, height }, size);
        assert.equal(Math.max(scaled.width, scaled.height), size);
        assert.ok(scaled.width >= 1 && scaled.height >= 1);
      }
      const jpeg = { dimens: { width, height }, mimetype: 'image/jpeg' as const };
      const gif = { dimens: { width, height }, mimetype: 'image/gif' as const };
      assert.ok(isUpToDate({ sizes, thumbHash: 'AAAA', isAnimated }, thumbnailSizes, gif));
      // Recorded before animations were.
      assert.ok(!isUpToDate({ sizes, thumbHash: 'AAAA' }, thumbnailSizes, gif));
      if (!isAnimated) assert.ok(isUpToDate({ sizes, thumbHash: 'AAAA' }, thumbnailSizes, jpeg));
      assert.ok(!isUpToDate(undefined, thumbnailSizes, jpeg));
    }),
  );
});

test('recorded previews are short, and nothing else is taken for them', () => {
  fc.assert(
    fc.property(sizeLists, thumbHashes, fc.boolean(), fc.string(), (sizes, thumbHash, isAnimated, other) => {
      const text = formatPreviews({ sizes, thumbHash, isAnimated });
      assert.ok(text.length < MAX_PREVIEWS_LENGTH);
      assert.deepEqual(parsePreviews(text), { sizes, thumbHash, isAnimated });
      // As versions up to 0.3 recorded them.
      assert.equal(formatPreviews({ sizes, thumbHash }), `${sizes.join()} ${thumbHash}`);
      assert.deepEqual(parsePreviews(`${sizes.join()} ${thumbHash}`), { sizes, thumbHash });
      assert.equal(parsePreviews(JSON.stringify({ name: other })), undefined);
    }),
  );
});

test('width picks the smallest thumbnail that is wide enough, or else the original', () => {
  const signLink: SignLink = ({ fileName, key }) => ({ url: `${fileName} ${key}`, expires: '' });
  fc.assert(
    fc.property(sizeLists, side, side, side, (thumbnailSizes, width, height, minWidth) => {
      const sizes = chooseSizes(thumbnailSizes, { width, height }, false);
      const document = documentOf(width, height, formatPreviews({ sizes, thumbHash: 'AAAA' }));
      const { url } = new ImageDocument(document).linkOfWidth(minWidth, signLink);
      const widths = sizes.map((size) => Math.max(1, Math.round((width * size) / Math.max(width, height))));
      const chosen = sizes[widths.findIndex((width) => width >= minWidth)];
      const expected =
        chosen === undefined
          ? `${id}.jpg ab/cd.jpg`
          : `${id}-${chosen}.webp thumbnails/${chosen}/ab/cd.jpg.webp`;
      assert.equal(url, expected);
    }),
  );
});

test('a document without previews has no thumbnails, and keeps its public JSON when it gets some', () => {
  const signLink: SignLink = ({ fileName }) => ({ url: fileName, expires: 'then' });
  const before = documentOf(1000, 500);
  const after = replacePreviews(before, '100,300 AAAA');
  const [old, current] = [new ImageDocument(before), new ImageDocument(after)];
  assert.equal(current.withLink(signLink), old.withLink(signLink));
  assert.equal(current.withLink(signLink, ['artist']), old.withLink(signLink, ['artist']));
  const metaOf = (image: ImageDocument) => image.toImage(signLink, ['artist', 'thumbnails']).meta;
  assert.deepEqual(metaOf(old), {
    ...old.toImage(signLink).meta,
    thumbnails: [],
    animated: false,
  });
  assert.deepEqual(metaOf(current).thumbHash, 'AAAA');
  assert.deepEqual(metaOf(current).thumbnails, [
    { url: `${id}-100.webp`, width: 100, height: 50, mimetype: 'image/webp' },
    { url: `${id}-300.webp`, width: 300, height: 150, mimetype: 'image/webp' },
  ]);
  assert.equal(replacePreviews(after, '100 BBBB'), documentOf(1000, 500, '100 BBBB'));
});

test('a file is used if an image records it, whatever the keys look like', () => {
  const keys = fc.constantFrom('a.jpg', 'b/c.png', 'thumbnails/50/a.jpg.webp', 'thumbnails/x.webp');
  const images = fc.array(fc.record({ key: keys, sizes: fc.subarray([20, 50]) }));
  fc.assert(
    fc.property(images, (images) => {
      const rows = images.map(({ key, sizes }) => {
        return { key, document: documentOf(100, 100, formatPreviews({ sizes, thumbHash: 'AAAA' }), key) };
      });
      const used = new Set(rows.flatMap(fileKeys));
      const all = ['a.jpg', 'b/c.png', 'thumbnails/50/a.jpg.webp', 'thumbnails/x.webp'].flatMap((key) => [
        key,
        thumbnailKey(key, 20),
        thumbnailKey(key, 50),
      ]);
      const candidates = possibleOriginals(all);
      const found = rows.filter(({ key }) => candidates.includes(key));
      const tails = found.map(({ key, document }) => ({ key, tail: document.slice(-MAX_PREVIEWS_LENGTH) }));
      assert.deepEqual(
        findUnused(all, tails),
        all.filter((key) => !used.has(key)),
      );
    }),
  );
  assert.equal(originalKey(thumbnailKey('b/c.png', 20)), 'b/c.png');
  assert.equal(originalKey('b/c.png'), undefined);
});
