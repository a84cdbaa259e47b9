/** The statistics from the sizes of shelves and the counts of kinds. */
import type { Statistics } from '../../catalogue/types.ts';

export function statisticsOf(sizes: Map<string, number>): Statistics {
  const size = (id: string) => sizes.get(id) ?? 0;
  return {
    images: {
      count: size('all'),
      nsfw: { nsfw: size('nsfw'), questionable: size('questionable'), sfw: size('sfw') },
      orientation: { landscape: size('landscape'), portrait: size('portrait'), square: size('square') },
    },
    artists: { count: size('artist') },
    characters: { count: size('character') },
    categories: { count: size('category') },
  };
}
