/** Finds the metadata of a picture, whatever its format. AVIF has a file of its own, because its boxes are nested. */

import { crc32, inflateSync } from 'node:zlib';
import type { Mimetype } from '../../catalogue/schemas.ts';
import { avifMetadata } from './avif.ts';
import { type Part, type PartKind, PictureError, partAt, type Range, trailerAt } from './part.ts';

/** Far more than any program writes. */
const MAX_PARTS = 10_000;

const finders: Record<Mimetype, (bytes: Buffer) => Iterable<Part>> = {
  'image/jpeg': jpegMetadata,
  'image/png': pngMetadata,
  'image/webp': webpMetadata,
  'image/gif': gifMetadata,
  'image/avif': avifMetadata,
};

export function* findMetadata(bytes: Buffer, mimetype: Mimetype): Generator<Part, void> {
  let count = 0;
  for (const part of finders[mimetype](bytes)) {
    if (++count > MAX_PARTS)
      throw new PictureError(`the picture has more than ${MAX_PARTS} pieces of metadata`);
    yield part;
  }
}

const webpImage = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];
const webpKinds: Record<string, 'exif' | 'xmp'> = { EXIF: 'exif', 'XMP ': 'xmp' };

/** The EXIF, XMP and unknown chunks of a WebP file. */
function* webpMetadata(bytes: Buffer): Generator<Part, void> {
  const size = bytes.length >= 12 ? 8 + bytes.readUInt32LE(4) : bytes.length;
  // Chunks and the file have an even size.
  const fileEnd = Math.min(bytes.length, size + (size % 2));
  let position = 12;
  while (position + 8 <= fileEnd) {
    const type = bytes.toString('latin1', position, position + 4);
    const length = bytes.readUInt32LE(position + 4);
    const [start, end] = [position + 8, Math.min(fileEnd, position + 8 + length)];
    if (!webpImage.includes(type)) yield partAt(webpKinds[type] ?? 'unknown', bytes, [{ start, end }]);
    position = start + length + (length % 2);
  }
  if (fileEnd < bytes.length) yield trailerAt(bytes, fileEnd);
}

// Finds the metadata of a JPEG file, and of the further JPEGs that may follow it (MPO, Ultra HDR).

const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const JPEG_COMMENT = 0xfe;

const EXIF = 'Exif\0';
const JPEG_XMP = 'http://ns.adobe.com/xap/1.0/\0';
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
const PHOTOSHOP = 'Photoshop 3.0\0';
/** Application segments that decoders use, and the index of further JPEGs. They have no location. */
const harmlessInJpeg = ['JFIF\0', 'JFXX\0', 'ICC_PROFILE\0', 'MPF\0', 'Adobe'];

/** GUID, total size and offset, before a portion of extended XMP. */
const EXTENSION_HEADER_BYTES = 40;

export function* jpegMetadata(bytes: Buffer): Generator<Part, void> {
  let [position, imagesEnd] = [0, 0];
  while (bytes[position] === 0xff && bytes[position + 1] === START_OF_IMAGE) {
    imagesEnd = yield* imageMetadata(bytes, position + 2);
    position = imagesEnd;
    // Zeros may separate images.
    while (bytes[position] === 0) position++;
  }
  if (imagesEnd < bytes.length) yield trailerAt(bytes, imagesEnd);
}

/** Of Photoshop's resources and extended XMP: those of the largest file, if they are full. */
const MAX_SEGMENTS = 10_000;

/** Returns the end of the image. */
function* imageMetadata(bytes: Buffer, start: number): Generator<Part, number> {
  // These may be split into several segments.
  const photoshop: Range[] = [];
  const extensions = new Map<string, Range[]>();
  let [imageEnd, collected] = [bytes.length, 0];
  const collect = (ranges: Range[], range: Range) => {
    if (++collected > MAX_SEGMENTS)
      throw new PictureError(`the metadata of the picture has more than ${MAX_SEGMENTS} segments`);
    ranges.push(range);
  };
  for (let segment = nextSegment(bytes, start); segment; segment = nextSegment(bytes, segment.end)) {
    const { marker, end } = segment;
    if (marker === END_OF_IMAGE) {
      imageEnd = end;
      break;
    }
    const isApplication = (marker & 0xf0) === 0xe0;
    if (!isApplication && marker !== JPEG_COMMENT) continue;
    const head = bytes.toString('latin1', segment.start, Math.min(end, segment.start + 80));
    const dataStart = segment.start;
    const after = (prefix: string) => ({ start: dataStart + prefix.length, end });
    if (marker === JPEG_COMMENT) yield partAt('unknown', bytes, [segment]);
    else if (head.startsWith(EXIF)) yield partAt('exif', bytes, [segment]);
    else if (head.startsWith(JPEG_XMP)) yield partAt('xmp', bytes, [after(JPEG_XMP)]);
    else if (head.startsWith(PHOTOSHOP)) collect(photoshop, after(PHOTOSHOP));
    else if (head.startsWith(EXTENDED_XMP)) {
      const guid = head.slice(EXTENDED_XMP.length, EXTENDED_XMP.length + 32);
      const portion = { start: segment.start + EXTENDED_XMP.length + EXTENSION_HEADER_BYTES, end };
      const portions = extensions.get(guid) ?? [];
      if (portion.start < end) {
        collect(portions, portion);
        extensions.set(guid, portions);
      }
    } else if (!harmlessInJpeg.some((prefix) => head.startsWith(prefix)))
      yield partAt('unknown', bytes, [segment]);
  }
  if (photoshop.length > 0) yield partAt('photoshop', bytes, photoshop);
  for (const portions of extensions.values())
    yield partAt(
      'xmp',
      bytes,
      portions.sort((a, b) => offsetOf(bytes, a) - offsetOf(bytes, b)),
    );
  return imageEnd;
}

