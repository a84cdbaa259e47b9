/** Lists in the report of an import: a title, and the items below it. */

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
