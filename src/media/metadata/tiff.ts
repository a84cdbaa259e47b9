/** Reads the directories of TIFF, the format of EXIF. Offsets outside of the data are ignored: nothing can be read there. */
import type { Range } from './part.ts';

/** The data is not TIFF, or has more directories than any camera writes. */
export class TiffError extends Error {}

export interface Entry {
  tag: number;
  /** Where the values are, up to the end of the data. */
  value: Range;
  /** The first values, if they are numbers of 16 or 32 bits. */
  numbers: number[];
}

export interface Directory extends Range {
  /** The tag of the entry that points here, or zero for the main chain. */
  pointer: number;
  entries: Entry[];
}

export const GPS = 0x8825;
/** SubIFDs, EXIF, GPS and interoperability. */
const pointers = [0x014a, 0x8769, GPS, 0xa005];
const MAX_DIRECTORIES = 32;
const MAX_ENTRIES = 2000;
const MAX_NUMBERS = 8;
/** The size of a value of each type. */
const sizes = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const SHORT = 3;
const numberTypes = [SHORT, 4, 9, 13];
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;

export class Tiff {
  readonly data: Buffer;
  readonly #isLittleEndian: boolean;

  constructor(data: Buffer) {
    const start = data.toString('latin1', 0, 4);
    if (start !== 'II*\0' && start !== 'MM\0*') throw new TiffError('not TIFF');
    this.data = data;
    this.#isLittleEndian = start.startsWith('I');
  }

  /**
   * Every directory that can be reached, each once, but one for the location again if it is reached in another way too. A
   * chain ends with zero, or is a loop.
   */
  directories(): Directory[] {
    const found = new Map<string, Directory>();
    const open: { offset: number; pointer: number }[] = [{ offset: this.#read32(4), pointer: 0 }];
    for (let next = open.shift(); next; next = open.shift()) {
      const { offset, pointer } = next;
      const key = `${offset} ${pointer === GPS}`;
      if (offset < HEADER_BYTES || offset + 2 > this.data.length || found.has(key)) continue;
      if (found.size === MAX_DIRECTORIES) throw new TiffError('too many directories');
      const directory = this.#directory(offset, pointer);
      found.set(key, directory);
      if (pointer === GPS) continue;
      for (const { tag, numbers } of directory.entries)
        if (pointers.includes(tag)) open.push(...numbers.map((offset) => ({ offset, pointer: tag })));
      if (directory.end <= this.data.length) open.push({ offset: this.#read32(directory.end - 4), pointer });
    }
    return [...found.values()];
  }

  /** Removes the entries with the tag. The entries after it and the offset of the next directory move up. */
  removeEntry(directory: Directory, tag: number): void {
    const { start, end, entries } = directory;
    const first = start + 2;
    let count = 0;
    for (const [index, entry] of entries.entries()) {
      const from = first + ENTRY_BYTES * index;
      if (entry.tag !== tag)
        this.data.copy(this.data, first + ENTRY_BYTES * count++, from, from + ENTRY_BYTES);
    }
    if (count === entries.length) return;
    if (end > this.data.length) throw new TiffError('the directory is cut off');
    const newEnd = first + ENTRY_BYTES * count;
    this.data.copy(this.data, newEnd, end - 4, end);
    this.data.fill(0, newEnd + 4, end);
    if (this.#isLittleEndian) this.data.writeUInt16LE(count, start);
    else this.data.writeUInt16BE(count, start);
  }

  #directory(start: number, pointer: number): Directory {
    const count = this.#read16(start);
    if (count > MAX_ENTRIES) throw new TiffError('too many entries');
    const fitting = Math.min(count, Math.floor((this.data.length - start - 2) / ENTRY_BYTES));
    const entries = Array.from({ length: fitting }, (_, index) =>
      this.#entry(start + 2 + ENTRY_BYTES * index),
    );
    return { start, end: start + 2 + ENTRY_BYTES * count + 4, pointer, entries };
  }

  #entry(at: number): Entry {
    const type = this.#read16(at + 2);
    const count = this.#read32(at + 4);
    const size = count * (sizes[type] ?? 1);
    const start = Math.min(this.data.length, size <= 4 ? at + 8 : this.#read32(at + 8));
    const value = { start, end: Math.min(this.data.length, start + size) };
    const numbers: number[] = [];
    const step = type === SHORT ? 2 : 4;
    if (numberTypes.includes(type))
      for (let from = start; from + step <= value.end && numbers.length < MAX_NUMBERS; from += step)
        numbers.push(step === 2 ? this.#read16(from) : this.#read32(from));
    return { tag: this.#read16(at), value, numbers };
  }

  #read16(at: number): number {
    return this.#isLittleEndian ? this.data.readUInt16LE(at) : this.data.readUInt16BE(at);
  }

  #read32(at: number): number {
    return this.#isLittleEndian ? this.data.readUInt32LE(at) : this.data.readUInt32BE(at);
  }
}
