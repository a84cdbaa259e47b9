/**
 * Checks what callers pass. Unknown options are refused: the service ignores unknown parameters, so a misspelt filter would
 * let everything through.
 */
import { ZukanError } from './error.ts';
import type {
  AllRandomOptions,
  ArtistFilter,
  CallOptions,
  ChangesOptions,
  EntryOptions,
  FileUrlOptions,
  ImageFilter,
  LatestOptions,
  LinkOptions,
  PageOptions,
  RandomFileUrlOptions,
  RandomFilter,
  RandomOptions,
  RandomPageOptions,
  SearchOptions,
  SimilarOptions,
  SingleEntryOptions,
  ZukanOptions,
} from './options.ts';

/** The compiler demands each option here, and no other. */
type Names<Options> = Record<keyof Options, true>;

const link: Names<LinkOptions> = { expiry: true, include: true };
const page: Names<PageOptions> = { limit: true, offset: true };
const imageFilter: Names<ImageFilter> = {
  q: true,
  nsfw: true,
  orientation: true,
  type: true,
  animated: true,
  minWidth: true,
  minHeight: true,
  maxWidth: true,
  maxHeight: true,
  aspectRatio: true,
  character: true,
  album: true,
};
const artistFilter: Names<ArtistFilter> = { artist: true, excludeArtist: true };
const categoryFilter = { categories: true, match: true, exclude: true } as const;
const plainFilter = { ...categoryFilter, ...imageFilter, ...artistFilter } as const;
const filter: Names<RandomFilter> = { ...plainFilter, ...link };
const allRandom: Names<AllRandomOptions> = { ...filter, seed: true };
const random: Names<RandomOptions> = { ...allRandom, limit: true };
const randomPage: Names<RandomPageOptions> = { ...random, cursor: true };
const latest: Names<LatestOptions> = { ...filter, limit: true, cursor: true };
const changes: Names<ChangesOptions> = { since: true, limit: true, nsfw: true, ...link };
const similar: Names<SimilarOptions> = { ...imageFilter, ...artistFilter, ...link, limit: true };
const file: Names<FileUrlOptions> = { width: true };
const randomFile: Names<RandomFileUrlOptions> = { ...plainFilter, seed: true, ...file };
const entry: Names<EntryOptions> = { include: true };
const search: Names<SearchOptions> = { search: true, sort: true, ...entry };
const call: Names<CallOptions> = { signal: true };
const singleEntry: Names<SingleEntryOptions> = { ...entry, ...call };
const client: Names<ZukanOptions> = { origin: true, prefix: true, token: true, fetch: true, onWait: true };
const artistImages = { ...imageFilter, ...link };
const images = { ...artistImages, ...artistFilter };
const { album: _, ...albumImages } = images;

export type OptionNames = Record<string, true>;

/** The options of each method, by what it returns. */
export const optionNames = {
  none: {},
  client,
  call,
  page,
  link,
  searchAll: latest,
  singleEntry,
  search,
  searchPage: { ...search, ...page },
  images,
  imagePage: { ...images, ...page },
  artistImages,
  artistImagePage: { ...artistImages, ...page },
  albumImages,
  albumImagePage: { ...albumImages, ...page },
  filter,
  random,
  randomPage,
  allRandom,
  latest,
  changes,
  similar,
  file,
  randomFile,
};

/** `known` is one of `optionNames`. The error names the unknown option and, if possible, the one that was meant. */
export function checkOptions(options: object, known: OptionNames): void {
  // A promise or a map has no names that could be unknown.
  if (Object.prototype.toString.call(options) !== '[object Object]')
    throw new TypeError('The options must be a plain object, such as { limit: 5 }. Is an "await" missing?');
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `Unknown option "${unknown}".${suggest(unknown, names)} The options are: ${names.join(', ') || 'none'}.`,
  );
}

function suggest(unknown: string, known: string[]): string {
  if (unknown === 'signal') return ` Pass "${unknown}" in the last argument.`;
  if (known.length === 0) return '';
  const distances = known.map((name) => countEdits(unknown.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...distances);
  const isClose = least <= Math.ceil(unknown.length / 3);
  return isClose ? ` Did you mean "${known[distances.indexOf(least)]}"?` : '';
}

/** The Levenshtein distance. */
function countEdits(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = (previous[column] ?? 0) + (letter === other[column] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Anything but a UUID could lead to another endpoint, such as `/image/random`. */
export function checkId(id: string): string {
  if (uuid.test(id)) return id;
  throw new ZukanError(400, 'Invalid ID: it must be a UUID.', '');
}
