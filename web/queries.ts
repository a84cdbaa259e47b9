/** The options of API calls. The first call of a view is made from them before the client is loaded. */
import { type Filter, PAGE_SIZE, type RandomView, type View } from './route.ts';

type ViewNamed<Name extends View['name']> = Extract<View, { name: Name }>;

export const imageOptions = {};

export function listOptions({ search, page }: ViewNamed<'search'>) {
  return { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, ...(search && { search }) };
}

export function artistImagesOptions({ filter, page }: ViewNamed<'artist'>) {
  return { ...imageFilter(filter), limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
}

/** `category` is the name of the category that the view is about. */
export function randomOptions(view: RandomView, category: string | undefined, seed: string) {
  return { ...randomFilter(view, category), limit: PAGE_SIZE, seed };
}

function randomFilter(view: RandomView, category: string | undefined) {
  const filter = imageFilter(view.filter);
  if (view.name === 'character') return { character: view.id, ...filter };
  const categories = view.name === 'random' ? view.categories : category ? [category] : [];
  return { ...(categories.length > 0 && { categories }), ...filter };
}

/** The API rejects empty lists. */
function imageFilter({ nsfw, orientation }: Filter): Partial<Filter> {
  return { ...(nsfw.length > 0 && { nsfw }), ...(orientation.length > 0 && { orientation }) };
}