/** A portion of extended XMP follows its offset in the whole. */
const offsetOf = (bytes: Buffer, { start }: Range) => bytes.readUInt32BE(start - 4);

/** The next marker with its payload, or undefined at the end. Entropy-coded data is skipped. */
function nextSegment(bytes: Buffer, from: number): (Range & { marker: number }) | undefined {
  for (let at = bytes.indexOf(0xff, from); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1] as number;
    // Before a marker there may be any number of 0xff. A zero, RSTn or TEM belongs to the data.
    if (marker === 0xff) at += 1;
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (marker === END_OF_IMAGE || marker === START_OF_IMAGE)
      return { marker, start: at + 2, end: at + 2 };
    else {
      const length = at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 2;
      const end = Math.min(bytes.length, at + 2 + Math.max(2, length));
      return { marker, start: Math.min(at + 4, end), end };
    }
  }
  return undefined;
}

// Finds the metadata of a PNG file: the eXIf chunk, texts, and what ImageMagick and ExifTool store as texts.

const PNG_XMP = 'XML:com.adobe.xmp';
const animation = ['acTL', 'fcTL', 'fdAT'];
const pixels = ['IDAT', 'fdAT'];
const rawProfile = /^Raw profile type (exif|xmp|iptc|8bim|app1)$/i;
const kinds: Record<string, PartKind> = { exif: 'exif', xmp: 'xmp', iptc: 'photoshop', '8bim': 'photoshop' };
/** Compressed texts beyond this total are removed. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** What a text that cannot be read counts: it may have cost as much work as a large one. */
const UNREADABLE_BYTES = 1024 * 1024;

export function* pngMetadata(bytes: Buffer): Generator<Part, void> {
  let position = 8;
  let textBytes = 0;
  while (position + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(position);
    const type = bytes.toString('latin1', position + 4, position + 8);
    const chunk = { start: position, end: position + 12 + length };
    if (chunk.end > bytes.length && pixels.includes(type)) break;
    position = Math.min(chunk.end, bytes.length);
    const data = bytes.subarray(chunk.start + 8, chunk.end - 4);
    if (chunk.end > bytes.length) {
      // Readers of EXIF accept a chunk that is cut off.
      yield chunkPart({ start: chunk.start, end: bytes.length }, 'unreadable', data, () => Buffer.alloc(0));
      break;
    }
    if (type === 'IEND') break;
    if (type === 'eXIf') yield chunkPart(chunk, 'exif', data, (cleaned) => writeChunk(type, cleaned));
    else if (['tEXt', 'zTXt', 'iTXt'].includes(type)) {
      const part = textPart(chunk, type, data, MAX_TEXT_BYTES - textBytes);
      if (type !== 'tEXt') textBytes += part.kind === 'unreadable' ? UNREADABLE_BYTES : part.data.length;
      yield part;
    } else if (/^[a-z]{2}/.test(type) && !animation.includes(type))
      yield chunkPart(chunk, 'unknown', data, () => Buffer.alloc(0));
  }
  if (position < bytes.length) yield trailerAt(bytes, position);
}

function chunkPart(chunk: Range, kind: PartKind, data: Buffer, write: (data: Buffer) => Buffer): Part {
  return { kind, data, replace: (cleaned) => [{ ...chunk, bytes: write(cleaned) }] };
}

/** A changed text is stored uncompressed: the result must not depend on the version of a compressor. */
function textPart(chunk: Range, type: string, data: Buffer, maxBytes: number): Part {
  const remove = () => Buffer.alloc(0);
  const { keyword, text } = readText(type, data, maxBytes);
  if (text === undefined) return chunkPart(chunk, 'unreadable', data, remove);
  if (keyword === PNG_XMP) return chunkPart(chunk, 'xmp', text, (cleaned) => writeXmp(cleaned));
  const [, profile] = rawProfile.exec(keyword) ?? [];
  const content = profile && decodeProfile(text);
  if (!profile) return chunkPart(chunk, 'unknown', Buffer.concat([Buffer.from(keyword), text]), remove);
  if (!content) return chunkPart(chunk, 'unreadable', data, remove);
  const isXmp = content.subarray(0, JPEG_XMP.length).toString('latin1') === JPEG_XMP;
  const prefix = content.subarray(0, isXmp ? JPEG_XMP.length : 0);
  const kind = isXmp ? 'xmp' : (kinds[profile.toLowerCase()] ?? 'exif');
  return chunkPart(chunk, kind, content.subarray(prefix.length), (cleaned) =>
    writeChunk('tEXt', encodeProfile(keyword, profile, Buffer.concat([prefix, cleaned]))),
  );
}

