/** Finds images, newest first or by their looks, without loading more than a page of them. */

import system, { join, posix } from 'node:path';
import type { Caller, Catalogue, Filter } from '../catalogue/catalogue.ts';
import { readDocument } from '../catalogue/documents/document.ts';
import { isFileChanged } from '../catalogue/documents/edit-image.ts';
import { foldName } from '../catalogue/names.ts';
import type { SourceFile, SourceFileReader } from '../catalogue/records.ts';
import type { Rating } from '../catalogue/types.ts';
import type { CatalogueSnapshot, Lookup, SavedEntry, SavedImage } from '../catalogue/writer.ts';
import { findByHash, MAX_LIKE } from '../import/plan/looks.ts';
import { artistOf } from '../import/records/record.ts';
import { streamBatches } from '../lib/parallel.ts';
import { EditError } from './errors.ts';
import { findEntry } from './references.ts';

type Sources = Pick<SourceFileReader, 'ofImages'>;

const PAGE_SIZE = 500;
/** The length of a UUID. */
const ID_LENGTH = 36;

/** What no shelf tells: images have to be read for it. */
export interface RecordQuery {
  /** Images created at this time or later. */
  since?: string | undefined;
  /** Images created before this time. */
  before?: string | undefined;
  /** A part of the title, ignoring case. */
  title?: string | undefined;
  /** A glob: without a slash, of the name of a source file; with one, of its path below the imported folder or from the root. */
  file?: string | undefined;
  /** A part of the path of a source file, ignoring case. */
  path?: string | undefined;
  /** Bounds of the longer side, in pixels. */
  minSide?: number | undefined;
  maxSide?: number | undefined;
}

/** Entries are named by id, name or alias. */
export interface ImageQuery extends RecordQuery {
  categories: string[];
  exclude: string[];
  artist?: string | undefined;
  character?: string | undefined;
  album?: string | undefined;
  ratings: Rating[];
  /** Only images with a field that an operator decided. */
  isEdited: boolean;
  /** Only images whose files changed since somebody rated them by hand. */
  isFileChanged: boolean;
  /** Only images that look like a picture with this perceptual hash, the nearest first. */
  like?: string | undefined;
}

interface Conditions {
  categories: SavedEntry[];
  exclude: SavedEntry[];
  artist: SavedEntry | undefined;
  character: SavedEntry | undefined;
  album: SavedEntry | undefined;
  ratings: Rating[];
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
  const isChosen = ({ edited }: SavedImage) =>
    (!query.isEdited || edited !== '') && (!query.isFileChanged || isFileChanged(edited));
  const idsOf = async (rows: SavedImage[]) => {
    const matching = rows.filter((row) => isChosen(row) && isMatch(row, conditions));
    return (await filterRecords(matching, query, sources)).map(({ id }) => id);
  };
  if (query.like !== undefined) {
    yield await idsOf(await findByHash(query.like, snapshot, MAX_LIKE));
    return;
  }
  if (query.isEdited || query.isFileChanged) {
    for await (const numbers of streamBatches(snapshot.editedImages(), PAGE_SIZE))
      yield await idsOf(newestFirst(await snapshot.imagesByNumber(numbers)));
    return;
  }
  const needsRows = [since, title, file].some((condition) => condition !== undefined);
  for await (const ids of latestIds(conditions, catalogue, caller))
    yield needsRows ? await idsOf(newestFirst(await snapshot.imagesById(ids))) : ids;
}

/** Those of the images that meet the conditions, in the same order. */
export async function filterRecords(
  rows: SavedImage[],
  { since = '', before, title = '', file, path, minSide = 0, maxSide }: RecordQuery,
  sources: Sources,
): Promise<SavedImage[]> {
  const wanted = foldName(title);
  const matching = rows.filter(({ document }) => {
    const { createdAt, title, meta } = readDocument(document);
    const side = Math.max(meta.dimens.width, meta.dimens.height);
    return (
      createdAt >= since &&
      (before === undefined || createdAt < before) &&
      foldName(title).includes(wanted) &&
      side >= minSide &&
      side <= (maxSide ?? side)
    );
  });
  const fromGlob = file === undefined ? matching : await fromFile(matching, globMatcher(file), sources);
  return path === undefined ? fromGlob : await fromFile(fromGlob, partMatcher(path), sources);
}

/** The source files of images, by id. Those with other bytes by now are left out, and the one that counts comes first. */
export async function findSources(sources: Sources, ids: string[]): Promise<Map<string, SourceFile[]>> {
  const files = (await sources.ofImages(ids)).filter(({ state }) => state !== 'replaced');
  const inOrder = [...files.filter(({ state }) => state === 'first'), ...files.filter(isCopy)];
  return Map.groupBy(inOrder, ({ image }) => image);
}

const isCopy = ({ state }: SourceFile) => state === 'copy';

/** Whether an image came from a file; of one that nobody knows the path of, only the name is known. */
type FileMatcher = (file: Pick<SourceFile, 'folder' | 'path'>) => boolean;

export function globMatcher(glob: string, { basename, isAbsolute, join, sep } = system): FileMatcher {
  const unify = (path: string) => path.replaceAll(sep, '/').normalize();
  const pattern = unify(glob);
  const isMatch = (path: string) => posix.matchesGlob(unify(path), pattern);
  return ({ folder, path }) => {
    if (!pattern.includes('/')) return isMatch(basename(path));
    return isMatch(isAbsolute(pattern) ? join(folder, path) : path);
  };
}

function partMatcher(part: string): FileMatcher {
  const wanted = foldName(part);
  return ({ folder, path }) => foldName(join(folder, path)).includes(wanted);
}

async function fromFile(rows: SavedImage[], isMatch: FileMatcher, sources: Sources): Promise<SavedImage[]> {
  const found = await findSources(
    sources,
    rows.map(({ id }) => id),
  );
  return rows.filter(({ id, document }) => {
    const files = found.get(id) ?? [{ folder: '', path: readDocument(document).fileName }];
    return files.some(isMatch);
  });
}

async function resolve(query: ImageQuery, lookup: Lookup): Promise<Conditions> {
  const { artist, character, album, ratings } = query;
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
    nsfw: ratings.length > 0 ? ratings : undefined,
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
  const { artist, character, album, ratings } = conditions;
  const image = readDocument(document);
  const categories = new Set(image.categories.map(({ id }) => id));
  return (
    (ratings.length === 0 || ratings.includes(image.nsfw)) &&
    (!artist || image.artist === artist.id) &&
    (!character || image.characters.some(({ id }) => id === character.id)) &&
    (!album || album.images?.includes(image.id) === true) &&
    conditions.categories.every(({ id }) => categories.has(id)) &&
    !conditions.exclude.some(({ id }) => categories.has(id))
  );
}

const newestFirst = (rows: SavedImage[]) => rows.toSorted((a, b) => b.number - a.number);
