/** The metadata inside a picture file, how to change it without touching the pixels, and whether it mentions a location. */

/** The picture cannot be used, and the message says why. */
export class PictureError extends Error {}

/**
 * `photoshop` contains IPTC. `unknown` is data of another format, `unreadable` is damaged, and `trailer` is what follows
 * the end of the picture.
 */
export type PartKind = 'exif' | 'xmp' | 'photoshop' | 'unknown' | 'unreadable' | 'trailer';

export interface Part {
  kind: PartKind;
  data: Buffer;
  /** The changes to the file that replace the data. */
  replace(data: Buffer): Patch[];
}

/** Replaces the bytes from `start` to `end`, which is excluded. */
export interface Patch {
  start: number;
  end: number;
  bytes: Buffer;
}

/** A range of a file; `end` is excluded. */
export interface Range {
  start: number;
  end: number;
}

/** Metadata in one or more ranges of a file, which stays as long as it is. */
export function partAt(kind: PartKind, bytes: Buffer, ranges: Range[]): Part {
  const pieces = ranges.map(({ start, end }) => bytes.subarray(start, end));
  return {
    kind,
    data: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces),
    replace(data) {
      let position = 0;
      return ranges.map(({ start, end }) => {
        const piece = data.subarray(position, position + end - start);
        position += end - start;
        return { start, end, bytes: piece };
      });
    },
  };
}

/** What follows the end of the picture, such as the video of a motion photo. It may be cut off. */
export function trailerAt(bytes: Buffer, start: number): Part {
  const replace = (data: Buffer) => [{ start, end: bytes.length, bytes: data }];
  return { kind: 'trailer', data: bytes.subarray(start), replace };
}

/** How GoPro, C2PA, comments and drones write coordinates. */
const coordinates = [
  ...['GPSL', 'GPSP', 'GPSI', 'GPSC', 'GPS5', 'GPS9', 'gpsL', 'gps_l', 'gps l', 'GPS l', 'GPS L'],
  ...['Latitude', 'latitude', 'LATITUDE', 'Longitude', 'longitude', 'LONGITUDE'],
];
/** Pictures and videos inside of other data, which have metadata of their own. */
const containers = ['Exif\0\0', 'http://ns.adobe.com/', 'Photoshop 3.0\0', 'ftyp'];

/** Whether data of an unknown format mentions coordinates. */
export function mentionsLocation(data: Buffer): boolean {
  return coordinates.some((text) => data.includes(text, 0, 'latin1'));
}

export function mayContainLocation(data: Buffer): boolean {
  return mentionsLocation(data) || containers.some((text) => data.includes(text, 0, 'latin1'));
}
