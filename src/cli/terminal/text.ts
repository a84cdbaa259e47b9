/** Text for people. */

import type { Difference } from '../../catalogue/change-log.ts';
import { printable } from '../../lib/printable.ts';
import { shorten } from '../../lib/text.ts';

export { printable };

/** `1 image`, `2 images`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Longer values are cut, except where nothing else shows them whole. */
const MAX_VALUE_LENGTH = 60;

/** `rating: sfw → nsfw`. */
export function formatDifference({ field, before, after }: Difference, maxLength = MAX_VALUE_LENGTH): string {
  const show = (value: string) => shorten(value, maxLength) || '(none)';
  return `${field}: ${show(before)} → ${show(after)}`;
}

const MAX_CELL_LENGTH = 40;

/** For a cell of a table. */
export const shortenCell = (text: string): string => shorten(text, MAX_CELL_LENGTH);

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
