/** The view that the text of a search means. */
import type { FoundFilters } from '../client/index.ts';
import { getCachedSubject } from './cache.ts';
import { emptySelection, noFilter, type Selection, type View } from './route.ts';
import { selectionParts } from './text.ts';

type ViewOfImages = Extract<View, Selection>;

/** Undefined if the text means nothing in particular. */
export function foundView(filters: FoundFilters): ViewOfImages | undefined {
  if (Object.keys(filters).length === 0) return undefined;
  const {
    categories = [],
    exclude = [],
    artist = [],
    excludeArtist = [],
    character = [],
    ...filter
  } = filters;
  return {
    ...{ name: 'random', ...emptySelection, categories, exclude },
    ...{ artists: artist, excludeArtists: excludeArtist, characters: character },
    filter: { ...noFilter, ...filter },
  };
}

/** The text itself stands for names that are not loaded. */
export function foundText(view: ViewOfImages, text: string): string {
  const { artists, excludeArtists, characters, filter } = view;
  const isKnown = [...artists, ...excludeArtists, ...characters].every(getCachedSubject);
  const parts = [...selectionParts(view), ...filter.nsfw, ...filter.orientation];
  return `Show pictures: ${isKnown ? parts.join(', ') : text}`;
}
