/** The plan of a filter: which shelves an image must be on, which it must not, and the size it must have. */

import { foldName } from '../catalogue/names.ts';
import { type Bounds, readBounds } from '../catalogue/sets/dimension-index.ts';
import { type Filter, type FilterProblem, MAX_UNKNOWN_NAMES } from './contract/catalogue.ts';
import type { CatalogueVersion, Shelf, ShelfSnapshot } from './shelves.ts';
import { type Call, get, type View } from './view.ts';

/** Shelves of which an image must be on at least one. */
export interface Choice {
  shelves: Shelf[];
  /** The sum of the shelves' sizes: an image on two of them counts twice. */
  size: number;
  /** Whether an image can be on two of them. */
  mayOverlap: boolean;
  /** Whether every image is on one of them. */
  isAll?: boolean;
}

/** The images that are on a shelf of every choice, on no excluded shelf and within the bounds, as of one version. */
export interface Selection {
  catalogue: CatalogueVersion;
  /** The smallest one first. */
  choices: [Choice, ...Choice[]];
  excluded: Shelf[];
  /** Undefined if images of every size qualify. */
  bounds?: Bounds | undefined;
}

/** The fields of a filter that name entries by id, and the kinds of these. */
const entryFields = {
  artist: 'artist',
  excludeArtist: 'artist',
  character: 'character',
  album: 'album',
} as const;
type EntryField = keyof typeof entryFields;
const fields = Object.keys(entryFields) as EntryField[];

/** The shelves of the entries that a filter names. One that does not exist is undefined. */
export type EntryShelves = Partial<Record<EntryField, (Shelf | undefined)[]>>;

/** Looks up what the filter names. */
export function* select(view: View, filter: Filter): Call<Selection | FilterProblem> {
  const entries: EntryShelves = {};
  for (const field of fields) {
    const ids = filter[field];
    if (ids) entries[field] = yield* get(view.entryShelves(entryFields[field], [...new Set(ids)]));
  }
  return selectShelves(view.snapshot, filter, entries);
}

/** Pure. Unknown categories are reported before other unknown entries. */
export function selectShelves(
  snapshot: ShelfSnapshot,
  filter: Filter,
  entries: EntryShelves,
): Selection | FilterProblem {
  const included = findCategories(snapshot, filter.categories);
  const excluded = findCategories(snapshot, filter.exclude);
  if (included.unknown.length + excluded.unknown.length > 0)
    return { problem: { categories: included.unknown, exclude: excluded.unknown } };
  for (const field of fields) if (entries[field]?.includes(undefined)) return { problem: entryFields[field] };
  const [artist, excludeArtist, character, album] = [
    distinct(entries.artist),
    distinct(entries.excludeArtist),
    distinct(entries.character),
    distinct(entries.album),
  ];
  const choices: Choice[] = [];
  if (artist.length > 0) choices.push(choose(artist));
  if (character.length > 0) choices.push(choose(character, character.length > 1));
  if (album.length > 0) choices.push(choose(album, album.length > 1));
  if (filter.animated === true) choices.push(choose([snapshot.animated]));
  if (filter.match === 'any' && included.shelves.length > 1) choices.push(choose(included.shelves, true));
  else for (const shelf of included.shelves) choices.push(choose([shelf]));
  choices.push(
    ...chooseSome(snapshot.ratings, filter.nsfw),
    ...chooseSome(snapshot.orientations, filter.orientation),
  );
  choices.sort((a, b) => a.size - b.size);
  const [smallest = { ...choose([snapshot.all]), isAll: true }, ...others] = choices;
  const left = [
    ...excluded.shelves,
    ...excludeArtist,
    ...(filter.animated === false ? [snapshot.animated] : []),
  ];
  return {
    catalogue: snapshot,
    choices: [smallest, ...others],
    excluded: left.filter(({ size }) => size > 0),
    bounds: readBounds(filter),
  };
}

/** The one shelf whose images are exactly the selection, if there is one. */
export function soleShelf({ choices, excluded, bounds }: Selection): Shelf | undefined {
  const [{ shelves }, ...others] = choices;
  return !bounds && others.length + excluded.length === 0 && shelves.length === 1 ? shelves[0] : undefined;
}

/** All shelves that a selection names. */
export function shelvesOf({ choices, excluded }: Selection): Shelf[] {
  return choices.flatMap(({ shelves }) => shelves).concat(excluded);
}

export function countShelves({ choices, excluded }: Selection): number {
  return choices.reduce((count, { shelves }) => count + shelves.length, excluded.length);
}

/** The same key for selections of the same shelves and bounds. */
export function selectionKey({ choices, excluded, bounds }: Selection): string {
  const numbers = (shelves: Shelf[]) =>
    shelves
      .map(({ number }) => number)
      .sort((a, b) => a - b)
      .join('|');
  return `${choices
    .map(({ shelves }) => numbers(shelves))
    .sort()
    .join('&')}!${numbers(excluded)}${bounds ? `@${Object.values(bounds)}` : ''}`;
}

/** An entry can be named by its id and by a former one. */
function distinct(shelves: (Shelf | undefined)[] = []): Shelf[] {
  return [...new Map(shelves.map((shelf) => [shelf?.number, shelf as Shelf])).values()];
}

function findCategories({ categories }: ShelfSnapshot, names: readonly string[] = []) {
  // Most requests name none.
  if (names.length === 0) return { shelves: [], unknown: [] };
  const shelves = new Set<Shelf>();
  const unknown: string[] = [];
  for (const name of names) {
    const shelf = categories.get(foldName(name));
    if (shelf) shelves.add(shelf);
    else if (unknown.push(name) > MAX_UNKNOWN_NAMES) break;
  }
  return { shelves: [...shelves], unknown };
}

/** Every image has one rating and one orientation, so naming all of them is no choice. */
function chooseSome<Name>(shelves: Map<Name, Shelf>, names: readonly Name[] | undefined): Choice[] {
  if (names === undefined) return [];
  const named = new Set(names);
  if (named.size === 0 || named.size === shelves.size) return [];
  return [choose([...named].map((name) => shelves.get(name) as Shelf))];
}

function choose(shelves: Shelf[], mayOverlap = false): Choice {
  return { shelves, size: shelves.reduce((sum, { size }) => sum + size, 0), mayOverlap };
}
