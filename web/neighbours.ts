/** Finds the images before and after the open one. */

export interface Place {
  previous: string | undefined;
  next: string | undefined;
  /** Where to continue from an image that the list lacks. */
  index: number;
}

/**
 * `lastIndex` is the index of the image that was open before, or -1. An image that is not in the list, because it was shared
 * or is similar to another, counts as the one after that.
 */
export function findPlace(ids: readonly string[], id: string | undefined, lastIndex: number): Place {
  const index = ids.indexOf(id ?? '');
  if (index >= 0) return { previous: ids[index - 1], next: ids[index + 1], index };
  const last = Math.min(lastIndex, ids.length - 1);
  return { previous: ids[last], next: ids[last + 1], index: last };
}
