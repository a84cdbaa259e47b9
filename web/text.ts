/** Texts of the page: titles, descriptions of images, counts, sizes and durations. */
import { getCachedSubject } from './cache.ts';
import type { EntryKind, Selection, View } from './route.ts';
import { letterOf } from './search-pattern.ts';
import type { Entry, GalleryImage } from './types.ts';

const lists = new Intl.ListFormat('en');
const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });
/** The id that the service gives to the artist of images without one. */
const UNKNOWN_ARTIST = 'b5657ad2-a33e-52b7-ae74-d238673dfd08';
const numbers = new Intl.NumberFormat('en');

/** The alternative text of an image. */
export function describeImage({ title, characters, categories }: GalleryImage): string {
  const characterNames = lists.format(characters.map(({ name }) => name));
  const categoryNames = categories.map(({ name }) => name).join(', ');
  return [title, characterNames, categoryNames].filter(Boolean).join(': ') || 'Image without a description';
}

const namesOf = (entries: { name: string }[]): string => lists.format(entries.map(({ name }) => name));

/** Empty if it has none. */
export function imageTitle({ title, characters }: GalleryImage): string {
  return title || namesOf(characters);
}

/** As in link previews: what is known about an image without a title says more than that it has none. */
export function titleWithArtist(image: GalleryImage): string {
  const { artistDetails } = image;
  const artist = hasArtist(image) && artistDetails ? ` by ${artistDetails.name}` : '';
  return (imageTitle(image) || namesOf(image.categories) || 'Image') + artist;
}

export const hasArtist = ({ artist }: GalleryImage): boolean => artist !== UNKNOWN_ARTIST;

export function viewTitle(view: View, subject: Entry | undefined): string {
  if ('categories' in view) {
    const start = view.categories.length > 0 ? [] : [capitalize(view.name)];
    return [...start, ...selectionParts(view)].join(' ');
  }
  if (view.name === 'list' && letterOf(view.search)) return capitalize(view.kind);
  if ('search' in view && view.search) return `“${view.search}”`;
  if (view.name === 'list') return capitalize(view.kind);
  return subject?.name ?? capitalize(view.name);
}

/** The names that a selection consists of, with the words between them. Names that are not loaded are not known. */
export function selectionParts(selection: Selection): string[] {
  const { categories, match, exclude, artists, excludeArtists, characters } = selection;
  const named = (ids: string[], unknown: string) => ids.map((id) => getCachedSubject(id)?.name ?? unknown);
  const parts: [string, string[]][] = [
    ['without', exclude],
    ['showing', named(characters, 'a character')],
    ['by', named(artists, 'an artist')],
    ['not by', named(excludeArtists, 'an artist')],
  ];
  return [
    (match === 'any' ? alternatives : lists).format(categories),
    ...parts.map(([word, names]) => (names.length > 0 ? `${word} ${alternatives.format(names)}` : '')),
  ].filter(Boolean);
}

/** The small line above the title. */
export function viewEyebrow(view: View): string {
  if ('categories' in view) {
    if (view.categories.length === 0) return 'Images';
    return view.name === 'newest' ? 'Newest in' : 'Images in';
  }
  if (view.name === 'search') return 'Search';
  if (view.name === 'list')
    return view.search && !letterOf(view.search) ? `Search in ${view.kind}` : 'Browse';
  return capitalize(view.name);
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function formatCount(count: number, kind: EntryKind | 'images'): string {
  const singular = kind === 'categories' ? 'category' : kind.slice(0, -1);
  return `${numbers.format(count)} ${count === 1 ? singular : kind}`;
}

export function allShownText(count: number, kind: EntryKind | 'images'): string {
  const text = formatCount(count, kind);
  return count === 1 ? `Only ${text}.` : `All ${text} shown.`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1e6 ? [bytes / 1000, 'KB'] : [bytes / 1e6, 'MB'];
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`;
}

export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [days, hours, minutes] = [whole / 86_400, (whole / 3600) % 24, (whole / 60) % 60].map(Math.floor);
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

/** For people who wait: `42 minutes`, `1 hour 5 minutes`. */
export function formatWait(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.ceil((seconds % 3600) / 60)];
  if (seconds <= 60) return countUnits(Math.max(1, Math.ceil(seconds)), 'second');
  if (minutes === 60) return countUnits(hours + 1, 'hour');
  const parts = [hours && countUnits(hours, 'hour'), minutes && countUnits(minutes, 'minute')];
  return parts.filter(Boolean).join(' ');
}

function countUnits(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The day, as it was where the picture was taken. */
export function formatTakenAt(takenAt: string): string {
  return takenAt && formatDate(takenAt.slice(0, 'yyyy-mm-dd'.length));
}

export function formatDate(time: string): string {
  return new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