/** The text is undefined if it is damaged or too large. */
function readText(
  type: string,
  data: Buffer,
  maxBytes: number,
): { keyword: string; text: Buffer | undefined } {
  const end = data.indexOf(0);
  const keyword = data.toString('latin1', 0, Math.max(0, end));
  if (end === -1) return { keyword, text: undefined };
  if (type === 'tEXt') return { keyword, text: data.subarray(end + 1) };
  if (type === 'zTXt') return { keyword, text: inflate(data.subarray(end + 2), maxBytes) };
  // Compression flag and method, language and translated keyword come before the text.
  const language = data.indexOf(0, end + 3);
  const translated = language === -1 ? -1 : data.indexOf(0, language + 1);
  if (translated === -1) return { keyword, text: undefined };
  const text = data.subarray(translated + 1);
  return { keyword, text: data[end + 1] === 0 ? text : inflate(text, maxBytes) };
}

function inflate(data: Buffer, maxBytes: number): Buffer | undefined {
  if (maxBytes <= 0) return undefined;
  try {
    return inflateSync(data, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

/** The name of the profile, its size, and its bytes in hex. */
function decodeProfile(text: Buffer): Buffer | undefined {
  const content = text.toString('latin1');
  const [head] = /^\s*\S+\s+\d+\s/.exec(content) ?? [];
  const hex = content.slice(head?.length ?? 0).replace(/\s+/g, '');
  return head !== undefined && /^[0-9a-f]*$/i.test(hex) ? Buffer.from(hex, 'hex') : undefined;
}

function encodeProfile(keyword: string, profile: string, content: Buffer): Buffer {
  const lines = content.toString('hex').match(/.{1,72}/g) ?? [];
  const size = String(content.length).padStart(8);
  return Buffer.from(`${keyword}\0\n${profile}\n${size}\n${lines.join('\n')}\n`, 'latin1');
}

const writeXmp = (text: Buffer) =>
  writeChunk('iTXt', Buffer.concat([Buffer.from(`${PNG_XMP}\0\0\0\0\0`, 'latin1'), text]));

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

// Finds the metadata of a GIF file: XMP, comments and unknown application extensions.

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const GIF_COMMENT = 0xfe;
const APPLICATION = 0xff;
const GIF_XMP = 'XMP DataXMP';
const harmlessInGif = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];
/** Follows XMP, so that a reader that takes it for a list of sub-blocks finds their end. */
const MAGIC_TRAILER = Buffer.from([0x01, 0xff, 0xfe, 0xfd]);
const SPACE = 0x20;

export function* gifMetadata(bytes: Buffer): Generator<Part, void> {
  let position = 13 + colourTableSize(bytes[10] ?? 0);
  while (position < bytes.length) {
    const type = bytes[position];
    if (type === IMAGE) {
      const blocks = position + 10 + colourTableSize(bytes[position + 9] ?? 0) + 1;
      position = endOfBlocks(bytes, blocks);
    } else if (type === EXTENSION) {
      const start = position + 2;
      position = endOfBlocks(bytes, start);
      yield* extensionMetadata(bytes, bytes[start - 1] ?? 0, { start, end: position });
    } else {
      // The end of the file, or damaged data.
      position++;
      break;
    }
  }
  if (position < bytes.length) yield trailerAt(bytes, position);
}

function* extensionMetadata(bytes: Buffer, label: number, blocks: Range): Generator<Part, void> {
  if (label !== GIF_COMMENT && label !== APPLICATION) return;
  const identifier = bytes.toString('latin1', blocks.start + 1, blocks.start + 12);
  if (label === APPLICATION && harmlessInGif.includes(identifier)) return;
  const start = blocks.start + 12;
  const length = bytes.subarray(start, blocks.end).indexOf(MAGIC_TRAILER);
  if (label === APPLICATION && identifier === GIF_XMP && length !== -1)
    yield partAt('xmp', bytes, [{ start, end: start + length }]);
  else yield blockPart(bytes, label === APPLICATION ? { start, end: blocks.end } : blocks);
}

/** Spaces replace the data, because a zero would end the sub-blocks. */
function blockPart(bytes: Buffer, { start, end }: Range): Part {
  const replace = () => {
    const blank = Buffer.from(bytes.subarray(start, end));
    for (let at = 0; at < blank.length; at += 1 + (blank[at] ?? 0))
      blank.fill(SPACE, at + 1, Math.min(blank.length, at + 1 + (blank[at] ?? 0)));
    return [{ start, end, bytes: blank }];
  };
  return { kind: 'unknown', data: bytes.subarray(start, end), replace };
}

const colourTableSize = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The position after a list of sub-blocks, each a length and that many bytes, up to an empty one. */
function endOfBlocks(bytes: Buffer, start: number): number {
  let position = start;
  for (let length = bytes[position]; length; length = bytes[position]) position += 1 + length;
  return Math.min(bytes.length, position + 1);
}
