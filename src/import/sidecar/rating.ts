/** What all markers of a picture say together: the strictest wins, and one that is not understood counts as explicit. */
import type { Rating } from '../../catalogue/types.ts';
import type { UnknownMarker } from '../sources/record.ts';
import type { Marker } from './markers.ts';

/** `rating` is undefined if there is no marker. */
export interface MarkedRating {
  rating: Rating | undefined;
  unknown: UnknownMarker[];
}

const MAX_UNKNOWN = 5;
const MAX_LENGTH = 60;
const strictness: Rating[] = ['sfw', 'questionable', 'nsfw'];

export function isStricter(a: Rating, b: Rating): boolean {
  return strictness.indexOf(a) > strictness.indexOf(b);
}

export function strictest(a: Rating | undefined, b: Rating | undefined): Rating | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isStricter(a, b) ? a : b;
}

export function rateByMarkers(markers: Iterable<Marker>): MarkedRating {
  let marked: MarkedRating = { rating: undefined, unknown: [] };
  for (const { field, value, rating } of markers) {
    const unknown = rating === undefined ? [{ field: cut(field), value: cut(value) }] : [];
    marked = combine(marked, { rating: rating ?? 'nsfw', unknown });
  }
  return marked;
}

export function combine(a: MarkedRating, b: MarkedRating): MarkedRating {
  const isNew = (marker: UnknownMarker) =>
    !a.unknown.some(({ field, value }) => field === marker.field && value === marker.value);
  const unknown = [...a.unknown, ...b.unknown.filter(isNew)].slice(0, MAX_UNKNOWN);
  return { rating: strictest(a.rating, b.rating), unknown };
}

function cut(text: string): string {
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return shown.toWellFormed();
}
