/**
 * Removes the location from EXIF. Nothing moves, except for the entries after the removed one in the same directory: the
 * notes of camera makers contain offsets that nobody can adjust.
 */
import { mayContainLocation, mentionsLocation, type Range } from './part.ts';
import { cleanPhotoshop } from './photoshop.ts';
import { cleanXmp } from './xmp.ts';

const GPS_VERSION = 0;
const ORIENTATION = 0x0112;
const THUMBNAIL_OFFSET = 0x0201;
const THUMBNAIL_SIZE = 0x0202;
const MAKER_NOTE = 0x927c;

/** Tags whose values are metadata of other formats. */
const embedded: Record<number, (data: Buffer) => Buffer | undefined> = {
  700: cleanXmp,
  33723: cleanPhotoshop,
  34377: cleanPhotoshop,
  [MAKER_NOTE]: (data) => (mentionsLocation(data) ? Buffer.alloc(data.length) : undefined),
};

/** Returns EXIF of the same length, or undefined if it has no location. */
export function cleanExif(data: Buffer): Buffer | undefined {
  const start = data.toString('latin1', 0, 5) === 'Exif\0' ? 6 : 0;
  // An offset of the location needs as much.
  if (data.length - start < MINIMAL_BYTES) return undefined;
  const result = Buffer.from(data);
  try {
    const tiff = new Tiff(result.subarray(start));
    removeLocation(tiff);
    // Directories of a damaged file may overlap, so that removing an entry makes another one.
    if (tiff.directories().some(hasLocation)) throw new TiffError('there is still a location');
  } catch (error) {
    if (!(error instanceof TiffError)) throw error;
    writeMinimal(result.subarray(start), readOrientation(data.subarray(start)));
  }
  return result.equals(data) ? undefined : result;
}

/** Cameras without a receiver also write a directory for the location, with nothing but its version. */
const hasLocation = ({ pointer, entries }: Directory) =>
  pointer === GPS && entries.some(({ tag }) => tag !== GPS_VERSION);

function removeLocation(tiff: Tiff): void {
  const directories = tiff.directories();
  const locations = directories.filter(hasLocation);
  const others = directories.filter((directory) => !locations.includes(directory));
  const used = mergeRanges(others.flatMap(rangesOf));
  for (const range of locations.flatMap(rangesOf)) {
    if (used.some(({ start, end }) => start < range.end && range.start < end))
      throw new TiffError('the location overlaps other data');
    tiff.data.fill(0, range.start, Math.min(range.end, tiff.data.length));
  }
  let embeddedBytes = 0;
  for (const directory of others) {
    for (const { tag, value } of directory.entries.filter(({ tag }) => tag in embedded)) {
      embeddedBytes += value.end - value.start;
      // Else many entries could share one long value, and cleaning it each time would take hours.
      if (embeddedBytes > tiff.data.length) throw new TiffError('embedded metadata overlaps');
      embedded[tag]?.(tiff.data.subarray(value.start, value.end))?.copy(tiff.data, value.start);
    }
    blankThumbnail(tiff, directory);
    if (locations.length > 0) tiff.removeEntry(directory, GPS);
  }
}

/** The ranges that a directory uses, itself included. */
const rangesOf = (directory: Directory): Range[] => [
  directory,
  ...directory.entries.map(({ value }) => value).filter(({ start, end }) => start < end),
];

/** Joins ranges that touch, sorted: there are few in a valid file. */
function mergeRanges(ranges: Range[]): Range[] {
  const merged: Range[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** A thumbnail is a JPEG, in rare cases with metadata of its own. */
function blankThumbnail(tiff: Tiff, { entries }: Directory): void {
  const [offset, size] = [THUMBNAIL_OFFSET, THUMBNAIL_SIZE].map(
    (tag) => entries.find((entry) => entry.tag === tag)?.numbers[0] ?? 0,
  ) as [number, number];
  const thumbnail = tiff.data.subarray(offset, offset + size);
  if (mayContainLocation(thumbnail)) thumbnail.fill(0);
}

const MINIMAL_BYTES = 26;

/** Overwrites EXIF that cannot be cleaned with one that has only the orientation, which decides how the picture looks. */
function writeMinimal(tiff: Buffer, orientation: number | undefined): void {
  tiff.fill(0);
  const head = 'MM\0*\0\0\0\b';
  const entry = `\0\x01\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(orientation ?? 0)}`;
  tiff.write(orientation === undefined ? head : head + entry, 'latin1');
}

function readOrientation(data: Buffer): number | undefined {
  try {
    const { entries } = new Tiff(data).directories()[0] ?? { entries: [] };
    const [orientation = 0] = entries.find(({ tag }) => tag === ORIENTATION)?.numbers ?? [];
    return orientation >= 1 && orientation <= 8 ? orientation : undefined;
  } catch (error) {
    if (error instanceof TiffError) return undefined;
    throw error;
  }
}

// TIFF, the format of EXIF. Offsets outside of the data are ignored: nothing can be read there.

/** The data is not TIFF, or has more directories than any camera writes. */
class TiffError extends Error {}

interface Entry {
  tag: number;
  /** Where the values are, up to the end of the data. */
  value: Range;
  /** The first values, if they are numbers of 16 or 32 bits. */
  numbers: number[];
}

interface Directory extends Range {
  /** The tag of the entry that points here, or zero for the main chain. */
  pointer: number;
  entries: Entry[];
}

const GPS = 0x8825;
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

class Tiff {
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
