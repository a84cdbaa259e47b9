/** Gives images the fields that they had before a change. */
import { parseStored, readDocument } from '../catalogue/documents/document.ts';
import type { ImageState } from '../catalogue/documents/edit-image.ts';
import { placeImage } from '../catalogue/documents/place-image.ts';
import type { Kind } from '../catalogue/types.ts';
import type { Lookup, PlacedImage, SavedEntry, SavedImage } from '../store/contract/writer.ts';

/** `createdAt` is undefined if it stays as it is. */
export type FormerState = ImageState & { createdAt?: string };

/** Returns the rows to save, by id. An image whose former entries no longer exist is left out. */
export async function placeFormer(
  lookup: Lookup & { fixedShelves: Parameters<typeof placeImage>[4] },
  images: { row: SavedImage; former: FormerState }[],
): Promise<Map<string, PlacedImage>> {
  const find = await entryFinder(
    lookup,
    images.map(({ former }) => former),
  );
  const placed = new Map<string, PlacedImage>();
  for (const { row, former } of images) {
    const { rating: nsfw, source, edited, createdAt } = former;
    const artist = find('artist', former.artist);
    const categories = former.categories.flatMap((id) => find('category', id) ?? []);
    const characters = former.characters.flatMap((id) => find('character', id) ?? []);
    const count = categories.length + characters.length;
    if (!artist || count < former.categories.length + former.characters.length) continue;
    const { previews } = parseStored(row.document);
    const fields = { ...readDocument(row.document), nsfw, source, ...(createdAt && { createdAt }) };
    const entries = { artist, categories, characters };
    placed.set(row.id, placeImage({ ...row, edited }, fields, entries, previews, lookup.fixedShelves));
  }
  return placed;
}

async function entryFinder(lookup: Lookup, states: ImageState[]) {
  const found = new Map<string, SavedEntry>();
  const load = async (kind: Kind, ids: string[]) => {
    for (const entry of await lookup.entriesById(kind, [...new Set(ids)]))
      found.set(`${kind} ${entry.id}`, entry);
  };
  await load(
    'artist',
    states.map(({ artist }) => artist),
  );
  await load(
    'category',
    states.flatMap(({ categories }) => categories),
  );
  await load(
    'character',
    states.flatMap(({ characters }) => characters),
  );
  return (kind: Kind, id: string): SavedEntry | undefined => found.get(`${kind} ${id}`);
}
