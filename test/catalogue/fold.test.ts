/** Case folding keeps the number of characters and is idempotent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { charactersFoldingTo, fold } from '../../src/catalogue/names.ts';
import { atDepth } from '../support/depth.ts';

/** No letter of the planes above the second has an upper and a lower case. */
const LAST_CODE = atDepth(0x1ffff, 0x10ffff);

const same: [string, string][] = [
  ['Kimono', 'kIMONO'],
  ['É', 'é'],
  ['ΣΑΣ', 'σας'],
  ['K', 'k'],
  ['ẞ', 'ß'],
  ['ſ', 's'],
  ['Ж', 'ж'],
  ['𐐀', '𐐨'],
];
for (const [a, b] of same) {
  test(`${a} and ${b} are equal`, () => assert.equal(fold(a), fold(b)));
}

const different: [string, string][] = [
  ['ı', 'i'],
  ['İ', 'i'],
  ['ß', 'ss'],
  ['é', 'e'],
  ['か', 'カ'],
];
for (const [a, b] of different) {
  test(`${a} and ${b} are different`, () => assert.notEqual(fold(a), fold(b)));
}

test('folds every character to one character, idempotently, and lists it among those that fold to it', () => {
  for (let code = 0; code <= LAST_CODE; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const folded = fold(character);
    // A million messages would take longer than the checks.
    const isFound = charactersFoldingTo(folded).includes(character);
    if (folded === character && isFound) continue;
    assert.equal([...folded].length, 1, character);
    assert.equal(fold(folded), folded, `${character} folds further`);
    assert.ok(isFound, `${character} is not found from ${folded}`);
  }
});

test('folds each character of a text on its own', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'aAzZ09 ÉéİıΣςſ図𐐀😀', '\ud801', '\udc00'),
    fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const characters = [...units.join('')];
      assert.equal(fold(characters.join('')), characters.map(fold).join(''));
    }),
    { numRuns: atDepth(30, 1000) },
  );
});

test('makes a character equal to its upper and lower case, if those are single characters', () => {
  for (let code = 0; code <= LAST_CODE; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    for (const other of [character.toUpperCase(), character.toLowerCase()]) {
      if (other === character) continue;
      const isOwnCase = [...other].length === 1 && character !== 'ı';
      if (isOwnCase) assert.equal(fold(other), fold(character), `${character} ${other}`);
    }
  }
});
