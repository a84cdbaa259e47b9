/** Sidecars of several tools, and what docs/sidecars.md says that they state. */
import type { Rating } from '../../src/catalogue/schemas.ts';

/** What a picture's surroundings say about it. A missing field says nothing. */
export interface Statement {
  rating?: Rating | undefined;
  artist?: string | null;
  categories?: string[] | undefined;
  characters?: string[];
  source?: { name: string; url: string };
  title?: string;
  fileName?: string;
  isBad?: boolean;
}

export interface Sidecar {
  /** JSON is `a.png.json`, text is `a.txt`. */
  format: 'json' | 'txt';
  text: string;
  states: Statement;
}

const json = (content: object, states: Statement): Sidecar => ({
  format: 'json',
  text: JSON.stringify(content),
  states,
});
const text = (content: string, states: Statement): Sidecar => ({ format: 'txt', text: content, states });

const source = { name: 'a site', url: 'https://example.org/1' };

export const sidecars: Sidecar[] = [
  json(
    { artist: 'Ann', nsfw: 'sfw', categories: ['red'], characters: ['Koharu'], source },
    { artist: 'Ann', rating: 'sfw', categories: ['red'], characters: ['Koharu'], source },
  ),
  json({ artist: 'Bob', nsfw: 'nsfw', title: 'A fox' }, { artist: 'Bob', rating: 'nsfw', title: 'A fox' }),
  json({ nsfw: 'questionable', characters: [] }, { rating: 'questionable', characters: [] }),
  json({ artist: null, categories: [] }, { artist: null, categories: [] }),
  json({}, {}),
  json(
    { tag_string_general: 'blue cats', tag_string_artist: 'Cid', tag_string_character: 'Mika', rating: 'q' },
    { categories: ['blue', 'cats'], artist: 'Cid', characters: ['Mika'], rating: 'questionable' },
  ),
  // Markers that nobody understands.
  json({ rating: 'spicy', tags: ['blue'] }, { rating: 'nsfw', categories: ['blue'] }),
  json({ nsfw: 'perhaps', artist: 'Ann' }, { rating: 'nsfw', artist: 'Ann' }),
  text('blue, creator:Bob, character:Mika', { categories: ['blue'], artist: 'Bob', characters: ['Mika'] }),
  text('red, rating:explicit, title:a hill', { categories: ['red'], rating: 'nsfw', title: 'a hill' }),
  text('rating:safe, Dogs', { categories: ['Dogs'], rating: 'sfw' }),
  { format: 'json', text: '{"artist":', states: { isBad: true } },
];

const ratings: Rating[] = ['sfw', 'questionable', 'nsfw'];

export const isLower = (rating: Rating, than: Rating) => ratings.indexOf(rating) < ratings.indexOf(than);

/** Of each field, the first file that has it counts; of the ratings, the strictest. The folders add categories. */
export function combine(folders: string[], found: Statement[]): Statement {
  const fields = Object.assign({}, ...found.toReversed()) as Statement;
  const stated = found.flatMap(({ rating }) => rating ?? []);
  const all = folders.includes('nsfw') ? [...stated, 'nsfw' as const] : stated;
  const rating = ratings.findLast((rating) => all.includes(rating));
  const isBad = found.some((statement) => statement.isBad);
  const hasCategories = folders.length > 0 || fields.categories !== undefined;
  const categories = hasCategories ? [...folders, ...(fields.categories ?? [])] : undefined;
  return { ...fields, rating, isBad, categories };
}
