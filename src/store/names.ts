/** The names that searches look through, kept in memory as long as the catalogue stays the same. */
import { fold } from '../catalogue/fold.ts';
import type { Kind, NameList } from '../model.ts';
import { readSlices, type Slice } from './slices.ts';

/** The names of a kind, in the order of its list, from one position up to another. */
export type ReadNames = (kind: Kind, from: number, to: number) => Promise<Slice<string>>;

const READ_AT_ONCE = 200;

export class Names {
  readonly #read: ReadNames;
  readonly #version: () => number;
  readonly #lists = new Map<Kind, Promise<NameList>>();

  /** `version` tells which version is the newest, as far as is known. */
  constructor(read: ReadNames, version: () => number) {
    this.#read = read;
    this.#version = version;
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
    const reading = this.#readAll(kind);
    this.#lists.set(kind, reading);
    // A reading that failed is not kept: the next search reads anew.
    reading.catch(() => this.#lists.delete(kind));
    return reading;
  }

  async #readAll(kind: Kind): Promise<NameList> {
    for (;;) {
      const folded: string[] = [];
      let longest = 0;
      const version = await readSlices(
        READ_AT_ONCE,
        (from, to) => this.#read(kind, from, to),
        (name) => {
          folded.push(fold(name));
          longest = Math.max(longest, name.length);
        },
      );
      if (version !== undefined) return { kind, version, folded, longest };
    }
  }
}
