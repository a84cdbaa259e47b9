/** Finds the metadata of an AVIF file: the EXIF and XMP items of its `meta` box, user data, and unknown boxes. */
import { type Part, PictureError, partAt, type Range, trailerAt } from './part.ts';

/** An animation has a movie with tracks. */
const parents = ['moov', 'trak'];

export function* avifMetadata(bytes: Buffer): Generator<Part, void> {
  let [fileEnd, hasMeta] = [0, false];
  for (const box of boxesIn(bytes, { start: 0, end: bytes.length })) {
    fileEnd = box.end;
    if (box.type === 'meta' && !hasMeta) yield* metaParts(bytes, box);
    else yield* boxParts(bytes, box);
    hasMeta ||= box.type === 'meta';
  }
  if (fileEnd === 0) throw new PictureError('the picture is damaged');
  if (fileEnd < bytes.length) yield trailerAt(bytes, fileEnd);
}

function* boxParts(bytes: Buffer, box: Box): Generator<Part, void> {
  const { type, typeAt, start, end } = box;
  if (parents.includes(type)) for (const child of boxesIn(bytes, box)) yield* boxParts(bytes, child);
  if (!['uuid', 'udta', 'meta'].includes(type)) return;
  const replace = (data: Buffer) => [
    { start: typeAt, end: typeAt + 4, bytes: Buffer.from('free') },
    { start, end, bytes: data },
  ];
  yield { kind: 'unknown', data: bytes.subarray(start, end), replace };
}

function* metaParts(bytes: Buffer, meta: Range): Generator<Part, void> {
  for (const { type, ranges } of readMetadataItems(bytes, meta)) {
    const item = partAt('xmp', bytes, ranges);
    if (type === 'Exif') yield exifPart(item);
    else yield item;
  }
}

/** An EXIF item starts with the offset of its data. */
function exifPart(item: Part): Part {
  const { data } = item;
  const start = data.length < 4 ? 0 : 4 + data.readUInt32BE(0);
  const prefix = data.subarray(0, start < data.length ? start : 0);
  const replace = (cleaned: Buffer) => item.replace(Buffer.concat([prefix, cleaned]));
  return { kind: 'exif', data: data.subarray(prefix.length), replace };
}

// Where the items of a `meta` box are: the picture, its parts, and its metadata.

interface Item {
  /** Four letters, such as `Exif`. */
  type: string;
  ranges: Range[];
}

const MAX_EXTENTS = 10_000;
const FROM_FILE = 0;
const FROM_META = 1;

/** The items that are metadata. Throws a `PictureError` if they cannot be told from the picture. */
function readMetadataItems(bytes: Buffer, meta: Range): Item[] {
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

// The boxes of ISO base media files, which AVIF is one of.

/** The range is that of the content. */
interface Box extends Range {
  type: string;
  /** The position of the type. */
  typeAt: number;
}

/** Far more than any program writes. A box has only eight bytes, so a hostile file could fill the memory. */
const MAX_BOXES = 100_000;

/** Ends at the first invalid box. */
function* boxesIn(bytes: Buffer, { start, end }: Range): Generator<Box, void> {
  let position = start;
  for (let count = 0; position + 8 <= end; count++) {
    if (count === MAX_BOXES) throw new PictureError(`the picture has more than ${MAX_BOXES} boxes in a list`);
    const size = bytes.readUInt32BE(position);
    const isLarge = size === 1 && position + 16 <= end;
    const header = isLarge ? 16 : 8;
    const length = isLarge ? Number(bytes.readBigUInt64BE(position + 8)) : size || end - position;
    if (length < header || position + length > end) return;
    const type = bytes.toString('latin1', position + 4, position + 8);
    yield { type, typeAt: position + 4, start: position + header, end: position + length };
    position += length;
  }
}

/** Reads numbers one after the other. Throws a `RangeError` at the end of the range. */
class BoxReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer, { start, end }: Range) {
    this.#bytes = bytes.subarray(start, end);
  }

  /** A number of 0, 1, 2, 4 or 8 bytes. */
  number(size: number): number {
    const at = this.#position;
    this.#position += size;
    if (size === 0) return 0;
    if (size === 8) return Number(this.#bytes.readBigUInt64BE(at));
    return this.#bytes.readUIntBE(at, size);
  }

  text(size: number): string {
    const at = this.#position;
    this.#position += size;
    if (this.#position > this.#bytes.length) throw new RangeError('the box ends early');
    return this.#bytes.toString('latin1', at, at + size);
  }
}
