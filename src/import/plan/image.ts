/** Plans an image: which row to save and on which shelves, given the stored image and the entries it refers to. Pure. */
import { dimensions, readDocument } from '../../catalogue/documents/document.ts';
import { parseEdited } from '../../catalogue/documents/edit-image.ts';
import { type ImageFields, placeImage } from '../../catalogue/documents/place-image.ts';
import { formatPreviews, type Previews, readPreviews } from '../../catalogue/documents/thumbnails.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { FixedShelves, ImageRow, PlacedImage, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import type { PictureFacts } from '../../media/picture.ts';
import { artistOf, type ImageLine } from '../records/record.ts';
import { planDetails } from './details.ts';
import type { ExistingEntries } from './existing.ts';
import { planEdited } from './kept-fields.ts';
import type { NewRecordDefaults, Outcome } from './outcome.ts';

/**
 * A stored picture. For a record without `file`, the facts are those it gives, `hash` is its entity tag, and there are no
 * previews.
 */
export interface Picture extends Omit<PictureFacts, 'previews'> {
  previews?: Previews;
  key: string;
  /** Any of these identifies the picture: the hash of its bytes as they are stored, and with or without its location. */
  hashes: string[];
  /** The entity tag that the bytes are served with. */
  eTag: string;
}

export function planImage(
  record: ImageLine,
  picture: Picture,
  existing: SavedImage | undefined,
  entries: ExistingEntries,
  fixedShelves: FixedShelves,
  defaults: NewRecordDefaults,
): Outcome<PlacedImage> {
  const before = existing && readDocument(existing.document);
  const mentioned = {
    artist: entries.resolve('artist', artistOf(record)),
    categories: resolveAll('category', record.categories, entries),
    characters: resolveAll('character', record.characters, entries),
  };
  const { key, hash, eTag, size, mimetype, color, width, height } = picture;
  // A record without `file` keeps the thumbnails of the same file: it may be older than they are.
  const recorded = existing?.key === key ? readPreviews(existing.document) : undefined;
  const previews = picture.previews ?? recorded ?? record.thumbnails;
  const fields: ImageFields = {
    source: record.source ?? { name: '', url: '' },
    ...planDetails(record, before, parseEdited(existing?.edited ?? '').includes('title')),
    nsfw: record.nsfw,
    createdAt: record.createdAt ?? before?.createdAt ?? defaults.now,
    meta: { eTag, size, mimetype, color, dimens: dimensions(width, height) },
  };
  const row: Omit<ImageRow, 'document'> = {
    id: existing?.id ?? record.id ?? defaults.newId(),
    key,
    eTag: hash,
    mimetype,
    // A record without `file` says nothing about the looks of its bytes.
    perceptualHash: picture.perceptualHash ?? (existing?.eTag === hash ? existing.perceptualHash : null),
    edited: planEdited(record, existing),
  };
  const placed = placeImage(row, fields, mentioned, previews && formatPreviews(previews), fixedShelves);
  if (!existing) return { outcome: 'added', row: placed };
  if (isSame(existing, placed.row)) return { outcome: 'unchanged' };
  return {
    outcome: 'updated',
    row: {
      ...placed,
      row: { ...placed.row, number: existing.number },
      dropsFile: !record.isFromFolder || picture.hashes.includes(existing.eTag),
    },
    formerIdentities: [existing.eTag, existing.id],
  };
}

function isSame(before: ImageRow, after: ImageRow): boolean {
  const columns = ['document', 'eTag', 'perceptualHash', 'edited'] as const;
  return columns.every((column) => before[column] === after[column]);
}

function resolveAll(kind: Kind, references: string[] | undefined, entries: ExistingEntries): SavedEntry[] {
  return (references ?? []).map((reference) => entries.resolve(kind, reference));
}
