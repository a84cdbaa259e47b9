/** Every sentence of the pages, and how they write names, numbers and dates. Another language is another object like `texts`. */

import type { FoundWord } from '../catalogue/catalogue.ts';
import { altOf as knownAlt, titleOf as knownTitle } from '../catalogue/rights.ts';
import type { Image, Kind, Rating } from '../catalogue/schemas.ts';
import { listInEnglish } from '../lib/text.ts';

export const LANGUAGE = 'en';
/** `Intl` takes long to load, so not when the server starts. */
let dates: Intl.DateTimeFormat | undefined;

const one = {
  artist: 'artist',
  character: 'character',
  category: 'category',
  album: 'album',
  image: 'picture',
};
const many = {
  artist: 'artists',
  character: 'characters',
  category: 'categories',
  album: 'albums',
  image: 'pictures',
};
const grouped = (number: number) => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
const counted = (count: number, kind: Kind | 'image') =>
  `${grouped(count)} ${(count === 1 ? one : many)[kind]}`;
const capitalised = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
const relations = { artist: 'by', character: 'of', category: 'in', album: 'in' };

export const texts = {
  skip: 'Skip to the pictures',
  browse: 'Browse',
  menu: 'More',
  search: 'Search',
  random: 'Random',
  newest: 'Newest',
  pictures: 'Pictures',
  kinds: (kind: Kind) => capitalised(many[kind]),
  kind: (kind: Kind) => capitalised(one[kind]),
  count: counted,

  // Descriptions for search engines and link previews.
  siteDescription: (site: string, count: number) => `${counted(count, 'image')} on ${site}.`,
  newestDescription: (site: string) => `The newest pictures on ${site}.`,
  listDescription: (kind: Kind, count: number, site: string) => `${counted(count, kind)} on ${site}.`,
  entryDescription: (kind: Kind, name: string, count: number) =>
    `${counted(count, 'image')} ${relations[kind]} ${name}`,
  pixels: (width: number, height: number) => `${width} × ${height} pixels`,
  by: (title: string, artist: string) => `${title} by ${artist}`,
  picture: 'Picture',
  noAlt: 'Image without a description',

  // The grid and its filters.
  shuffle: 'Shuffle',
  more: 'More pictures',
  previousPage: 'Back',
  nextPage: 'Next',
  pages: 'Pages',
  animation: 'Animation',
  filters: 'Filters',
  apply: 'Show',
  clear: 'Clear',
  rating: 'Rating',
  shape: 'Shape',
  motion: 'Motion',
  anyMotion: 'Still and animated',
  animated: 'Animated',
  still: 'Still',
  width: 'Width at least',
  anyWidth: 'Any',
  widthOf: (width: number) => `${grouped(width)} pixels`,
  ratings: { sfw: 'sfw', questionable: 'questionable', nsfw: 'nsfw' } satisfies Record<Rating, string>,
  shapes: { landscape: 'landscape', portrait: 'portrait', square: 'square' },
  categories: 'Categories',
  add: (name: string) => `Only pictures in ${name}, too`,
  remove: (name: string) => `Without the filter ${name}`,
  not: (name: string) => `not ${name}`,
  named: { artist: 'by', excludeArtist: 'not by', character: 'showing', album: 'in' },
  matching: (names: readonly string[], isAny: boolean) => listInEnglish(names, isAny ? 'or' : 'and'),
  unblur: 'Unblur all',
  blur: 'Blur again',
  blurred: (rating: Rating) => `${rating} · show`,
  blurredPicture: (rating: Rating) => `This picture is rated ${rating}.`,
  showPicture: 'Show the picture',
  noPictures: 'No pictures match.',
  emptyCatalogue: 'There are no pictures yet.',
  nothingFound: (text: string) => `Nothing found for “${text}”.`,
  searchHint: 'Search for artists, characters, categories, albums, titles and descriptions.',
  unknownWord: ({ text, excluded, as }: Pick<FoundWord, 'text' | 'excluded' | 'as'>) =>
    as === 'nothing'
      ? `“${text}” is not a word.`
      : excluded
        ? `No picture is about “${text.slice(1)}”, so nothing is left out.`
        : `No picture is about “${text}”.`,
  didYouMean: 'Did you mean',
  found: (text: string) => `“${text}”`,

  // Lists of entries.
  filterByName: 'Filter by name',
  byName: 'Name',
  byImages: 'Most pictures',
  sortBy: 'Sort by',
  letters: 'First letters',
  allLetters: 'All',
  otherLetters: 'Other characters',
  noEntries: (kind: Kind) => `No ${many[kind]} match.`,
  feed: 'Feed',
  ageOrAges: (count: number) => (count === 1 ? 'Age' : 'Ages'),
  source: 'Source',
  gender: 'Gender',
  born: 'Born',
  nationality: 'Nationality',
  occupation: 'Occupation',
  added: 'Added',
  taken: 'Taken',

  // The page of a picture.
  breadcrumb: 'You are here',
  artist: 'Artist',
  licence: 'Licence',
  credit: 'How to credit',
  creditWith: (credit: string, licence: string) => `${credit}, ${licence}`,
  download: 'Download',
  original: 'Original',
  size: (width: number, height: number) => `${width} × ${height}`,
  file: (type: string, bytes: number) =>
    `${type.slice('image/'.length).toUpperCase()}, ${formatBytes(bytes)}`,
  tags: 'Characters and categories',
  report: 'Report this picture',
  similar: 'Similar pictures',
  previous: 'Previous',
  next: 'Next',

  // The end of every page.
  api: 'API',

  // What went wrong.
  missing: 'There is nothing here',
  missingLead: 'The address may be misspelt, or what was here is gone.',
  invalid: 'This address is not right',
  unavailable: 'Not available at the moment',
  unavailableLead: 'Try again in a moment.',
  openGallery: 'Open the gallery',
};

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1e6 ? [bytes / 1000, 'KB'] : [bytes / 1e6, 'MB'];
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`;
}

/** The day, as it was where the picture was taken. */
export function formatDay(time: string): string {
  dates ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return time && dates.format(new Date(time.slice(0, 'yyyy-mm-dd'.length)));
}

// What an image is called (catalogue/rights.ts).

const MAX_TEXT_LENGTH = 200;

/** On one line, and never empty. */
export const titleOf = (image: Image): string => shorten(knownTitle(image)) || texts.picture;

/** For those who do not see it. */
export const altOf = (image: Image): string => shorten(knownAlt(image)) || texts.noAlt;

export function categoryNames({ categories }: Image): string[] {
  return categories.flatMap(({ name, nsfw }) => (nsfw ? [] : [name]));
}

const PLAIN = /^[!-~](?: ?[!-~])*$/;

/** On one line. Control characters, and those that change the direction of the text around them, become spaces. */
export function shorten(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH && PLAIN.test(text)) return text;
  const line = text.slice(0, 2000).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ');
  const letters = [...line.trim()];
  return letters.length <= MAX_TEXT_LENGTH
    ? letters.join('')
    : `${letters.slice(0, MAX_TEXT_LENGTH - 1).join('')}…`;
}
