/** Finds the metadata of a PNG file: the eXIf chunk, texts, and what ImageMagick and ExifTool store as texts. */
import { crc32, inflateSync } from 'node:zlib';
import { type Part, type PartKind, type Range, trailerAt } from './part.ts';

const XMP = 'XML:com.adobe.xmp';
const animation = ['acTL', 'fcTL', 'fdAT'];
const pixels = ['IDAT', 'fdAT'];
const rawProfile = /^Raw profile type (exif|xmp|iptc|8bim|app1)$/i;
const kinds: Record<string, PartKind> = { exif: 'exif', xmp: 'xmp', iptc: 'photoshop', '8bim': 'photoshop' };
/** Compressed texts beyond this total are removed. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** What a text that cannot be read counts: it may have cost as much work as a large one. */
const UNREADABLE_BYTES = 1024 * 1024;
const XMP_SEGMENT = 'http://ns.adobe.com/xap/1.0/\0';

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
  if (keyword === XMP) return chunkPart(chunk, 'xmp', text, (cleaned) => writeXmp(cleaned));
  const [, profile] = rawProfile.exec(keyword) ?? [];
  const content = profile && decodeProfile(text);
  if (!profile) return chunkPart(chunk, 'unknown', Buffer.concat([Buffer.from(keyword), text]), remove);
  if (!content) return chunkPart(chunk, 'unreadable', data, remove);
  const isXmp = content.subarray(0, XMP_SEGMENT.length).toString('latin1') === XMP_SEGMENT;
  const prefix = content.subarray(0, isXmp ? XMP_SEGMENT.length : 0);
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
  writeChunk('iTXt', Buffer.concat([Buffer.from(`${XMP}\0\0\0\0\0`, 'latin1'), text]));

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}
