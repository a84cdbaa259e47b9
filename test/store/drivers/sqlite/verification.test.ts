/** Documents are verified whole, with and without previews. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeDocument, dimensions } from '../../../../src/catalogue/documents/document.ts';
import { NO_DETAILS } from '../../../../src/catalogue/schemas.ts';
import { DamagedError, DocumentVerifier } from '../../../../src/store/drivers/sqlite/database.ts';

const artist = '20000000-0000-4000-8000-000000000001';
const document = composeDocument(
  {
    id: '40000000-0000-4000-8000-000000000001',
    artist,
    source: { name: '', url: '' },
    nsfw: 'sfw',
    createdAt: '2026-01-01T00:00:00.000Z',

    ...NO_DETAILS,
    meta: { eTag: 'e', size: 5, mimetype: 'image/png', color: '#000000', dimens: dimensions(300, 200) },
  },
  'ab/cd.png',
  JSON.stringify({ id: artist, name: 'a', url: '' }),
  [],
  [],
);

function verify(document: string): void {
  new DocumentVerifier(1).verify(1, document);
}

test('accepts a document without previews, and one with them', () => {
  for (const end of ['', '\n AAAA', '\n20,100 VToDBYB3d3d4iIh4iIeHj3h9gNcH']) verify(document + end);
});

const details = '\n{"title":"a","description":"","takenAt":""}\n"a.png"';

test('accepts a document with details', () => {
  for (const end of ['', '\n20 AAAA']) verify(document + details + end);
});

test('rejects damaged details', () => {
  for (const end of [
    details.slice(0, -1),
    details.replace('"a"', '5'),
    `${details}\n`,
    details.replace(':""', ''),
  ])
    assert.throws(() => verify(document + end), DamagedError, JSON.stringify(end));
});

test('rejects damaged previews', () => {
  for (const end of [
    '\n',
    '\n20',
    '\n20AAAA',
    '\n20, AAAA',
    '\n020 AAAA',
    '\n20 AA"A',
    '\n20 AAAA\n',
    '\n20 AAAA\nx',
  ])
    assert.throws(() => verify(document + end), DamagedError, JSON.stringify(end));
});
