/**
 * Case folding of names and search patterns: both are compared in this form.
 * Each code point folds to exactly one, so `_` in a pattern still matches one character of the original name.
 */

/** Not folded: its upper case is I, so it would become equal to i. */
const DOTLESS_I = 'ı';
/** The 256-character blocks with cased characters; a test checks the others. Reading every block would take much longer. */
const CASED_BLOCKS = [
  ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x13, 0x1c, 0x1d, 0x1e, 0x1f, 0x21, 0x24, 0x2c, 0x2d],
  ...[0xa6, 0xa7, 0xab, 0xfb, 0xff, 0x104, 0x105, 0x10c, 0x10d, 0x118, 0x16e, 0x1e9],
];

/** A loop, because `replaceAll` with a function takes up to seven times as long, and a client can send 16,000 characters. */
export function fold(text: string): string {
  let result = '';
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) as number;
    if (code < 0x80) continue;
    result += text.slice(start, at).toLowerCase() + String.fromCodePoint(tables().folded.get(code) ?? code);
    if (code > 0xffff) at++;
    start = at + 1;
  }
  return result + text.slice(start).toLowerCase();
}

/** Every character that folds to the given folded character, which is one of them. */
export function charactersFoldingTo(folded: string): string[] {
  return tables().unfolded.get(folded) ?? [folded];
}

interface Tables {
  /** Code points, only those that folding changes. */
  folded: Map<number, number>;
  unfolded: Map<string, string[]>;
}

let cachedTables: Tables | undefined;

/** Built on first use. */
function tables(): Tables {
  cachedTables ??= buildTables();
  return cachedTables;
}

function buildTables(): Tables {
  const tables: Tables = { folded: new Map(), unfolded: new Map() };
  for (const character of casedCharacters()) {
    const folded = computeFolding(character);
    if (folded === character) continue;
    tables.folded.set(character.codePointAt(0) as number, folded.codePointAt(0) as number);
    tables.unfolded.set(folded, [...(tables.unfolded.get(folded) ?? [folded]), character]);
  }
  return tables;
}

function* casedCharacters(): Generator<string, void> {
  for (const block of CASED_BLOCKS)
    for (let low = 0; low < 256; low++) yield String.fromCodePoint(block * 256 + low);
}

function computeFolding(character: string): string {
  if (character === DOTLESS_I) return character;
  // Upper case first, which makes σ and ς equal, and s and ſ. Mappings to several characters (ß to SS) are ignored.
  const upper = character.toUpperCase();
  const lower = (isOneCharacter(upper) ? upper : character).toLowerCase();
  return isOneCharacter(lower) ? lower : character;
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}
