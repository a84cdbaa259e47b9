/** What an import did, or would do, for the person who ran it. */
import type { Report } from '../import/save.ts';

/** So many names are told of each list; of the rest, how many there are. */
const MAX_TOLD = 20;

export interface Summary {
  added: number;
  updated: number;
  unchanged: number;
}

export class ImportReport implements Report {
  readonly summary: Summary = { added: 0, updated: 0, unchanged: 0 };
  /** Each record with what becomes of it; kept for a rehearsal only. */
  readonly records: string[] = [];
  readonly #keepsRecords: boolean;
  readonly #created: string[] = [];
  readonly #copies: string[] = [];
  readonly #ignored: string[] = [];

  constructor(keepsRecords: boolean) {
    this.#keepsRecords = keepsRecords;
  }

  record(where: string, type: string, name: string, outcome: keyof Summary): void {
    this.summary[outcome]++;
    if (this.#keepsRecords) this.records.push(`${outcome.padEnd(9)}  ${type.padEnd(9)}  ${quoted(name)}`);
    // Only what a folder mentions is told of by its own name.
    if (outcome === 'added' && where === `${type} "${name}"`) this.#created.push(`${type} ${quoted(name)}`);
  }

  copy(where: string, first: string): void {
    this.#copies.push(`${quoted(where)} is the same as ${quoted(first)}`);
  }

  ignored(path: string): void {
    this.#ignored.push(quoted(path));
  }

  /** The counts, and what a person would want to know besides. */
  lines(): string[] {
    const { added, updated, unchanged } = this.summary;
    return [
      `${added} added, ${updated} updated, ${unchanged} unchanged`,
      ...told('created', this.#created),
      ...told('left out as copies', this.#copies),
      ...told('no pictures, left alone', this.#ignored),
    ];
  }
}

function told(title: string, items: string[]): string[] {
  if (items.length === 0) return [];
  const more = items.length > MAX_TOLD ? [`  and ${items.length - MAX_TOLD} more`] : [];
  return [`${title}:`, ...items.slice(0, MAX_TOLD).map((item) => `  ${item}`), ...more];
}

/** As it is, unless it would break the line. */
function quoted(text: string): string {
  return /\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
