/**
 * Removes the location from EXIF. Nothing moves, except for the entries after the removed one in the same directory: the
 * notes of camera makers contain offsets that nobody can adjust.
 */
import { mayContainLocation, mentionsLocation } from './hints.ts';
import type { Range } from './part.ts';
import { cleanPhotoshop } from './photoshop.ts';
import { type Directory, GPS, Tiff, TiffError } from './tiff.ts';
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
