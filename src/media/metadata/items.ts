/** Reads where the items of a `meta` box are: the picture, its parts, and its metadata. */
import { PictureError } from '../picture.ts';
import { BoxReader, boxesIn } from './boxes.ts';
import type { Range } from './part.ts';

interface Item {
  /** Four letters, such as `Exif`. */
  type: string;
  ranges: Range[];
}

const MAX_EXTENTS = 10_000;
const FROM_FILE = 0;
const FROM_META = 1;

/** The items that are metadata. Throws a `PictureError` if they cannot be told from the picture. */
export function readMetadataItems(bytes: Buffer, meta: Range): Item[] {
  try {
    const items = readItems(bytes, meta);
    const metadata = items.filter(({ type }) => type === 'Exif' || type === 'mime');
    const all = metadata.flatMap(({ ranges }) => ranges);
    const others = items.filter((item) => !metadata.includes(item)).flatMap(({ ranges }) => ranges);
    const isShared = (range: Range, index: number) =>
      others.some((other) => overlaps(other, range)) ||
      all.some((other, position) => position < index && overlaps(other, range));
    if (all.some(isShared)) throw new PictureError('the metadata of the picture overlaps other data');
    return metadata;
  } catch (error) {
    if (error instanceof RangeError) throw new PictureError('the metadata of the picture is damaged');
    throw error;
  }
}

const overlaps = (a: Range, b: Range) => a.start < b.end && b.start < a.end;

function readItems(bytes: Buffer, { start, end }: Range): Item[] {
  // The version and flags of the meta box come first.
  const boxes = [...boxesIn(bytes, { start: start + 4, end })];
  const find = (type: string) => boxes.find((box) => box.type === type);
  const [information, locations] = [find('iinf'), find('iloc')];
  if (!information || !locations) return [];
  const types = readTypes(bytes, information);
  const wholeFile = { start: 0, end: bytes.length };
  const items = readLocations(bytes, locations, wholeFile, find('idat'));
  return items.map(({ id, ranges }) => ({ type: types.get(id) ?? '', ranges }));
}

function readTypes(bytes: Buffer, box: Range): Map<number, string> {
  const types = new Map<number, string>();
  const isLarge = new BoxReader(bytes, box).number(1) > 0;
  for (const entry of boxesIn(bytes, { start: box.start + (isLarge ? 8 : 6), end: box.end })) {
    const reader = new BoxReader(bytes, entry);
    const version = reader.number(1);
    reader.number(1);
    reader.number(2);
    const id = reader.number(version === 3 ? 4 : 2);
    reader.number(2);
    // Before version 2 every item was a file with a MIME type.
    types.set(id, version < 2 ? 'mime' : reader.text(4));
  }
  return types;
}

function readLocations(bytes: Buffer, box: Range, file: Range, idat: Range | undefined) {
  const reader = new BoxReader(bytes, box);
  const version = reader.number(1);
  reader.number(1);
  reader.number(2);
  const sizes = [reader.number(1), reader.number(1)].flatMap((pair) => [pair >> 4, pair & 15]);
  if (sizes.some((size) => ![0, 4, 8].includes(size))) throw new RangeError('invalid size of an offset');
  const [offsetSize, lengthSize, baseSize, indexSize] = sizes as [number, number, number, number];
  const items: { id: number; ranges: Range[] }[] = [];
  let extents = 0;
  for (let left = reader.number(version < 2 ? 2 : 4); left > 0; left--) {
    const id = reader.number(version < 2 ? 2 : 4);
    const method = version === 0 ? FROM_FILE : reader.number(2) & 15;
    const isExternal = reader.number(2) !== 0;
    const base = reader.number(baseSize);
    const count = reader.number(2);
    // An item without extents takes memory, too.
    extents += Math.max(1, count);
    if (extents > MAX_EXTENTS) throw new RangeError('too many extents');
    const whole = method === FROM_FILE ? file : method === FROM_META ? idat : undefined;
    const ranges = Array.from({ length: count }, () => {
      if (version > 0) reader.number(indexSize);
      const start = (whole?.start ?? 0) + base + reader.number(offsetSize);
      const length = reader.number(lengthSize);
      return { start, end: length === 0 ? (whole?.end ?? 0) : start + length };
    });
    if (isExternal) continue;
    if (!whole || ranges.some(({ end }) => end > whole.end)) throw new RangeError('the item is elsewhere');
    items.push({ id, ranges });
  }
  return items;
}
