/** Text for people. */

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

/** `1 image`, `2 images`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const MAX_CELL_LENGTH = 40;

/** For a cell of a table. */
export function shorten(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_CELL_LENGTH)];
  return characters.length > MAX_CELL_LENGTH ? `${characters.slice(0, MAX_CELL_LENGTH).join('')}…` : text;
}

/** Formats rows of text as lines with aligned columns. */
export function formatTable(header: string[], rows: string[][]): string[] {
  // Escaped here already, because escapes make a cell longer.
  const all = [header, ...rows].map((row) => row.map(printable));
  const widths = header.map((_, column) =>
    all.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return all.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join('  ').trimEnd();
  });
}
