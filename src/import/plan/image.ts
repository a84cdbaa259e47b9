/** Plans an image: which row to save and on which shelves, given the stored image and the entries it refers to. Pure. */
import {
  byNameThenId,
  composeDocument,
  dimensions,
  readDocument,
  type StoredImage,
} from '../../catalogue/document.ts';
import { formatPreviews, type Previews, readPreviews } from '../../catalogue/thumbnails.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { FixedShelves, ImageRow, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import type { PictureFacts } from '../../media/picture.ts';
import { artistOf, type ImageLine } from '../record.ts';
import type { ExistingEntries } from './existing.ts';
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

export interface PlacedImage {
  row: ImageRow;
  shelves: number[];
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
  const artist = entries.resolve('artist', artistOf(record));
  const categories = resolveAll('category', record.categories, entries);
  const characters = resolveAll('character', record.characters, entries);
  const { key, hash, eTag, size, mimetype, color, width, height } = picture;
  // A record without `file` keeps the thumbnails of the same file.
  const previews = picture.previews ?? (existing?.key === key ? readPreviews(existing.document) : undefined);
  const image: Omit<StoredImage, 'categories' | 'characters'> = {
    id: existing?.id ?? record.id ?? defaults.newId(),
    artist: artist.id,
    source: record.source ?? { name: '', url: '' },
    nsfw: record.nsfw,
    createdAt: record.createdAt ?? before?.createdAt ?? defaults.now,
    meta: { eTag, size, mimetype, color, dimens: dimensions(width, height) },
  };
  // A record without `file` says nothing about the looks of its bytes.
  const perceptualHash = picture.perceptualHash ?? (existing?.eTag === hash ? existing.perceptualHash : null);
  const row: ImageRow = {
    id: image.id,
    key,
    eTag: hash,
    mimetype,
    document: composeDocument(
      image,
      key,
      artist.document,
      documents(categories),
      documents(characters),
      previews && formatPreviews(previews),
    ),
    perceptualHash,
  };
  const mentioned = [artist, ...categories, ...characters];
  const shelves = [
    fixedShelves.catalogue,
    fixedShelves.rating[image.nsfw],
    fixedShelves.orientation[image.meta.dimens.orientation],
    ...mentioned.map((entry) => entry.shelf),
  ];
  if (!existing) return { outcome: 'added', row: { row, shelves } };
  const isSameFile = existing.eTag === hash && existing.perceptualHash === perceptualHash;
  if (existing.document === row.document && isSameFile) return { outcome: 'unchanged' };
  return {
    outcome: 'updated',
    row: { row: { ...row, number: existing.number }, shelves },
    formerIdentities: [existing.eTag, existing.id],
  };
}

function resolveAll(kind: Kind, references: string[] | undefined, entries: ExistingEntries): SavedEntry[] {
  const resolved = (references ?? []).map((reference) => entries.resolve(kind, reference));
  return [...new Set(resolved)].sort(byNameThenId);
}

function documents(entries: SavedEntry[]): string[] {
  return entries.map(({ document }) => document);
}
