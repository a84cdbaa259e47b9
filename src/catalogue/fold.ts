/**
 * The one case folding: names are compared, and later searched, in this form.
 * It works code point by code point (a name keeps its length), so `_` in a pattern stays one character.
 */

/** Upper-casing the dotless ı gives I, which would make it the same letter as i. */
const DOTLESS_I = 'ı';

export function fold(text: string): string {
  let folded = '';
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  if (character === DOTLESS_I) return character;
  // By way of upper case, so that σ and ς, or s and ſ, meet. A mapping to several characters (ß to SS) is no folding.
  const upper = character.toUpperCase();
  const lower = (isOneCharacter(upper) ? upper : character).toLowerCase();
  return isOneCharacter(lower) ? lower : character;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}
