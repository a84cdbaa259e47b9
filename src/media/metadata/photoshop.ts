/** Removes the location from Photoshop's image resources, which contain IPTC, and possibly EXIF and XMP. */
import { cleanXmp } from './xmp.ts';

const IPTC = 0x0404;
const XMP = 0x0424;
const exif = [0x0422, 0x0423];
/** Content location code and name, city, sublocation, province, country code and country. */
const locationDatasets = [26, 27, 90, 92, 95, 100, 101];
const APPLICATION_RECORD = 2;
const DATASET_MARK = 0x1c;

/** Returns the resources with the same length, or undefined if they have no location. */
export function cleanPhotoshop(data: Buffer): Buffer | undefined {
  if (data[0] === DATASET_MARK) return cleanIptc(data);
  const result = Buffer.from(data);
  let position = 0;
  while (position + 12 <= data.length) {
    // Signature, number, name of even length with its size, size, data of even length.
    const nameSize = 1 + (data[position + 6] ?? 0);
    const sizeAt = position + 6 + nameSize + (nameSize % 2);
    const isResource = /^[ -~]{4}$/.test(data.toString('latin1', position, position + 4));
    if (!isResource || sizeAt + 4 > data.length) break;
    const size = data.readUInt32BE(sizeAt);
    const value = data.subarray(sizeAt + 4, Math.min(data.length, sizeAt + 4 + size));
    const cleaned = cleanResource(data.readUInt16BE(position + 4), value);
    if (cleaned) cleaned.copy(result, sizeAt + 4);
    position = sizeAt + 4 + size + (size % 2);
  }
  // What is not a resource may be anything.
  if (position < data.length) result.fill(0, position);
  return result.equals(data) ? undefined : result;
}

/** EXIF in here repeats that of the file, so nothing is lost without it. The tag of a location is enough to remove it. */
function cleanResource(number: number, value: Buffer): Buffer | undefined {
  if (number === IPTC) return cleanIptc(value);
  if (number === XMP) return cleanXmp(value);
  const hasLocation = value.includes('8825', 0, 'hex') || value.includes('2588', 0, 'hex');
  return exif.includes(number) && hasLocation ? Buffer.alloc(value.length) : undefined;
}

/** Moves the other datasets together and fills the rest with zeros. */
function cleanIptc(data: Buffer): Buffer | undefined {
  const result = Buffer.alloc(data.length);
  let [position, length] = [0, 0];
  while (position + 5 <= data.length && data[position] === DATASET_MARK) {
    const size = data.readUInt16BE(position + 3);
    const isExtended = size >= 0x8000;
    const header = 5 + (isExtended ? size & 0x7fff : 0);
    // Only files with a length of 4 bytes are known.
    if (isExtended && (header !== 9 || position + 9 > data.length)) break;
    const end = position + header + (isExtended ? data.readUInt32BE(position + 5) : size);
    if (end > data.length) break;
    const isLocation =
      data[position + 1] === APPLICATION_RECORD && locationDatasets.includes(data[position + 2] ?? 0);
    if (!isLocation) length += data.copy(result, length, position, end);
    position = end;
  }
  return result.equals(data) ? undefined : result;
}
