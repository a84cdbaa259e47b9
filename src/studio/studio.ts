/** Connects the addresses of the studio with what they do, and finds the images that the page lists and the entries that it suggests. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDocument, UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import { fold, foldName, formerNames } from '../catalogue/names.ts';
import { KINDS } from '../catalogue/schemas.ts';
import type { CatalogueSnapshot, SavedEntry, SourceFileReader } from '../catalogue/writer.ts';
import { findEntries, matchEntries } from '../changes/entries.ts';
import { filterRecords, latestIds } from '../changes/images.ts';
import { findOutdated } from '../import/files.ts';
import { hashPicture } from '../import/plan/looks.ts';
import { SITE_TEXTS, type SiteField, type SiteTexts } from '../lib/site-texts.ts';
import { type ChangeEngines, Changes } from './changes.ts';
import type { Counted, ListedEntry, RequestTo, ResponseOf } from './contract.ts';
import { listChanges, listImports, listRemoved, showChange } from './history.ts';
import { addPicture, type ImportFolder, type PictureEngines, sendPicture, withFile } from './pictures.ts';
import { readPage, StudioError } from './requests.ts';
import {
  count,
  entryVersion,
  findAlike,
  findAlikeIds,
  findAlikeOf,
  findLackingIds,
  findLikeIds,
  findProblems,
  type HealthEngines,
  readHealth,
  summarise,
  toTile,
} from './review.ts';
import type { Call, StudioRoutes } from './server.ts';

/** Files that are checked until the page hears of it. */
const FILES_PER_REPORT = 20;
const MAX_PROBLEMS = 100;

export interface StudioEngines extends ChangeEngines, HealthEngines, PictureEngines {
  catalogue: PictureEngines['catalogue'];
  importFolder: ImportFolder;
  openSourceFiles: () => Promise<SourceFileReader>;
  site(): { licence: string; fixed: readonly SiteField[] };
  /** What is wrong with the stored files. Calls back for each image; an error there stops it. */
  checkFiles(onImage: () => void): Promise<string[]>;
}

export function createStudio(engines: StudioEngines): StudioRoutes {
  const { openSnapshot, openSourceFiles } = engines;
  /** Each response is of one version of the catalogue. */
  const read =
    <Request, Response>(
      work: (snapshot: CatalogueSnapshot, request: Request, call: Call) => Promise<Response>,
    ) =>
    async (request: Request, call: Call): Promise<Response> => {
      await using snapshot = await openSnapshot();
      // Awaited here, because the snapshot is closed on return.
      return await work(snapshot, request, call);
    };
  const changes = new Changes(engines);
  let isChecking = false;
  return {
    asset: async (name) => (await readPage()).get(name),
    picture: (address, request, response) => sendPicture(engines, address, request, response),
    handlers: {
      '/data/images': read((snapshot, filter, { signal }) => listImages(snapshot, filter, engines, signal)),
      '/data/matches': read((snapshot, search) => findMatches(snapshot, search, openSourceFiles)),
      '/data/looks': ({ name }, call) =>
        withFile(name, call.bytes, async ({ folder, file }) => ({
          like: await hashPicture(await readFile(join(folder, file))),
        })),
      '/data/entries': read(listEntries),
      '/data/suggestions': read(suggestEntries),
      '/data/session': async (_nothing, { user }) => ({ user, catalogue: await changes.identity() }),
      '/data/steps': (_nothing, call) => changes.listSteps(call),
      '/data/history': read(listChanges),
      '/data/change': read(showChange),
      '/data/removed': read(listRemoved),
      '/data/imports': read(listImports),
      '/data/alike': read(findAlike),
      '/data/problems': read(findProblems),
      '/data/health': read((snapshot) => readHealth(snapshot, engines)),
      '/data/neighbours': read(findNeighbourCategories),
      '/data/names': read(lookUpNames),
      async '/check/files'(_nothing, { report, signal }) {
        if (isChecking)
          throw new StudioError(409, 'the files are being checked already: wait for that, or stop it');
        isChecking = true;
        try {
          const total = (await engines.catalogue.statistics()).images.count;
          let done = 0;
          const problems = await engines.checkFiles(() => {
            signal.throwIfAborted();
            if (++done % FILES_PER_REPORT === 0) report({ done: Math.min(done, total), total });
          });
          const listed = problems.slice(0, MAX_PROBLEMS);
          return { count: problems.length, listed };
        } finally {
          isChecking = false;
        }
      },
      '/data/tiles': read(async ({ imagesById }, { ids }) => (await imagesById(ids)).map(toTile)),
      '/data/summary': read((snapshot, { ids }) => summarise(snapshot, ids)),
      '/data/site': read(async ({ siteTexts }) => {
        const texts: SiteTexts = {};
        for await (const { field, text } of siteTexts()) texts[field] = text;
        const fixed = engines.site().fixed.map((field) => [field, SITE_TEXTS[field]]);
        return { texts, fixed: Object.fromEntries(fixed) };
      }),
      ...changes.handlers,
      '/add/picture': (picture, call) =>
        addPicture(picture, call.bytes, {
          async importFolder(folder, continues) {
            const { change, ...added } = await engines.importFolder(folder, continues, call.user);
            return { ...added, run: change?.number, ...(await changes.listSteps(call)) };
          },
          findAlike: (bytes) => read(findAlikeOf)(bytes, call),
        }),
      '/add/replacement': ({ name, id, version }, call) =>
        withFile(name, call.bytes, (picture) => changes.replaceFile({ id, version }, picture, call)),
    },
  };
}

// The images that the page lists, and the entries that it suggests.

const ID_BYTES = 16;
const MAX_SUGGESTIONS = 12;

type ImageFilter = RequestTo<'/data/images'>;

/** The ids as 16 bytes each: the page gets all of them at once, however many there are. */
async function listImages(
  snapshot: CatalogueSnapshot,
  filter: ImageFilter,
  { catalogue, openSnapshot, thumbnailSizes, site }: StudioEngines,
  signal: AbortSignal,
): Promise<Buffer> {
  const { q, without = [], lacks, edited, unrated, fileChanged, alike, outdated, run, like } = filter;
  const caller = { client: 'studio', signal };
  const only = [
    ...(q === undefined
      ? []
      : [new Set((await Array.fromAsync(latestIds({ q }, catalogue, caller))).flat())]),
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

/** The positions of those that the filter matches. */
async function findMatches(
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
async function listEntries(
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
async function suggestEntries(
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
async function findNeighbourCategories(
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
async function lookUpNames(
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
