/** Made-up catalogues with all that random images may be chosen by, and who qualifies, in plain words. */
import type { RandomInt } from '../../src/random.ts';
import { madeUpImage } from './api.ts';
import { uuid } from './catalogue.ts';
import { range } from './distribution.ts';

export const ratings = ['sfw', 'questionable', 'nsfw'];
export const orientations = ['landscape', 'portrait', 'square'];
/** From half of the images to none. */
export const shelves = ['Alpha', 'beta', 'night sky', 'rare', 'scarce', 'empty'];
/** The last of each has no images. */
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

/** What is asked for; a parameter that is missing is not given. */
export interface Wanted {
  nsfw?: string[];
  orientation?: string[];
  categories?: string[];
  exclude?: string[];
  match?: string;
  artist?: string;
  character?: string;
}

const pick = <T>(from: readonly T[], randomInt: RandomInt): T => from[randomInt(from.length)] as T;

/** Ids that follow no order, so that the order of adding is not taken for theirs. */
export const pictureId = (index: number) => uuid(5, (index * 7919) % 10_007);

export function somePictures(from: number, to: number, randomInt: RandomInt): Picture[] {
  const oneIn = (count: number) => randomInt(count) === 0;
  return range(from, to).map((index) => ({
    id: pictureId(index),
    nsfw: pick(['sfw', 'sfw', 'sfw', 'questionable', 'questionable', 'nsfw'], randomInt),
    orientation: pick(['landscape', 'landscape', 'landscape', 'portrait', 'portrait', 'square'], randomInt),
    artist: pick([null, null, artists[0], artists[0], artists[0], artists[1], artists[2]], randomInt) ?? null,
    characters: characters.filter((_, at) => at < 3 && oneIn(at + 2)),
    categories: shelves.filter((_, at) => at < 5 && oneIn([2, 3, 5, 50, 40][at] ?? 1)),
  }));
}

/** One pixel makes the difference between the orientations. */
const sizes: Record<string, { width: number; height: number }> = {
  landscape: { width: 41, height: 40 },
  portrait: { width: 40, height: 41 },
  square: { width: 40, height: 40 },
};

/** The lines of a catalogue file. */
export function linesOf(pictures: Picture[]): object[] {
  return [
    ...shelves.map((name) => ({ type: 'category', name })),
    ...artists.map((id, index) => ({ type: 'artist', id, name: `artist ${index}` })),
    ...characters.map((id, index) => ({ type: 'character', id, name: `character ${index}` })),
    ...pictures.map(({ id, orientation, ...rest }) => {
      const { meta, ...line } = madeUpImage(id, rest);
      return { ...line, meta: { ...meta, dimens: sizes[orientation] } };
    }),
  ];
}

/** The rule, as a person would say it. */
export function qualifies(picture: Picture, wanted: Wanted): boolean {
  const { nsfw, orientation, categories = [], exclude = [], artist, character } = wanted;
  const isIn = (name: string) => picture.categories.includes(name);
  if (nsfw && !nsfw.includes(picture.nsfw)) return false;
  if (orientation && !orientation.includes(picture.orientation)) return false;
  if (artist && picture.artist !== artist) return false;
  if (character && !picture.characters.includes(character)) return false;
  if (exclude.some(isIn)) return false;
  if (categories.length === 0) return true;
  return wanted.match === 'any' ? categories.some(isIn) : categories.every(isIn);
}

export const idsOf = (pictures: Picture[], wanted: Wanted = {}): string[] =>
  pictures.filter((picture) => qualifies(picture, wanted)).map(({ id }) => id);

export function queryOf(wanted: Wanted): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${name}=${[value].flat().map(encodeURIComponent).join(',')}`)
    .join('&');
}

/** A random choice of parameters, each of them given one time in three. */
export function someWanted(randomInt: RandomInt): Wanted {
  const some = (from: string[]) => range(0, 1 + randomInt(2)).map(() => pick(from, randomInt));
  const all: Required<Wanted> = {
    nsfw: some(ratings),
    orientation: some(orientations),
    categories: some(shelves.slice(0, 5)),
    exclude: some(shelves),
    match: pick(['all', 'any', 'any'], randomInt),
    artist: pick(artists.slice(0, 3), randomInt),
    character: pick(characters.slice(0, 3), randomInt),
  };
  return Object.fromEntries(Object.entries(all).filter(() => randomInt(3) === 0));
}
