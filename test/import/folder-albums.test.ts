/** What an import makes of the pictures of a folder that becomes an album. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_ALBUM_IMAGES } from '../../src/catalogue/writer.ts';
import { planFolderAlbum } from '../../src/import/plan/entry.ts';

const files = (...names: string[]) => names.map((name) => ({ path: `/p/${name}.png`, image: name }));
const everything = { has: () => true } as unknown as Set<string>;

test('a new album has the pictures in natural order, each once', () => {
  const pictures = files('10', '9', 'a', '09', '9');
  const added = new Set(pictures.map(({ image }) => image));
  const plan = planFolderAlbum({ files: pictures, added, isFirst: false }, undefined, everything);
  assert.deepEqual(plan?.images.toSorted(), ['09', '10', '9', 'a']);
  assert.deepEqual(plan?.images.slice(-2), ['10', 'a']);
});

test('an album that exists only gets new images, at its end', () => {
  const album = { files: files('1', '2', '3', '4'), added: new Set(['2', '4']), isFirst: true };
  assert.deepEqual(planFolderAlbum(album, ['3', 'x'], everything)?.images, ['3', 'x', '2', '4']);
  assert.deepEqual(planFolderAlbum({ ...album, added: new Set() }, ['3'], everything)?.images, ['3']);
});

test('an album that was removed is not made again, until that is chosen anew', () => {
  const album = { files: files('1', '2'), added: new Set(['2']), isFirst: false };
  assert.equal(planFolderAlbum(album, undefined, everything), undefined);
  assert.deepEqual(planFolderAlbum({ ...album, isFirst: true }, undefined, everything)?.images, ['1', '2']);
  assert.deepEqual(planFolderAlbum({ ...album, isFirst: true }, undefined, new Set(['2']))?.images, ['2']);
});

test('an album has no more images than it may have', () => {
  const pictures = files(...Array.from({ length: MAX_ALBUM_IMAGES + 2 }, (_, index) => String(index)));
  const added = new Set(pictures.map(({ image }) => image));
  const plan = planFolderAlbum({ files: pictures, added, isFirst: false }, undefined, everything);
  assert.deepEqual([plan?.images.length, plan?.images.at(-1), plan?.left], [10_000, '9999', 2]);
});
