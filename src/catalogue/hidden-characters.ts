/**
 * Characters that nobody sees, or that turn the text around them: names and texts do not have them, because two names that look
 * the same would be two, and a name could pass for something else. Pure.
 */

/** What no text needs: control characters, and those that nobody sees or that turn the text around them. Some have their uses below. */
const hidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/gv;
/** Where the hidden character that comes next is a part of what people see. */
const useful = new RegExp(
  [
    // Joins or separates letters: Persian, Hindi, Khmer, Mongolian and other scripts without case.
    '(?<=[[\\p{Lo}\\p{M}\\p{Nd}]--[\\p{DI}\\p{sc=Zyyy}\\p{sc=Zinh}\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}]])' +
      '[\\u034f\\u180b-\\u180f\\u200b-\\u200d\\u2060]',
    // Chooses the form of an emoji, a sign or a Han character, as Japanese names need it.
    '(?<=[[\\p{Emoji}\\p{Lo}\\p{S}\\p{scx=Han}]--\\p{DI}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
    // Makes one emoji of several.
    '(?<=[\\p{ExtPict}\\p{EMod}]\\ufe0f?)\\u200d(?=\\p{ExtPict})',
    // Says whose flag it is.
    '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,6})[\\u{e0020}-\\u{e007f}]',
  ].join('|'),
  'vy',
);
/** Marks of the direction belong to scripts that are written from right to left. */
const directionMark = /[\u061c\u200e\u200f]/;
const rightToLeft =
  /[[\p{sc=Adlm}\p{sc=Arab}\p{sc=Hebr}\p{sc=Mand}\p{sc=Nkoo}\p{sc=Rohg}\p{sc=Samr}\p{sc=Syrc}\p{sc=Thaa}]&&\p{L}]/v;
const lineBreak = /[\t-\r\u2028\u2029]/;
/** What a text of several lines may have: line breaks, tabs, and places to hyphenate. */
const ofLines = /[\t\n\r\xad\u2028\u2029]/;
const visible = /[^\s\p{Z}\p{Cc}\p{DI}\p{Noncharacter_Code_Point}\u2800]/u;

/** Which of the hidden characters of a text it must not have. `hasLines`: it may have several lines, as descriptions do. */
function refusedIn(text: string, hasLines: boolean): (character: string, index: number) => boolean {
  const mayTurn = directionMark.test(text) && rightToLeft.test(text);
  return (character, index) => {
    if (hasLines && ofLines.test(character)) return false;
    if (mayTurn && directionMark.test(character)) return false;
    useful.lastIndex = index;
    return !useful.test(text);
  };
}

/** What is wrong with a text that people read, or undefined. */
export function findFlaw(text: string, hasLines = false): string | undefined {
  if (text.search(hidden) >= 0) {
    const isRefused = refusedIn(text, hasLines);
    for (const { 0: character, index } of text.matchAll(hidden)) {
      if (!isRefused(character, index)) continue;
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const place = [...text.slice(0, index)].length + 1;
      return `character ${place} is U+${code}, which is invisible or changes the text around it; leave it out`;
    }
  }
  return visible.test(text) || text.trim() === '' ? undefined : 'must have something visible';
}

/** Without what `findFlaw` finds. */
export function withoutHidden(text: string, hasLines = false): string {
  if (text.search(hidden) < 0) return text;
  const isRefused = refusedIn(text, hasLines);
  return text.replaceAll(hidden, (character, index: number) => {
    if (!isRefused(character, index)) return character;
    return lineBreak.test(character) ? ' ' : '';
  });
}

/** A name that a program, a stranger or a file system gave. Empty if nothing of it is visible. */
export function cleanName(name: string): string {
  const clean = withoutHidden(name).trim();
  return visible.test(clean) ? clean : '';
}

/** Without those of which nothing is visible. */
export const cleanNames = (names: readonly string[]): string[] => names.map(cleanName).filter(Boolean);

/** These name files, or are no texts that people read. */
const unread = new Set(['file', 'fileName', 'images', 'key', 'meta', 'thumbnails']);
const withLines = new Set(['description', 'reason']);

/** `field` is its path. */
export function* findFlaws(value: unknown, field = ''): Generator<{ field: string; flaw: string }, void> {
  if (typeof value === 'string') {
    const flaw = findFlaw(value, withLines.has(field));
    if (flaw !== undefined) yield { field, flaw };
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      if (!unread.has(name)) yield* findFlaws(item, field === '' ? name : `${field}.${name}`);
}
