/** Finds the metadata of an AVIF file: the EXIF and XMP items of its `meta` box, user data, and unknown boxes. */
import { PictureError } from '../picture.ts';
import { type Box, boxesIn } from './boxes.ts';
import { readMetadataItems } from './items.ts';
import { type Part, partAt, type Range, trailerAt } from './part.ts';

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
