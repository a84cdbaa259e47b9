/** Texts for people: shortened, printable, in a list, and how far apart two of them are. */

/** At most so many characters, and an ellipsis if some are cut off. */
export function shorten(text: string, maxLength: number): string {
  // One more than that many, each of which may be two code units.
  const characters = [...text.slice(0, 2 * maxLength + 2)];
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : text;
}

/** Control characters, line separators, unpaired surrogates, and characters that change the direction of the text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u{feff}]/gu;

/**
 * One line that cannot control the terminal or pass for several: names of files and records may come from strangers.
 * Escapes as JSON does, so JSON stays the same.
 */
export function printable(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As English lists them. `Intl.ListFormat` would take 20 ms to load when the server starts. */
export function listInEnglish(names: readonly string[], conjunction: 'and' | 'or'): string {
  if (names.length < 3) return names.join(` ${conjunction} `);
  return `${names.slice(0, -1).join(', ')}, ${conjunction} ${names.at(-1)}`;
}

/** How many characters to insert, remove, replace or swap with the next one; any number above `max` if it is more. */
export function editDistance(a: string[], b: string[], max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let before: number[] = [];
  for (const [index, character] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (row[column] as number) + (character === other ? 0 : 1);
      const isSwapped = index > 0 && column > 0 && character === b[column - 1] && other === a[index - 1];
      const swapped = isSwapped ? (before[column - 1] as number) + 1 : max + 1;
      next.push(Math.min(replaced, swapped, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    if (Math.min(...next) > max) return max + 1;
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
