/** The text of a catalogue file or an export, and its records. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const toLines = (records: Iterable<object>): string =>
  Array.from(records, (record) => `${JSON.stringify(record)}\n`).join('');

// biome-ignore lint/suspicious/noExplicitAny: tests read records whose shape they are about to check
export const parseLines = (text: string): any[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Writes a catalogue file and returns its path. */
export function writeLines(folder: string, name: string, records: Iterable<object>): string {
  const path = join(folder, name);
  writeFileSync(path, toLines(records));
  return path;
}
