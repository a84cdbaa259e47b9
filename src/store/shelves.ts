/** What both stores agree on about shelves. */
export interface Shelf {
  number: number;
  size: number;
}

/** How many draws several categories may take before what they have in common is worked out. */
export const MOST_DRAWS = 100;

/** How many documents are rewritten at a time when a category or character has changed. */
export const REWRITTEN_AT_ONCE = 1000;
