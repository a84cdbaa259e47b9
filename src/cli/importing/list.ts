/** The lists in the report of an import, a title and the items below it, and other lines. Pure. */

import type { Rating } from '../../catalogue/types.ts';
import type { Problem } from '../../import/records/problems.ts';
import type { RecordLine } from '../../import/records/record.ts';
import type { IgnoreReason } from '../../import/sources/walk.ts';
import { count } from '../terminal/text.ts';

/** Longer lists are cut, and the rest is counted. */
export const MAX_LISTED = 20;

/** `total` counts the items that are not given, too. */
export function list(title: string, items: string[], total = items.length, maxListed = MAX_LISTED): string[] {
  if (items.length === 0) return [];
  const more = total > maxListed ? [`  and ${total - maxListed} more`] : [];
  return [`${title}:`, ...items.slice(0, maxListed).map((item) => `  ${item}`), ...more];
}

/** Keeps the first items and counts all. */
export class BoundedList {
  readonly items: string[] = [];
  count = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(item: string): void {
    this.count++;
    if (this.items.length < this.#max) this.items.push(item);
  }
}

export function describeProblem({ label, reason }: Problem): string {
  return `${label}: ${reason}`;
}

export function displayName(record: RecordLine): string {
  if (record.type === 'removed') return record.hash;
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

export function describeIgnored({ junk, rule }: Record<IgnoreReason, number>): string[] {
  const parts = [
    ...(junk > 0 ? [`${junk} hidden or of the system`] : []),
    ...(rule > 0 ? [`${rule} by --exclude or .zukanignore`] : []),
  ];
  return parts.length > 0 ? [`ignored files and folders: ${parts.join(', ')}`] : [];
}

export function describeLocations(pictures: number, areKept: boolean): string[] {
  return pictures === 0
    ? []
    : [`location ${areKept ? 'kept in' : 'removed from'} ${count(pictures, 'picture')}`];
}

export function describeUnread(files: number): string[] {
  if (files === 0) return [];
  return [`not read again, because they did not change: ${count(files, 'file')} (--full reads all)`];
}

/** Pictures that got each default rating. They are only counted, unless all are listed. */
export function describeUnrated(pictures: Map<Rating, BoundedList>, maxListed: number): string[] {
  return [...pictures].flatMap(([rating, { items, count: total }]) => {
    const title = `${count(total, 'picture')} without a rating imported as ${rating} (--default-rating)`;
    return maxListed === MAX_LISTED ? title : list(title, items, total, maxListed);
  });
}

/** Ratings that were not understood, with a picture that has each of them. */
export function describeMarkers(
  markers: Map<string, { label: string; count: number }>,
  maxListed: number,
): string[] {
  const items = Array.from(
    markers,
    ([marker, { label, count: pictures }]) =>
      `${marker} in ${label}${pictures > 1 ? ` and ${pictures - 1} more` : ''}`,
  );
  return list('imported as nsfw, because the rating is not understood', items, items.length, maxListed);
}
