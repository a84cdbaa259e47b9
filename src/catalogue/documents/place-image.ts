/** The row of an image and the shelves that it belongs on, from its fields and its entries. Pure. */

import { sortByName } from '../names.ts';
import type { FileType } from '../types.ts';
import type { FixedShelves, ImageRow, PlacedImage, Placement, SavedEntry } from '../writer.ts';
import { composeDocument, type StoredImage } from './document.ts';
import { parsePreviews } from './thumbnails.ts';

export type ImageFields = Omit<StoredImage, 'id' | 'artist' | 'categories' | 'characters'>;

/** The entries that an image belongs to. */
export interface ImageEntries {
  artist: SavedEntry;
  categories: SavedEntry[];
  characters: SavedEntry[];
}

export function placeImage(
  row: Omit<ImageRow, 'document'>,
  fields: ImageFields,
  entries: ImageEntries,
  previews: string | undefined,
  fixedShelves: FixedShelves,
): PlacedImage {
  const { artist } = entries;
  const [categories, characters] = [arrange(entries.categories), arrange(entries.characters)];
  const texts = (entries: SavedEntry[]) => entries.map(({ document }) => document);
  const document = composeDocument(
    { ...fields, id: row.id, artist: artist.id },
    row.key,
    artist.document,
    texts(categories),
    texts(characters),
    previews,
  );
  const shelves = [
    fixedShelves.catalogue,
    fixedShelves.rating[fields.nsfw],
    fixedShelves.orientation[fields.meta.dimens.orientation],
    fixedShelves.type[row.mimetype.slice('image/'.length) as FileType],
    ...[artist, ...categories, ...characters].map((entry) => entry.shelf),
  ];
  const { width, height } = fields.meta.dimens;
  const others = { shelves, width, height };
  return { row: { ...row, document }, ...placeAnimation(others, previews, fixedShelves) };
}

/** The place of an image whose previews say something else now. */
export function placeAnimation(
  { shelves, ...size }: Placement,
  previews: string | undefined,
  { animated }: FixedShelves,
): Placement {
  const others = shelves.filter((shelf) => shelf !== animated);
  const isAnimated = previews !== undefined && parsePreviews(previews)?.isAnimated === true;
  return { shelves: isAnimated ? [...others, animated] : others, ...size };
}

/** In order, each once. */
function arrange(entries: SavedEntry[]): SavedEntry[] {
  if (entries.length < 2) return entries;
  return sortByName([...new Map(entries.map((entry) => [entry.id, entry])).values()]);
}
