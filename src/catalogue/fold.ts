/**
 * The one case folding: names are compared and searched in this form, and so are patterns.
 * It works code point by code point (a name keeps its length), so `_` in a pattern stays one character.
 */

/** Upper-casing the dotless ı gives I, which would make it the same letter as i. */
const DOTLESS_I = 'ı';
/** The blocks of 256 characters in which any has a case (a test looks at the others): all would take 50 ms, not 5. */
const CASED_BLOCKS = [
  ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x13, 0x1c, 0x1d, 0x1e, 0x1f, 0x21, 0x24, 0x2c, 0x2d],
  ...[0xa6, 0xa7, 0xab, 0xfb, 0xff, 0x104, 0x105, 0x10c, 0x10d, 0x118, 0x16e, 0x1e9],
];

export function fold(text: string): string {
  return text.replaceAll(/[A-Z\u{80}-\u{10ffff}]/gu, foldCharacter);
}

export function foldCharacter(character: string): string {
  return tables().folded.get(character) ?? character;
}

/** Every character that folds to this one, itself included. It has to be a folded one. */
export function charactersFoldingTo(folded: string): string[] {
  return tables().unfolded.get(folded) ?? [folded];
}

interface Tables {
  /** The characters that are not their own folding. */
  folded: Map<string, string>;
  unfolded: Map<string, string[]>;
}

let kept: Tables | undefined;

/** Worked out when they are first needed. */
function tables(): Tables {
  if (kept) return kept;
  kept = { folded: new Map(), unfolded: new Map() };
  for (const character of casedCharacters()) {
    const folded = workOut(character);
    if (folded === character) continue;
    kept.folded.set(character, folded);
    kept.unfolded.set(folded, [...(kept.unfolded.get(folded) ?? [folded]), character]);
  }
  return kept;
}

function* casedCharacters(): Generator<string, void> {
  for (const block of CASED_BLOCKS)
    for (let low = 0; low < 256; low++) yield String.fromCodePoint(block * 256 + low);
}

function workOut(character: string): string {
  if (character === DOTLESS_I) return character;
  // By way of upper case, so that σ and ς, or s and ſ, meet. A mapping to several characters (ß to SS) is no folding.
  const upper = character.toUpperCase();
  const lower = (isOneCharacter(upper) ? upper : character).toLowerCase();
  return isOneCharacter(lower) ? lower : character;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}
