/**
 * Removes the location from the metadata of a picture, without decoding it. The pixels and all other metadata stay. The
 * result for a picture must never change, or an import would take the same picture for another one.
 */
import type { Mimetype } from '../../catalogue/schemas.ts';
import { cleanExif } from './exif.ts';
import { findMetadata } from './find.ts';
import { mayContainLocation, mentionsLocation, type PartKind, type Patch, PictureError } from './part.ts';
import { cleanPhotoshop } from './photoshop.ts';
import { cleanXmp } from './xmp.ts';

/** Each returns undefined if there is no location. */
const cleaners: Record<PartKind, (data: Buffer) => Buffer | undefined> = {
  exif: cleanExif,
  xmp: cleanXmp,
  photoshop: cleanPhotoshop,
  unknown: (data) => (mentionsLocation(data) ? Buffer.alloc(data.length) : undefined),
  unreadable: () => Buffer.alloc(0),
  trailer: (data) => (mayContainLocation(data) ? Buffer.alloc(0) : undefined),
};

/** Returns the same buffer if the picture has no location. */
export function removeLocation(bytes: Buffer, mimetype: Mimetype): Buffer {
  const patches: Patch[] = [];
  for (const { kind, data, replace } of findMetadata(bytes, mimetype)) {
    const cleaned = cleaners[kind](data);
    if (cleaned) for (const patch of replace(cleaned)) patches.push(patch);
  }
  return patches.length === 0 ? bytes : applyPatches(bytes, patches);
}

function applyPatches(bytes: Buffer, patches: Patch[]): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const patch of patches.sort((a, b) => a.start - b.start)) {
    if (patch.start < position) throw new PictureError('the metadata of the picture is damaged');
    pieces.push(bytes.subarray(position, patch.start), patch.bytes);
    position = patch.end;
  }
  return Buffer.concat([...pieces, bytes.subarray(position)]);
}
