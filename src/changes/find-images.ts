/** Finds images, newest first, without loading more than a page of them. */

import { basename, isAbsolute, join, posix, sep } from 'node:path';
import { readDocument } from '../catalogue/documents/document.ts';
import { foldName } from '../catalogue/names.ts';
import type { Rating } from '../catalogue/types.ts';
import { artistOf } from '../import/sources/record.ts';
import { streamBatches } from '../lib/parallel.ts';
import type { Caller, Catalogue, Filter } from '../store/contract/catalogue.ts';
import type { SourceFile, SourceFileReader } from '../store/contract/source-files.ts';
import type { CatalogueSnapshot, Lookup, SavedEntry, SavedImage } from '../store/contract/writer.ts';
import { EditError } from './errors.ts';
import { findEntry } from './references.ts';

type Sources = Pick<SourceFileReader, 'ofImages'>;

const PAGE_SIZE = 500;
/** The length of a UUID. */
const ID_LENGTH = 36;

/** Entries are named by id, name or alias. */
export interface ImageQuery {
  categories: string[];
  exclude: string[];
  artist?: string | undefined;
  character?: string | undefined;
  album?: string | undefined;
  ratings: Rating[];
  /** Images created at this time or later. */
  since?: string | undefined;
  /** A part of the title, ignoring case. */
  title?: string | undefined;
  /** A glob: without a slash, of the name of a source file; with one, of its path below the imported folder or from the root. */
  file?: string | undefined;
  /** Only images with a field that an operator decided. */
  isEdited: boolean;
}

interface Conditions {
  categories: SavedEntry[];
  exclude: SavedEntry[];
  artist: SavedEntry | undefined;
  character: SavedEntry | undefined;
  album: SavedEntry | undefined;
  ratings: Rating[];
  since: string | undefined;
  title: string | undefined;
}

/** Yields the ids of images, page by page. */
export async function* findImages(
  query: ImageQuery,
  catalogue: Catalogue,
  snapshot: CatalogueSnapshot,
  sources: Sources,
  caller: Caller,
): AsyncGenerator<string[], void> {
  const conditions = await resolve(query, snapshot);
  const { since, title, file } = query;
  const idsOf = async (rows: SavedImage[]) => {
    const matching = newestFirst(rows).filter((row) => isMatch(row, conditions));
    return (file === undefined ? matching : await fromFile(matching, file, sources)).map(({ id }) => id);
  };
  if (query.isEdited) {
    for await (const numbers of streamBatches(snapshot.editedImages(), PAGE_SIZE))
      yield await idsOf(await snapshot.imagesByNumber(numbers));
    return;
  }
  const needsRows = [since, title, file].some((condition) => condition !== undefined);
  for await (const ids of latestIds(conditions, catalogue, caller))
    yield needsRows ? await idsOf(await snapshot.imagesById(ids)) : ids;
}

/** The source files of images, by id. Those with other bytes by now are left out, and the one that counts comes first. */
export async function findSources(sources: Sources, ids: string[]): Promise<Map<string, SourceFile[]>> {
  const files = (await sources.ofImages(ids)).filter(({ state }) => state !== 'replaced');
  const inOrder = [...files.filter(({ state }) => state === 'first'), ...files.filter(isCopy)];
  return Map.groupBy(inOrder, ({ image }) => image);
}

const isCopy = ({ state }: SourceFile) => state === 'copy';

/** Those that came from a file that the glob matches, or that have such a file name if nobody knows the path. */
async function fromFile(rows: SavedImage[], glob: string, sources: Sources): Promise<SavedImage[]> {
  const pattern = glob.normalize();
  const found = await findSources(
    sources,
    rows.map(({ id }) => id),
  );
  const isMatch = (path: string) => posix.matchesGlob(path.split(sep).join('/').normalize(), pattern);
  const pathOf = ({ folder, path }: SourceFile) => {
    if (!pattern.includes('/')) return basename(path);
    return isAbsolute(pattern) ? join(folder, path) : path;
  };
  return rows.filter(({ id, document }) => {
    const files = found.get(id);
    return files ? files.some((file) => isMatch(pathOf(file))) : isMatch(readDocument(document).fileName);
  });
}

async function resolve(query: ImageQuery, lookup: Lookup): Promise<Conditions> {
  const { artist, character, album, ratings, since, title } = query;
  const find = (kind: 'artist' | 'character' | 'album', reference: string | undefined) =>
    reference === undefined ? undefined : findEntry(lookup, kind, reference);
  const categories = (names: string[]) =>
    Promise.all(names.map((name) => findEntry(lookup, 'category', name)));
  return {
    categories: await categories(query.categories),
    exclude: await categories(query.exclude),
    artist: await find('artist', artist === undefined ? undefined : artistOf({ artist })),
    character: await find('character', character),
    album: await find('album', album),
    ratings,
    since,
    title: title === undefined ? undefined : foldName(title),
  };
}

/** The catalogue's own filters find these without reading other images. */
async function* latestIds(
  { categories, exclude, artist, character, album, ratings }: Conditions,
  catalogue: Catalogue,
  caller: Caller,
): AsyncGenerator<string[], void> {
  const names = (entries: SavedEntry[]) => entries.map(({ name }) => name);
  const filter: Filter = {
    categories: names(categories),
    exclude: names(exclude),
    artist: artist && [artist.id],
    character: character && [character.id],
    album: album && [album.id],
    nsfw: ratings,
  };
  let below: number | undefined;
  do {
    const page = await catalogue.latestImages(filter, below, PAGE_SIZE, caller);
    if ('problem' in page) throw new EditError('the catalogue changed meanwhile; try again');
    yield page.images.map(({ fileName }) => fileName.slice(0, ID_LENGTH));
    below = page.next;
  } while (below !== undefined);
}

function isMatch({ document }: SavedImage, conditions: Conditions): boolean {
  const { artist, character, album, ratings, since = '', title = '' } = conditions;
  const image = readDocument(document);
  const categories = new Set(image.categories.map(({ id }) => id));
  return (
    image.createdAt >= since &&
    foldName(image.title).includes(title) &&
    (ratings.length === 0 || ratings.includes(image.nsfw)) &&
    (!artist || image.artist === artist.id) &&
    (!character || image.characters.some(({ id }) => id === character.id)) &&
    (!album || album.images?.includes(image.id) === true) &&
    conditions.categories.every(({ id }) => categories.has(id)) &&
    !conditions.exclude.some(({ id }) => categories.has(id))
  );
}

const newestFirst = (rows: SavedImage[]) => rows.toSorted((a, b) => b.number - a.number);
