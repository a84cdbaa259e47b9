/** Random catalogues with every property that images are filtered by, and the rule for which images match. */
import type { RandomInt } from '../../../src/lib/random.ts';
import { range } from '../checks/distribution.ts';
import { madeUpImage } from '../zukan/api.ts';
import { uuid } from './catalogue.ts';

export const ratings = ['sfw', 'questionable', 'nsfw'];
export const orientations = ['landscape', 'portrait', 'square'];
/** Categories with half of the images down to none. */
export const categoryNames = ['Alpha', 'beta', 'night sky', 'rare', 'scarce', 'empty'];
/** The last one of each has no images. */
export const artists = range(1, 5).map((index) => uuid(2, index));
export const characters = range(1, 5).map((index) => uuid(3, index));

export interface Picture {
  id: string;
  nsfw: string;
  orientation: string;
  artist: string | null;
  characters: string[];
  categories: string[];
}

/** The filters of a query. */
export interface FilterQuery {
  nsfw?: string[];
  orientation?: string[];
  categories?: string[];
  exclude?: string[];
  match?: string;
  artist?: string;
  character?: string;
}

const pick = <T>(from: readonly T[], randomInt: RandomInt): T => from[randomInt(from.length)] as T;

/** Ids in no particular order, to tell the order of ids from the order of adding. */
export const pictureId = (index: number) => uuid(5, (index * 7919) % 10_007);

export function randomPictures(from: number, to: number, randomInt: RandomInt): Picture[] {
  const oneIn = (count: number) => randomInt(count) === 0;
  return range(from, to).map((index) => ({
    id: pictureId(index),
    nsfw: pick(['sfw', 'sfw', 'sfw', 'questionable', 'questionable', 'nsfw'], randomInt),
    orientation: pick(['landscape', 'landscape', 'landscape', 'portrait', 'portrait', 'square'], randomInt),
    artist: pick([null, null, artists[0], artists[0], artists[0], artists[1], artists[2]], randomInt) ?? null,
    characters: characters.filter((_, at) => at < 3 && oneIn(at + 2)),
    categories: categoryNames.filter((_, at) => at < 5 && oneIn([2, 3, 5, 50, 40][at] ?? 1)),
  }));
}

/** One pixel decides the orientation. */
const sizes: Record<string, { width: number; height: number }> = {
  landscape: { width: 41, height: 40 },
  portrait: { width: 40, height: 41 },
  square: { width: 40, height: 40 },
};

/** The records of a catalogue file. */
export function toRecords(pictures: Picture[]): object[] {
  return [
    ...categoryNames.map((name) => ({ type: 'category', name })),
    ...artists.map((id, index) => ({ type: 'artist', id, name: `artist ${index}` })),
    ...characters.map((id, index) => ({ type: 'character', id, name: `character ${index}` })),
    ...pictures.map(({ id, orientation, ...rest }) => {
      const { meta, ...line } = madeUpImage(id, rest);
      return { ...line, meta: { ...meta, dimens: sizes[orientation] } };
    }),
  ];
}

/** The documented rule, as simple as possible. */
export function matches(picture: Picture, filter: FilterQuery): boolean {
  const { nsfw, orientation, categories = [], exclude = [], artist, character } = filter;
  const isIn = (name: string) => picture.categories.includes(name);
  if (nsfw && !nsfw.includes(picture.nsfw)) return false;
  if (orientation && !orientation.includes(picture.orientation)) return false;
  if (artist && picture.artist !== artist) return false;
  if (character && !picture.characters.includes(character)) return false;
  if (exclude.some(isIn)) return false;
  if (categories.length === 0) return true;
  return filter.match === 'any' ? categories.some(isIn) : categories.every(isIn);
}

export const matchingIds = (pictures: Picture[], filter: FilterQuery = {}): string[] =>
  pictures.filter((picture) => matches(picture, filter)).map(({ id }) => id);

export function toQuery(filter: FilterQuery): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name}=${[value].flat().map(encodeURIComponent).join(',')}`)
    .join('&');
}

/** Random filters. Each parameter is given one time in three. */
export function randomFilter(randomInt: RandomInt): FilterQuery {
  const some = (from: string[]) => range(0, 1 + randomInt(2)).map(() => pick(from, randomInt));
  const all: Required<FilterQuery> = {
    nsfw: some(ratings),
    orientation: some(orientations),
    categories: some(categoryNames.slice(0, 5)),
    exclude: some(categoryNames),
    match: pick(['all', 'any', 'any'], randomInt),
    artist: pick(artists.slice(0, 3), randomInt),
    character: pick(characters.slice(0, 3), randomInt),
  };
  return Object.fromEntries(Object.entries(all).filter(() => randomInt(3) === 0));
}
