/** Finds the images that the page lists, and the entries that it suggests. */
import type { Caller, Catalogue, Filter } from '../catalogue/catalogue.ts';
import { readDocument, UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import { fold, foldName, formerNames } from '../catalogue/names.ts';
import { KINDS } from '../catalogue/schemas.ts';
import type { CatalogueSnapshot, SavedEntry, SourceFileReader } from '../catalogue/writer.ts';
import { findEntries } from '../changes/entries.ts';
import { filterRecords, latestIds } from '../changes/images.ts';
import { matchEntries } from '../changes/references.ts';
import { findOutdated } from '../import/files.ts';
import type { Counted, ListedEntry, RequestTo, ResponseOf } from './contract.ts';
import { count, entryVersion, findAlikeIds, findLackingIds, findLikeIds } from './review.ts';

const ID_BYTES = 16;
const MAX_SUGGESTIONS = 12;

type ImageFilter = RequestTo<'/data/images'>;

export interface ListEngines {
  catalogue: Pick<Catalogue, 'latestImages'>;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  thumbnailSizes: readonly number[];
  site(): { licence: string };
}

/** The ids as 16 bytes each: the page gets all of them at once, however many there are. */
export async function listImages(
  snapshot: CatalogueSnapshot,
  filter: ImageFilter,
  { catalogue, openSnapshot, thumbnailSizes, site }: ListEngines,
  signal: AbortSignal,
): Promise<Buffer> {
  const { q, without = [], lacks, edited, unrated, fileChanged, alike, outdated, run, like } = filter;
  const only = [
    ...(q === undefined ? [] : [await findIds({ q }, catalogue, { client: 'studio', signal })]),
    ...(outdated === undefined ? [] : [new Set(await findOutdated(openSnapshot, thumbnailSizes))]),
    ...(lacks === undefined ? [] : [await findLackingIds(snapshot, lacks, site().licence)]),
    ...(alike === undefined ? [] : [await findAlikeIds(snapshot)]),
    ...(like === undefined ? [] : [await findLikeIds(snapshot, like)]),
  ];
  const entries = await findFiltered(filter, snapshot);
  if (!entries) return Buffer.alloc(0);
  const found = await snapshot.imageIds({
    shelves: toShelves(entries, filter, snapshot),
    without: without.filter((kind) => kind !== 'artist'),
    isEdited: edited !== undefined,
    isUnrated: unrated !== undefined,
    isFileChanged: fileChanged !== undefined,
    change: run === undefined ? undefined : Number(run),
  });
  const ids = only.reduce((left, set) => left.filter((id) => set.has(id)), inAlbumOrder(found, entries));
  const bytes = Buffer.alloc(ids.length * ID_BYTES);
  for (const [index, id] of ids.entries()) bytes.write(id.replaceAll('-', ''), index * ID_BYTES, 'hex');
  return bytes;
}

async function findIds(
  filter: Filter,
  catalogue: ListEngines['catalogue'],
  caller: Caller,
): Promise<Set<string>> {
  return new Set((await Array.fromAsync(latestIds(filter, catalogue, caller))).flat());
}

/** The positions of those that the filter matches. */
export async function findMatches(
  snapshot: CatalogueSnapshot,
  { ids, filter }: RequestTo<'/data/matches'>,
  openSourceFiles: () => Promise<SourceFileReader>,
): Promise<number[]> {
  await using sources = await openSourceFiles();
  const rows = await filterRecords(await snapshot.imagesById(ids), filter, sources);
  const found = new Set(rows.map(({ id }) => id));
  return ids.flatMap((id, position) => (found.has(id) ? [position] : []));
}

/** The entries of the filter. Undefined if one of them does not exist. */
async function findFiltered(
  filter: ImageFilter,
  { entriesById }: CatalogueSnapshot,
): Promise<SavedEntry[] | undefined> {
  const entries: SavedEntry[] = [];
  for (const kind of KINDS) {
    const isUnknownArtist = kind === 'artist' && filter.without?.includes('artist');
    for (const id of [...(filter[kind] ?? []), ...(isUnknownArtist ? [UNKNOWN_ARTIST.id] : [])]) {
      const [entry] = await entriesById(kind, [id]);
      if (!entry) return undefined;
      entries.push(entry);
    }
  }
  return entries;
}

function toShelves(
  entries: SavedEntry[],
  { rating }: ImageFilter,
  { fixedShelves }: CatalogueSnapshot,
): number[] {
  const rated = rating === undefined ? [] : [fixedShelves.rating[rating]];
  const shelves = [...entries.map(({ shelf }) => shelf), ...rated];
  return shelves.length > 0 ? shelves : [fixedShelves.catalogue];
}

/** If there is one album, its order counts. */
function inAlbumOrder(ids: string[], entries: SavedEntry[]): string[] {
  const [album, ...others] = entries.filter(({ kind }) => kind === 'album');
  if (!album?.images || others.length > 0) return ids;
  const found = new Set(ids);
  return album.images.filter((id) => found.has(id));
}

/** All entries of a kind, by name. */
export async function listEntries(
  snapshot: CatalogueSnapshot,
  { kind }: RequestTo<'/data/entries'>,
): Promise<ListedEntry[]> {
  return (await findEntries(snapshot, kind)).map(({ entry, images }) => {
    const { id, name, ...fields } = JSON.parse(entry.document);
    const aliases = formerNames(entry.aliases);
    return { id, name, images, aliases, version: entryVersion(entry), fields };
  });
}

/** The best matches of a text: names that begin with it, then those that contain it; the most used ones first. */
export async function suggestEntries(
  snapshot: CatalogueSnapshot,
  { kind, text }: RequestTo<'/data/suggestions'>,
): Promise<Counted[]> {
  const wanted = foldName(text.trim());
  const rank = (name: string) => {
    const folded = fold(name);
    if (folded === wanted) return 0;
    if (folded.startsWith(wanted)) return 1;
    return folded.includes(wanted) ? 2 : Number.POSITIVE_INFINITY;
  };
  const counts = await snapshot.imageCounts(kind);
  const found: (Counted & { rank: number })[] = [];
  for await (const { id, name, aliases } of snapshot.entries(kind)) {
    const best = Math.min(...[name, ...formerNames(aliases)].map(rank));
    if (best < Number.POSITIVE_INFINITY) found.push({ id, name, images: counts.get(id) ?? 0, rank: best });
  }
  return found
    .sort((a, b) => a.rank - b.rank || b.images - a.images)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id, name, images }) => ({ id, name, images }));
}

