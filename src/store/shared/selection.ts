/** Which images a filter asks for, in terms of shelves. */

import type { Filter, FilterProblem } from '../../catalogue/catalogue.ts';
import { fold } from '../../catalogue/fold.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { Shelf, ShelfSnapshot } from './shelves.ts';

/** Shelves of which an image has to be on one. */
export interface Choice {
  shelves: Shelf[];
  /** Of all of them together: an image that is on two counts twice. */
  size: number;
  /** Whether there can be such images. */
  mayOverlap: boolean;
}

export interface Selection {
  /** The one with the fewest images, and all others. */
  choices: [Choice, ...Choice[]];
  /** An image may be on none of these. */
  none: Shelf[];
}

/** The kinds of entries that a filter names by their id. */
export const kindsById = ['artist', 'character'] as const;

/** `find` gives the shelf of an artist or character, where there is one. Unknown names of categories are told first. */
export function selectionOf(
  shelves: ShelfSnapshot,
  filter: Filter,
  find: (kind: Kind, id: string) => Shelf | undefined,
): Selection | FilterProblem {
  const wanted = named(shelves, filter.categories);
  const unwanted = named(shelves, filter.exclude);
  if (wanted.unknown.length + unwanted.unknown.length > 0)
    return { problem: { categories: wanted.unknown, exclude: unwanted.unknown } };
  const choices: Choice[] = [];
  for (const kind of kindsById) {
    const id = filter[kind];
    if (id === undefined) continue;
    const shelf = find(kind, id);
    if (!shelf) return { problem: kind };
    choices.push(choiceOf([shelf]));
  }
  if (filter.match === 'any' && wanted.shelves.length > 1) choices.push(choiceOf(wanted.shelves, true));
  else for (const shelf of wanted.shelves) choices.push(choiceOf([shelf]));
  choices.push(...oneOf(shelves.ratings, filter.nsfw), ...oneOf(shelves.orientations, filter.orientation));
  choices.sort((a, b) => a.size - b.size);
  const [first = choiceOf([shelves.all]), ...others] = choices;
  return { choices: [first, ...others], none: unwanted.shelves };
}

/** The shelf that all of a selection stands on, and nothing else does. */
export function onlyShelf({ choices, none }: Selection): Shelf | undefined {
  const [{ shelves }, ...others] = choices;
  return others.length + none.length === 0 && shelves.length === 1 ? shelves[0] : undefined;
}

/** How many shelves it takes to tell whether an image is meant. */
export function shelfCount({ choices, none }: Selection): number {
  return choices.reduce((count, { shelves }) => count + shelves.length, none.length);
}

/** The same for all selections that ask for the same. */
export function keyOf({ choices, none }: Selection): string {
  const numbers = (shelves: Shelf[]) =>
    shelves
      .map(({ number }) => number)
      .sort((a, b) => a - b)
      .join('|');
  return `${choices
    .map(({ shelves }) => numbers(shelves))
    .sort()
    .join('&')}!${numbers(none)}`;
}

function named(
  { categories }: ShelfSnapshot,
  names: readonly string[] = [],
): { shelves: Shelf[]; unknown: string[] } {
  const found = new Set<Shelf>();
  const unknown: string[] = [];
  for (const name of names) {
    const shelf = categories.get(fold(name));
    if (shelf) found.add(shelf);
    else unknown.push(name);
  }
  return { shelves: [...found], unknown };
}

/** Every image has one rating and one orientation: any of them is no choice. */
function oneOf<Name>(shelves: Map<Name, Shelf>, names: readonly Name[] | undefined): Choice[] {
  const wanted = new Set(names);
  if (wanted.size === 0 || wanted.size === shelves.size) return [];
  return [choiceOf([...wanted].map((name) => shelves.get(name) as Shelf))];
}

function choiceOf(shelves: Shelf[], mayOverlap = false): Choice {
  return { shelves, size: shelves.reduce((sum, { size }) => sum + size, 0), mayOverlap };
}
