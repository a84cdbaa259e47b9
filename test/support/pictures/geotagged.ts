/** Pictures with a location in each kind of metadata. */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Coordinates that occur nowhere by chance, as EXIF rationals and as texts. */
const SECONDS = [457_133_713, 457_133_719];
const texts = ['52,31.457133N', '13,24.457139E', 'Kreuzberg-7133', 'Berlin-7133'];

export const xmpPacket = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
 xmlns:core="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 exif:GPSLatitude="52,31.457133N" core:Location='Kreuzberg-7133' xmp:Rating="5">
<exif:GPSLongitude>13,24.457139E</exif:GPSLongitude><photoshop:City>Berlin-7133</photoshop:City>
<ext:LocationShown><rdf:Bag><rdf:li ext:City="Berlin-7133"><ext:Sublocation>Kreuzberg-7133</ext:Sublocation></rdf:li></rdf:Bag></ext:LocationShown>
<dc:creator><rdf:Seq><rdf:li>Ann Ink</rdf:li></rdf:Seq></dc:creator>
<dc:subject><rdf:Bag><rdf:li>night sky</rdf:li><rdf:li>blue, deep</rdf:li></rdf:Bag></dc:subject>
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© Ann Ink</rdf:li></rdf:Alt></dc:rights>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

export const exifFields = {
  IFD0: { Artist: 'Exif Artist', Copyright: 'Exif Copyright' },
  IFD2: { DateTimeOriginal: '2024:02:03 04:05:06', UserComment: 'a comment' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: `52/1 31/1 ${SECONDS[0]}/10000000`,
    GPSLongitudeRef: 'E',
    GPSLongitude: `13/1 24/1 ${SECONDS[1]}/10000000`,
  },
};

/** Whether any of the coordinates is left, in either byte order or as a text. */
export function findCoordinates(bytes: Buffer): boolean {
  const patterns = [...texts.map((text) => Buffer.from(text)), ...SECONDS.flatMap(asIntegers)];
  return patterns.some((pattern) => bytes.includes(pattern));
}

function asIntegers(value: number): Buffer[] {
  const [big, little] = [Buffer.alloc(4), Buffer.alloc(4)];
  big.writeUInt32BE(value);
  little.writeUInt32LE(value);
  return [big, little];
}

type Format = 'jpeg' | 'png' | 'webp' | 'avif';

/** A gradient, so that a change of any pixel or of the orientation is noticed. */
export async function geotagged(format: Format, seed = 0): Promise<Buffer> {
  const [width, height] = [24, 16];
  const pixels = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, index) => (index * 7 + seed * 13) % 256),
  );
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .withMetadata({ orientation: 6 })
    .withIccProfile('p3')
    .withExif({ ...exifFields, IFD0: { ...exifFields.IFD0, Orientation: '6' } })
    .withXmp(xmpPacket)
    .toFormat(format)
    .toBuffer();
}

export const withoutMetadata = async (bytes: Buffer, format: Format | 'gif') =>
  sharp(bytes).toFormat(format).toBuffer();

/** The EXIF of a geotagged picture, as TIFF. */
export async function geotaggedExif(): Promise<Buffer> {
  const { exif } = await sharp(await geotagged('webp')).metadata();
  const data = exif as Buffer;
  return data.toString('latin1', 0, 4) === 'Exif' ? data.subarray(6) : data;
}

const dataset = (number: number, text: string) => {
  const value = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x1c, 2, number, value.length >> 8, value.length & 255]), value]);
};

/** Photoshop's resources with IPTC: city, author, sublocation, keyword, and if given a title and a caption. */
export const photoshopResources = (title?: string, caption?: string): Buffer =>
  iptcResources([
    ...([
      [90, 'Berlin-7133'],
      [80, 'Iptc Author'],
      [92, 'Kreuzberg-7133'],
      [25, 'iptc keyword'],
    ] as const),
    ...(title === undefined ? [] : [[5, title] as const]),
    ...(caption === undefined ? [] : [[120, caption] as const]),
  ]);

/** Photoshop's resources with these fields of IPTC, by their numbers. */
export function iptcResources(fields: (readonly [number: number, text: string])[]): Buffer {
  const iptc = Buffer.concat(fields.map(([number, text]) => dataset(number, text)));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(iptc.length);
  return Buffer.concat([
    Buffer.from('8BIM\x04\x04\0\0', 'latin1'),
    size,
    iptc,
    Buffer.alloc(iptc.length % 2),
  ]);
}

export function segment(marker: number, ...content: (Buffer | string)[]): Buffer {
  const data = Buffer.concat(
    content.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  );
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Inserts segments at the start of a JPEG. */
export const withSegments = (jpeg: Buffer, ...segments: Buffer[]) =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

/** Inserts chunks after the header of a PNG. */
export const withChunks = (png: Buffer, ...chunks: Buffer[]) =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);

export const compressedText = (keyword: string, text: Buffer | string) =>
  pngChunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`, 'latin1'), deflateSync(text)]));

export const rawProfile = (name: string, content: Buffer) =>
  compressedText(
    `Raw profile type ${name}`,
    `\n${name}\n${String(content.length).padStart(8)}\n${content.toString('hex').replace(/.{72}/g, '$&\n')}\n`,
  );

/** Adds XMP to a GIF, before its end. */
export function withGifXmp(gif: Buffer, packet: string): Buffer {
  const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0]);
  const extension = Buffer.concat([
    Buffer.from('!\xff\x0bXMP DataXMP', 'latin1'),
    Buffer.from(packet),
    trailer,
  ]);
  return Buffer.concat([gif.subarray(0, -1), extension, gif.subarray(-1)]);
}
