/** Changes which categories are selected. */
import type { Selection } from './route.ts';
import type { GalleryImage } from './types.ts';

/** The API ignores case too. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export type Choice = 'include' | 'exclude' | undefined;

/** The names of the categories, the most frequent first. */
export function rankCategories(images: readonly GalleryImage[]): string[] {
  const counts = new Map<string, number>();
  for (const { categories } of images)
    for (const { name } of categories) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([name, count], [otherName, otherCount]) => otherCount - count || name.localeCompare(otherName))
    .map(([name]) => name);
}

export function choiceOf({ categories, exclude }: Selection, name: string): Choice {
  if (categories.some((other) => isSameName(other, name))) return 'include';
  return exclude.some((other) => isSameName(other, name)) ? 'exclude' : undefined;
}

export function choose(selection: Selection, name: string, choice: Choice): Selection {
  const isOther = (other: string) => !isSameName(other, name);
  const add = (names: string[], isAdded: boolean) => [...names.filter(isOther), ...(isAdded ? [name] : [])];
  return {
    ...selection,
    categories: add(selection.categories, choice === 'include'),
    exclude: add(selection.exclude, choice === 'exclude'),
  };
}

/** Adds the category, or removes it if it is selected or excluded. */
export function toggleCategory(selection: Selection, name: string): Selection {
  return choose(selection, name, choiceOf(selection, name) ? undefined : 'include');
}
