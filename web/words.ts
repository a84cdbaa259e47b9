/** What things are called on the page: titles, descriptions of pictures, sizes and durations. */

import type { Kind, Place } from './place.ts';
import type { Entry, Picture } from './types.ts';

const listed = new Intl.ListFormat('en');
const numbers = new Intl.NumberFormat('en');

/** The description of a picture for those who do not see it, and the title of its view. */
export function describe({ characters, categories }: Picture): string {
  const who = listed.format(characters.map(({ name }) => name));
  const what = categories.map(({ name }) => name).join(', ');
  return [who, what].filter(Boolean).join(': ') || 'A picture without a description';
}

export function nameOf({ characters }: Picture): string {
  return listed.format(characters.map(({ name }) => name)) || 'Untitled';
}

export function titleOf(place: Place, subject: Entry | undefined): string {
  if (place.name === 'random') return listed.format(place.categories) || 'At random';
  if (place.name === 'search') return place.search ? `“${place.search}”` : capital(place.kind);
  return subject?.name ?? capital(place.name);
}

/** The kind of page, above its title. */
export function eyebrowOf(place: Place): string {
  if (place.name === 'random') return place.categories.length > 0 ? 'Pictures of' : 'Pictures';
  if (place.name === 'search') return place.search ? `Search in ${place.kind}` : 'Browse';
  return capital(place.name);
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function counted(count: number, kind: Kind | 'pictures'): string {
  const one = kind === 'categories' ? 'category' : kind.slice(0, -1);
  return `${numbers.format(count)} ${count === 1 ? one : kind}`;
}

/** At the end of all pictures. */
export function allText(count: number): string {
  return count === 1 ? 'That is the only picture.' : `That is all: ${counted(count, 'pictures')}.`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [amount, unit] = bytes < 1e6 ? [bytes / 1000, 'KB'] : [bytes / 1e6, 'MB'];
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`;
}

export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [days, hours, minutes] = [whole / 86_400, (whole / 3600) % 24, (whole / 60) % 60].map(Math.floor);
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

export function dayText(moment: string): string {
  return new Date(moment).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