// What helps to tag quickly: the categories of pictures nearby, and which names of a list exist.

/** On either side. Pictures of one folder are imported one after the other, so their numbers are near each other. */
const NEIGHBOURS = 10;
const MAX_LISTED = 8;

/** The categories that pictures near the given ones have and at least one of these lacks; the most frequent first. */
export async function findNeighbourCategories(
  snapshot: CatalogueSnapshot,
  { ids }: RequestTo<'/data/neighbours'>,
): Promise<Counted[]> {
  const chosen = await snapshot.imagesById(ids);
  const numbers = new Set(chosen.map(({ number }) => number));
  const near = new Set(
    [...numbers].flatMap((number) =>
      Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, offset) => number - NEIGHBOURS + offset),
    ),
  );
  const others = await snapshot.imagesByNumber([...near.difference(numbers)].filter((number) => number > 0));
  const categoriesOf = ({ document }: { document: string }) => readDocument(document).categories;
  const counts = new Map<string, Counted>();
  count(counts, others.flatMap(categoriesOf));
  const known = chosen.map((row) => new Set(categoriesOf(row).map(({ id }) => id)));
  return [...counts.values()]
    .filter(({ id }) => known.some((categories) => !categories.has(id)))
    .sort((a, b) => b.images - a.images)
    .slice(0, MAX_LISTED);
}

/** The entries that these names mean, in the same order; only the name of one that does not exist. */
export async function lookUpNames(
  snapshot: CatalogueSnapshot,
  { kind, names }: RequestTo<'/data/names'>,
): Promise<ResponseOf<'/data/names'>> {
  const found: ResponseOf<'/data/names'> = [];
  for (const name of names) {
    const [entry] = await matchEntries(snapshot, kind, name);
    found.push(entry ? { id: entry.id, name: entry.name } : { name });
  }
  return found;
}
