/** Finds images, newest first, without loading more than a page of them. */

import { readDocument } from '../catalogue/documents/document.ts';
import type { Rating } from '../catalogue/types.ts';
import { artistOf } from '../import/sources/record.ts';
import { streamBatches } from '../lib/parallel.ts';
import type { Caller, Catalogue, Filter } from '../store/contract/catalogue.ts';
import type { CatalogueSnapshot, Lookup, SavedEntry, SavedImage } from '../store/contract/writer.ts';
import { EditError } from './errors.ts';
import { findEntry } from './references.ts';

const PAGE_SIZE = 500;
/** The length of a UUID. */
const ID_LENGTH = 36;

/** Entries are named by id, name or alias. */
export interface ImageQuery {
  categories: string[];
  exclude: string[];
  artist?: string | undefined;
  character?: string | undefined;
  ratings: Rating[];
  /** Images created at this time or later. */
  since?: string | undefined;
  /** Only images with a field that an operator decided. */
  isEdited: boolean;
}

interface Conditions {
  categories: SavedEntry[];
  exclude: SavedEntry[];
  artist: SavedEntry | undefined;
  character: SavedEntry | undefined;
  ratings: Rating[];
  since: string | undefined;
}

/** Yields the ids of images, page by page. */
export async function* findImages(
  query: ImageQuery,
  catalogue: Catalogue,
  snapshot: CatalogueSnapshot,
  caller: Caller,
): AsyncGenerator<string[], void> {
  const conditions = await resolve(query, snapshot);
  const idsOf = (rows: SavedImage[]) => rows.filter((row) => isMatch(row, conditions)).map(({ id }) => id);
  if (query.isEdited) {
    for await (const numbers of streamBatches(snapshot.editedImages(), PAGE_SIZE))
      yield idsOf(newestFirst(await snapshot.imagesByNumber(numbers)));
    return;
  }
  for await (const ids of latestIds(conditions, catalogue, caller))
    yield conditions.since === undefined ? ids : idsOf(newestFirst(await snapshot.imagesById(ids)));
}

async function resolve(query: ImageQuery, lookup: Lookup): Promise<Conditions> {
  const { artist, character, ratings, since } = query;
  const find = (kind: 'artist' | 'character', reference: string | undefined) =>
    reference === undefined ? undefined : findEntry(lookup, kind, reference);
  const categories = (names: string[]) =>
    Promise.all(names.map((name) => findEntry(lookup, 'category', name)));
  return {
    categories: await categories(query.categories),
    exclude: await categories(query.exclude),
    artist: await find('artist', artist === undefined ? undefined : artistOf({ artist })),
    character: await find('character', character),
    ratings,
    since,
  };
}

/** The catalogue's own filters find these without reading other images. */
async function* latestIds(
  { categories, exclude, artist, character, ratings }: Conditions,
  catalogue: Catalogue,
  caller: Caller,
): AsyncGenerator<string[], void> {
  const names = (entries: SavedEntry[]) => entries.map(({ name }) => name);
  const filter: Filter = {
    categories: names(categories),
    exclude: names(exclude),
    artist: artist?.id,
    character: character?.id,
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
  const { artist, character, ratings, since = '' } = conditions;
  const image = readDocument(document);
  const categories = new Set(image.categories.map(({ id }) => id));
  return (
    image.createdAt >= since &&
    (ratings.length === 0 || ratings.includes(image.nsfw)) &&
    (!artist || image.artist === artist.id) &&
    (!character || image.characters.some(({ id }) => id === character.id)) &&
    conditions.categories.every(({ id }) => categories.has(id)) &&
    !conditions.exclude.some(({ id }) => categories.has(id))
  );
}

const newestFirst = (rows: SavedImage[]) => rows.toSorted((a, b) => b.number - a.number);
