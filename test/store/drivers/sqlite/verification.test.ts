/** Documents are verified whole, with and without previews. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dimensions } from '../../../../src/catalogue/documents/document.ts';
import { DamagedError, DocumentVerifier } from '../../../../src/store/drivers/sqlite/database.ts';
import { documentWith } from '../../../support/catalogues/document.ts';

const document = documentWith({ dimens: dimensions(300, 200) });

function verify(document: string): void {
  new DocumentVerifier(1).verify(1, document);
}

test('accepts a document without previews, and one with them', () => {
  for (const end of ['', '\n AAAA', '\n20,100 VToDBYB3d3d4iIh4iIeHj3h9gNcH']) verify(document + end);
});

const details = '\n{"title":"a","description":"","takenAt":""}\n"a.png"';

const rights = details.replace('"a.png"', '{"fileName":"a.png","licence":"CC0 1.0","alt":"a"}');

test('accepts a document with details', () => {
  for (const end of ['', '\n20 AAAA']) for (const known of [details, rights]) verify(document + known + end);
});

test('rejects damaged details', () => {
  for (const end of [
    details.slice(0, -1),
    details.replace('"a"', '5'),
    `${details}\n`,
    details.replace(':""', ''),
    rights.replace('"CC0 1.0"', '5'),
    rights.slice(0, -2),
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
