/** The names that searches look through, kept in memory as long as the catalogue stays the same. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { fold } from '../catalogue/fold.ts';
import type { Kind, NameList } from '../model.ts';
import { nextTurn } from '../turns.ts';

const READ_AT_ONCE = 200;
/** After so long a reading, other requests have their turn. */
const SLICE_MS = 5;

export class SqliteNames {
  readonly #version: () => number;
  readonly #names: StatementSync;
  readonly #lists = new Map<Kind, Promise<NameList>>();

  constructor(database: DatabaseSync, version: () => number) {
    this.#version = version;
    this.#names = database.prepare(
      'select name from shelf where kind = ? and position >= ? and position < ? order by position',
    );
  }

  async of(kind: Kind): Promise<NameList> {
    for (;;) {
      // Whoever asks while the names are being read waits for the same reading.
      const reading = this.#lists.get(kind) ?? this.#begin(kind);
      const list = await reading;
      if (list.version === this.#version()) return list;
      if (this.#lists.get(kind) === reading) this.#lists.delete(kind);
    }
  }

  #begin(kind: Kind): Promise<NameList> {
    const reading = this.#read(kind);
    this.#lists.set(kind, reading);
    // A reading that failed is not kept: the next search reads anew.
    reading.catch(() => this.#lists.delete(kind));
    return reading;
  }

  async #read(kind: Kind): Promise<NameList> {
    const version = this.#version();
    const folded: string[] = [];
    await nextTurn();
    for (let begun = performance.now(); ; ) {
      const rows = this.#names.all(kind, folded.length, folded.length + READ_AT_ONCE);
      for (const row of rows) folded.push(fold(row.name as string));
      if (rows.length < READ_AT_ONCE) break;
      if (performance.now() - begun < SLICE_MS) continue;
      await nextTurn();
      begun = performance.now();
    }
    return { kind, version, folded, longest: folded.reduce((most, name) => Math.max(most, name.length), 0) };
  }
}
