/** Finds the images that the page lists, and the entries that it suggests. */

import { entryVersion } from '../catalogue/documents/edit-image.ts';
import { foldName, formerNames } from '../catalogue/names.ts';
import { fold } from '../catalogue/search/fold.ts';
import type { Kind, Rating } from '../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../catalogue/unknown-artist.ts';
import { findEntries } from '../changes/entries.ts';
import { findOutdated } from '../import/apply/update-thumbnails.ts';
import type { CatalogueSnapshot } from '../store/contract/writer.ts';
import { findAlikeIds } from './review.ts';
import { StudioError } from './server.ts';

export const KINDS: Kind[] = ['artist', 'category', 'character'];
const RATINGS: Rating[] = ['sfw', 'questionable', 'nsfw'];
const ID_BYTES = 16;
const MAX_SUGGESTIONS = 12;

type OpenSnapshot = () => Promise<CatalogueSnapshot>;

/** The ids, oldest first, as 16 bytes each: the page gets all of them at once, however many there are. */
export async function listImages(
  query: URLSearchParams,
  openSnapshot: OpenSnapshot,
  thumbnailSizes: readonly number[],
): Promise<Buffer> {
  const only = [
    ...(query.has('outdated') ? [new Set(await findOutdated(openSnapshot, thumbnailSizes))] : []),
    ...(query.has('alike') ? [await findAlikeIds(openSnapshot)] : []),
  ];
  await using snapshot = await openSnapshot();
  const shelves = await findShelves(query, snapshot);
  if (!shelves) return Buffer.alloc(0);
  const without = KINDS.filter((kind) => kind !== 'artist' && query.getAll('without').includes(kind));
  const run = query.get('run');
  const found = await snapshot.imageIds({
    shelves,
    without,
    isEdited: query.has('edited'),
    change: run === null ? undefined : readRun(run),
  });
  const ids = only.reduce((left, set) => left.filter((id) => set.has(id)), found);
  const bytes = Buffer.alloc(ids.length * ID_BYTES);
  for (const [index, id] of ids.entries()) bytes.write(id.replaceAll('-', ''), index * ID_BYTES, 'hex');
  return bytes;
}

function readRun(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new StudioError(400, `there is no import "${text}"`);
  return Number(text);
}

/** Undefined if an entry of the query does not exist. */
async function findShelves(
  query: URLSearchParams,
  { fixedShelves, entriesById }: CatalogueSnapshot,
): Promise<number[] | undefined> {
  const shelves: number[] = [];
  for (const kind of KINDS)
    for (const id of wantedIds(kind, query)) {
      const [entry] = await entriesById(kind, [id]);
      if (!entry) return undefined;
      shelves.push(entry.shelf);
    }
  const rating = query.get('rating');
  if (rating !== null) {
    const found = RATINGS.find((known) => known === rating);
    if (!found) throw new StudioError(400, `there is no rating "${rating}"`);
    shelves.push(fixedShelves.rating[found]);
  }
  return shelves.length > 0 ? shelves : [fixedShelves.catalogue];
}

function wantedIds(kind: Kind, query: URLSearchParams): string[] {
  const isUnknownArtist = kind === 'artist' && query.getAll('without').includes('artist');
  return [...query.getAll(kind), ...(isUnknownArtist ? [UNKNOWN_ARTIST.id] : [])];
}

export interface ListedEntry {
  id: string;
  name: string;
  images: number;
  aliases: string[];
  version: string;
  /** Its other public fields. */
  fields: Record<string, unknown>;
}

/** All entries of a kind, by name. */
export async function listEntries(kind: Kind, openSnapshot: OpenSnapshot): Promise<ListedEntry[]> {
  await using snapshot = await openSnapshot();
  return (await findEntries(snapshot, kind)).map(({ entry, images }) => {
    const { id, name, ...fields } = JSON.parse(entry.document);
    const aliases = formerNames(entry.aliases);
    return { id, name, images, aliases, version: entryVersion(entry), fields };
  });
}

/** The best matches of a text: names that begin with it, then those that contain it; the most used ones first. */
export async function suggestEntries(
  kind: Kind,
  text: string,
  openSnapshot: OpenSnapshot,
): Promise<{ id: string; name: string; images: number }[]> {
  const wanted = foldName(text.trim());
  const rank = (name: string) => {
    const folded = fold(name);
    if (folded === wanted) return 0;
    if (folded.startsWith(wanted)) return 1;
    return folded.includes(wanted) ? 2 : Number.POSITIVE_INFINITY;
  };
  await using snapshot = await openSnapshot();
  const counts = await snapshot.imageCounts(kind);
  const found: { id: string; name: string; images: number; rank: number }[] = [];
  for await (const { id, name, aliases } of snapshot.entries(kind)) {
    const best = Math.min(...[name, ...formerNames(aliases)].map(rank));
    if (best < Number.POSITIVE_INFINITY) found.push({ id, name, images: counts.get(id) ?? 0, rank: best });
  }
  return found
    .sort((a, b) => a.rank - b.rank || b.images - a.images)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id, name, images }) => ({ id, name, images }));
}
