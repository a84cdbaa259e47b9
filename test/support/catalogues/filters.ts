/** Random catalogues with every property that images are filtered by, and the rule for which images match. */
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { fileTypes } from '../../../src/catalogue/schemas.ts';
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
/** The album of the pictures that are in one. */
export const albumId = uuid(6, 1);

export interface Picture {
  id: string;
  nsfw: string;
  orientation: string;
  artist: string | null;
  characters: string[];
  categories: string[];
  /** That of its orientation if not given. */
  size?: Size;
  isAnimated?: boolean;
  /** `png` if not given. */
  type?: string;
  isInAlbum?: boolean;
}

interface Size {
  width: number;
  height: number;
}

/** The filters of a query. */
export interface FilterQuery {
  nsfw?: string[];
  orientation?: string[];
  categories?: string[];
  exclude?: string[];
  match?: string;
  artist?: string[];
  excludeArtist?: string[];
  character?: string[];
  album?: string[];
  animated?: boolean;
  minWidth?: number;
  minHeight?: number;
  maxWidth?: number;
  maxHeight?: number;
  type?: string[];
  aspectRatio?: string;
}

const pick = <T>(from: readonly T[], randomInt: RandomInt): T => from[randomInt(from.length)] as T;

/** Ids in no particular order, to tell the order of ids from the order of adding. */
export const pictureId = (index: number) => uuid(5, (index * 7919) % 10_007);

export function randomPictures(from: number, to: number, randomInt: RandomInt): Picture[] {
  const oneIn = (count: number) => randomInt(count) === 0;
  return range(from, to).map((index) => {
    const orientation = pick(
      ['landscape', 'landscape', 'landscape', 'portrait', 'portrait', 'square'],
      randomInt,
    );
    return {
      id: pictureId(index),
      nsfw: pick(['sfw', 'sfw', 'sfw', 'questionable', 'questionable', 'nsfw'], randomInt),
      orientation,
      artist:
        pick([null, null, artists[0], artists[0], artists[0], artists[1], artists[2]], randomInt) ?? null,
      characters: characters.filter((_, at) => at < 3 && oneIn(at + 2)),
      categories: categoryNames.filter((_, at) => at < 5 && oneIn([2, 3, 5, 50, 40][at] ?? 1)),
      size: sizeOf(orientation, (index * 7) % 11),
      isAnimated: index % 6 === 1,
      type: fileTypes[(index * 3) % 7] ?? 'webp',
    };
  });
}

/** One pixel decides the orientation. The next two are just within 2 % of 16:9, and just not. */
const landscapes = [
  { width: 41, height: 40 },
  { width: 816, height: 450 },
  { width: 817, height: 450 },
  ...[
    { width: 1920, height: 1080 },
    { width: 1600, height: 1200 },
  ],
];
const squares = [
  { width: 40, height: 40 },
  { width: 1200, height: 1200 },
];

function sizeOf(orientation: string, variant = 0): Size {
  if (orientation === 'square') return squares[variant % squares.length] as Size;
  const { width, height } = landscapes[variant % landscapes.length] as Size;
  return orientation === 'landscape' ? { width, height } : { width: height, height: width };
}

/** The records of a catalogue file. */
export function toRecords(pictures: Picture[]): object[] {
  return [
    ...categoryNames.map((name) => ({ type: 'category', name })),
    ...artists.map((id, index) => ({ type: 'artist', id, name: `artist ${index}` })),
    ...characters.map((id, index) => ({ type: 'character', id, name: `character ${index}` })),
    ...pictures.map(
      ({ id, orientation, size = sizeOf(orientation), isAnimated, type = 'png', isInAlbum, ...rest }) => {
        const { meta, ...line } = madeUpImage(id, rest);
        const previews = isAnimated === undefined ? undefined : { sizes: [], thumbHash: 'ABCD', isAnimated };
        return {
          ...line,
          meta: { ...meta, dimens: size, mimetype: `image/${type}` },
          ...(previews && { thumbnails: previews }),
        };
      },
    ),
  ];
}

/** The documented rule, as simple as possible. */
export function matches(picture: Picture, filter: FilterQuery): boolean {
  const { nsfw, orientation, categories = [], exclude = [], artist, excludeArtist, character } = filter;
  const { width, height } = picture.size ?? sizeOf(picture.orientation);
  const { animated, minWidth = 0, minHeight = 0, maxWidth = width, maxHeight = height, aspectRatio } = filter;
  if (filter.album && !picture.isInAlbum) return false;
  const type = filter.type?.map((name) => name.replace('jpg', 'jpeg'));
  const isBy = (ids: string[]) => picture.artist !== null && ids.includes(picture.artist);
  const isIn = (name: string) => picture.categories.includes(name);
  if (nsfw && !nsfw.includes(picture.nsfw)) return false;
  if (orientation && !orientation.includes(picture.orientation)) return false;
  if ((artist && !isBy(artist)) || (excludeArtist && isBy(excludeArtist))) return false;
  if (character && !character.some((id) => picture.characters.includes(id))) return false;
  if (animated !== undefined && (picture.isAnimated ?? false) !== animated) return false;
  if (width < minWidth || height < minHeight || width > maxWidth || height > maxHeight) return false;
  if (type && !type.includes(picture.type ?? 'png')) return false;
  const [across = 0, down = 0] = aspectRatio?.split(':').map(Number) ?? [];
  // In hundredths, so that the limits are whole numbers.
  const [wanted, actual] = [height * across, 100 * width * down];
  if (aspectRatio && (actual < 98 * wanted || actual > 102 * wanted)) return false;
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

/** Random filters. Each parameter is given one time in three, or in eight, so that some images often match. */
export function randomFilter(randomInt: RandomInt): FilterQuery {
  const some = (from: string[]) => range(0, 1 + randomInt(2)).map(() => pick(from, randomInt));
  const all = {
    nsfw: some(ratings),
    orientation: some(orientations),
    categories: some(categoryNames.slice(0, 5)),
    exclude: some(categoryNames),
    match: pick(['all', 'any', 'any'], randomInt),
    artist: some(artists.slice(0, 3)),
    excludeArtist: some(artists.slice(0, 3)),
    character: some(characters.slice(0, 3)),
    animated: randomInt(2) === 0,
    minWidth: pick([41, 450, 816, 817, 1081], randomInt),
    minHeight: pick([41, 450, 817, 1080, 1081], randomInt),
    maxWidth: pick([40, 450, 816, 1200], randomInt),
    maxHeight: pick([39, 449, 816, 1200], randomInt),
    type: some(['jpeg', 'jpg', 'webp', 'gif', 'avif']),
    aspectRatio: pick(['16:9', '9:16', '1:1', '4:3', '41:40'], randomInt),
  } satisfies Record<Exclude<keyof Filter, 'album' | 'q'>, unknown>;
  const isRarer = (name: string) =>
    name === 'excludeArtist' || Object.keys(all).indexOf(name) > Object.keys(all).indexOf('character');
  return Object.fromEntries(Object.entries(all).filter(([name]) => randomInt(isRarer(name) ? 8 : 3) === 0));
}
