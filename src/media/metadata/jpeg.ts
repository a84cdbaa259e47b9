/** Finds the metadata of a JPEG file, and of the further JPEGs that may follow it (MPO, Ultra HDR). */
import { type Part, PictureError, partAt, type Range, trailerAt } from './part.ts';

const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const COMMENT = 0xfe;

const EXIF = 'Exif\0';
const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
const PHOTOSHOP = 'Photoshop 3.0\0';
/** Application segments that decoders use, and the index of further JPEGs. They have no location. */
const harmless = ['JFIF\0', 'JFXX\0', 'ICC_PROFILE\0', 'MPF\0', 'Adobe'];

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
    if (!isApplication && marker !== COMMENT) continue;
    const head = bytes.toString('latin1', segment.start, Math.min(end, segment.start + 80));
    const dataStart = segment.start;
    const after = (prefix: string) => ({ start: dataStart + prefix.length, end });
    if (marker === COMMENT) yield partAt('unknown', bytes, [segment]);
    else if (head.startsWith(EXIF)) yield partAt('exif', bytes, [segment]);
    else if (head.startsWith(XMP)) yield partAt('xmp', bytes, [after(XMP)]);
    else if (head.startsWith(PHOTOSHOP)) collect(photoshop, after(PHOTOSHOP));
    else if (head.startsWith(EXTENDED_XMP)) {
      const guid = head.slice(EXTENDED_XMP.length, EXTENDED_XMP.length + 32);
      const portion = { start: segment.start + EXTENDED_XMP.length + EXTENSION_HEADER_BYTES, end };
      const portions = extensions.get(guid) ?? [];
      if (portion.start < end) {
        collect(portions, portion);
        extensions.set(guid, portions);
      }
    } else if (!harmless.some((prefix) => head.startsWith(prefix))) yield partAt('unknown', bytes, [segment]);
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
