/** How names are compared and sorted, against the bytes that the databases compare. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fold,
  foldName,
  normaliseLogged,
  normaliseName,
  normaliseTexts,
  sortByName,
} from '../../src/catalogue/names.ts';

const text = fc.string({ unit: fc.constantFrom(...'aAbBéÉe\u0301ſsＡ😀 ｱ') });
const named = fc.record({ name: text, id: fc.constantFrom('1', '2') });
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('orders names ignoring case, then by code point, then by id', () => {
  fc.assert(
    fc.property(named, named, (a, b) => {
      const expected =
        compareBytes(fold(a.name), fold(b.name)) || compareBytes(a.name, b.name) || compareBytes(a.id, b.id);
      assert.deepEqual(sortByName([a, b]), expected > 0 ? [b, a] : [a, b]);
    }),
  );
  const sorted = sortByName(['b', 'B', 'a', 'A', 'é', 'É', 'z', '😀', 'ｱ'].map((name) => ({ name, id: '' })));
  assert.deepEqual(
    sorted.map(({ name }) => name),
    ['A', 'a', 'B', 'b', 'z', 'É', 'é', 'ｱ', '😀'],
  );
});

test('a name is in NFC, whatever it contains', () => {
  const any = fc.string({ unit: fc.constantFrom(...'aé\u02ff\u0300\u0301e図か\u3099😀') });
  fc.assert(fc.property(any, (name) => assert.equal(normaliseName(name), name.normalize('NFC'))));
  for (let code = 0; code < 0x300; code++) {
    const character = String.fromCharCode(code);
    assert.equal(character.normalize('NFC'), character);
  }
});

test('names in any form and case have the same key', () => {
  for (const name of ['Café', 'CAFÉ', 'Cafe\u0301', 'CAFE\u0301']) assert.equal(foldName(name), 'café');
  fc.assert(fc.property(text, (name) => assert.equal(foldName(name.normalize('NFD')), foldName(name))));
});

test('normalises texts, but not the JSON that contains them', () => {
  assert.deepEqual(normaliseTexts({ a: ['e\u0301', 1, null], b: { c: 'e\u0301' } }), {
    a: ['é', 1, null],
    b: { c: 'é' },
  });
  // In JSON, the line feed is a backslash and an n, which the mark would join.
  const document = JSON.stringify({ id: '1', name: 'e\u0301', description: 'a\n\u0303' });
  const logged = normaliseLogged({ name: 'e\u0301', createdAt: 'x', document, aliases: ['o\u0308'] });
  assert.equal(
    JSON.stringify(logged),
    JSON.stringify({
      name: 'é',
      createdAt: 'x',
      document: JSON.stringify({ id: '1', name: 'é', description: 'a\n\u0303' }),
      aliases: ['ö'],
    }),
  );
});
