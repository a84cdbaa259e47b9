/** The pure plans: edits of images, and names that someone may have meant. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dimensions } from '../../src/catalogue/documents/document.ts';
import {
  entryDifferences,
  formatEdited,
  imageDifferences,
  parseEdited,
  placeImage,
  planEdit,
} from '../../src/catalogue/documents/edit-image.ts';
import { type Kind, NO_DETAILS } from '../../src/catalogue/schemas.ts';
import { nearNames } from '../../src/catalogue/search/name-words.ts';
import type { FixedShelves, SavedEntry, SavedImage } from '../../src/catalogue/writer.ts';
import { keepDecisions, planEdited } from '../../src/import/plan/image.ts';
import type { ImageLine } from '../../src/import/records/record.ts';
import { uuid } from '../support/catalogues/catalogue.ts';

const fixedShelves: FixedShelves = {
  catalogue: 1,
  rating: { sfw: 2, questionable: 3, nsfw: 4 },
  orientation: { landscape: 5, portrait: 6, square: 7 },
  type: { jpeg: 13, png: 14, webp: 15, gif: 16, avif: 17 },
  animated: 8,
};

function entry(kind: Kind, shelf: number, name: string): SavedEntry {
  const id = uuid(1, shelf);
  return { kind, shelf, id, name, createdAt: '', aliases: [], document: JSON.stringify({ id, name }) };
}

const [ann, bob] = [entry('artist', 10, 'Ann'), entry('artist', 11, 'Bob')];
const [cat, dog, fox] = [
  entry('category', 20, 'cat'),
  entry('category', 21, 'dog'),
  entry('category', 22, 'fox'),
];
const entries = { artist: ann, categories: [cat, dog], characters: [] };
const meta = {
  eTag: 'e',
  size: 1,
  mimetype: 'image/png' as const,
  color: '#000000',
  dimens: dimensions(2, 1),
};
const { row } = placeImage(
  { id: uuid(4, 1), key: 'k', eTag: 'e', mimetype: 'image/png', perceptualHash: null, edited: '' },
  { source: { name: 's', url: '' }, nsfw: 'sfw', createdAt: '2026-01-01T00:00:00.000Z', ...NO_DETAILS, meta },
  entries,
  undefined,
  fixedShelves,
);
const image: SavedImage = { ...row, number: 1 };

describe('planEdit', () => {
  test('changes fields, shelves and marks, and says what changed', () => {
    const change = { rating: 'nsfw' as const, artist: bob, categories: { add: [fox], remove: [cat] } };
    const planned = planEdit(image, entries, change, fixedShelves);
    assert.deepEqual(planned?.shelves, [1, 4, 5, 14, 11, 21, 22]);
    assert.equal(planned?.row.edited, 'artist categories rating by-hand');
    assert.equal(planned?.row.number, 1);
    assert.deepEqual(planned && imageDifferences(image, planned.row), [
      { field: 'rating', before: 'sfw', after: 'nsfw' },
      { field: 'artist', before: 'Ann', after: 'Bob' },
      { field: 'categories', before: 'cat, dog', after: 'dog, fox' },
      { field: 'edited', before: '', after: 'artist categories rating' },
    ]);
  });

  test('a part of the source keeps the other part', () => {
    const planned = planEdit(image, entries, { source: { url: 'https://example.org' } }, fixedShelves);
    assert.deepEqual(planned && imageDifferences(image, planned.row)[0], {
      field: 'source',
      before: 's',
      after: 's https://example.org',
    });
  });

  test('a value that is there already is marked as decided, once', () => {
    const planned = planEdit(image, entries, { rating: 'sfw' }, fixedShelves);
    assert.deepEqual(planned && imageDifferences(image, planned.row), [
      { field: 'edited', before: '', after: 'rating' },
    ]);
    const marked = { ...image, edited: 'rating' };
    assert.equal(planEdit(marked, entries, { rating: 'sfw' }, fixedShelves), undefined);
    const reset = planEdit(marked, entries, { reset: ['rating', 'artist'] }, fixedShelves);
    assert.equal(reset?.row.edited, '');
    assert.equal(reset?.row.document, image.document);
  });
});

test('the images of an album are counted', () => {
  const differenceOf = (before: string[], after: string[]) =>
    entryDifferences({ document: '{}', images: before }, { document: '{}', images: after });
  assert.deepEqual(differenceOf(['a', 'b'], ['b', 'c', 'd']), [
    { field: 'images', before: '2', after: '3 (2 added, 1 removed)' },
  ]);
  assert.deepEqual(differenceOf(['a', 'b'], ['b', 'a']), [
    { field: 'images', before: '2', after: '2 (in another order)' },
  ]);
  assert.deepEqual(differenceOf([], ['a']), [{ field: 'images', before: '', after: '1' }]);
  assert.deepEqual(differenceOf(['a'], ['a']), []);
});

describe('imports', () => {
  const record: ImageLine = { type: 'image', nsfw: 'questionable', artist: 'New', categories: ['new'] };

  test('a folder keeps the fields that are decided', () => {
    const decided = { ...image, edited: 'categories rating' };
    assert.deepEqual(keepDecisions(record, decided), {
      ...record,
      nsfw: 'sfw',
      categories: [cat.id, dog.id],
    });
    const open = keepDecisions({ ...record, openFields: ['nsfw', 'source'] }, decided);
    assert.deepEqual([open.nsfw, open.openFields], ['sfw', ['source']]);
    assert.equal(keepDecisions(record, image), record);
    assert.equal(keepDecisions(record, undefined), record);
  });

  test('a folder may lower a rating that nobody decided, but not that of a former file', () => {
    const nsfw = { ...image, document: image.document.replace('"nsfw":"sfw"', '"nsfw":"nsfw"') };
    const ratingWith = (edited: string) => keepDecisions(record, { ...nsfw, edited }).nsfw;
    assert.deepEqual(['artist', 'artist file-changed', 'rating'].map(ratingWith), [
      ...['questionable', 'nsfw', 'nsfw'],
    ]);
  });

  test('a catalogue file decides the fields that it gives, or those it says; a folder none', () => {
    assert.equal(planEdited(record, undefined), 'artist categories rating');
    assert.equal(planEdited({ ...record, source: null }, undefined), 'artist categories rating source');
    assert.equal(planEdited({ ...record, edited: ['source', 'artist'] }, image), 'artist source');
    assert.equal(planEdited({ ...record, edited: [] }, { ...image, edited: 'rating' }), '');
    const byHand = { ...image, edited: 'by-hand rating' };
    assert.equal(planEdited({ ...record, edited: ['rating'] }, byHand), 'by-hand rating', 'nothing changes');
    assert.equal(planEdited({ ...record, edited: ['artist'] }, byHand), 'artist');
    assert.equal(planEdited({ ...record, isFromFolder: true }, { ...image, edited: 'rating' }), 'rating');
  });
});

test('marks are sorted, unique and known', () => {
  assert.equal(formatEdited(['source', 'artist', 'source']), 'artist source');
  assert.deepEqual(parseEdited('artist nonsense rating'), ['artist', 'rating']);
  assert.deepEqual(parseEdited(''), []);
});

test('near names ignore case, typing mistakes and missing parts', () => {
  const names = ['catgirl', 'cat ears', 'dog', 'CATGIRLS', 'Kimono'];
  assert.deepEqual(nearNames('catgril', names), ['catgirl', 'CATGIRLS']);
  assert.deepEqual(nearNames('Catgirl', names), ['catgirl', 'CATGIRLS']);
  assert.deepEqual(nearNames('ears', names), ['cat ears']);
  assert.deepEqual(nearNames('zzzzzz', names), []);
});
