/**
 * Chips that select categories. They show the most frequent categories of the images on show, so they need no request,
 * and selecting one more always leaves at least one image.
 */
import { byId, el } from './dom.ts';
import { formatUrl, PAGE_SIZE, type View } from './route.ts';
import type { GalleryImage, ViewData } from './types.ts';

const MAX_CHIPS = 18;

interface Chip {
  name: string;
  isSelected: boolean;
}

type ViewWithChips = Extract<View, { categories: string[] } | { name: 'category' }>;

export function hasChips(view: View): view is ViewWithChips {
  return 'categories' in view || view.name === 'category';
}

/** Uses the first page only, so the chips stay when more images load. */
export function showChips(view: ViewWithChips, { images, subject }: ViewData): void {
  const selected = 'categories' in view ? view.categories : subject ? [subject.name] : [];
  const viewName = view.name === 'newest' ? 'newest' : 'random';
  const row = byId('categories');
  const focused = row.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  const chips = chooseChips(images.slice(0, PAGE_SIZE), selected).map(({ name, isSelected }) => {
    const categories = toggleCategory(selected, name);
    const url = formatUrl({ name: viewName, categories, filter: view.filter });
    return el(
      'button',
      { type: 'button', class: 'chip', 'aria-pressed': String(isSelected), 'data-filter-url': url },
      name,
    );
  });
  const href = formatUrl({ name: 'search', kind: 'categories', search: '', page: 1 });
  row.replaceChildren(...chips, el('a', { class: 'chip', href }, 'All categories…'));
  row.scrollLeft = 0;
  chips.find((chip) => chip.textContent === focused)?.focus();
}

export function chooseChips(images: readonly GalleryImage[], selected: readonly string[]): Chip[] {
  const counts = new Map<string, number>();
  for (const { categories } of images)
    for (const { name } of categories) counts.set(name, (counts.get(name) ?? 0) + 1);
  const others = [...counts]
    .filter(([name]) => !selected.some((other) => isSameName(other, name)))
    .sort(([name, count], [otherName, otherCount]) => otherCount - count || name.localeCompare(otherName))
    .map(([name]) => ({ name, isSelected: false }));
  const chips = [...selected.map((name) => ({ name, isSelected: true })), ...others];
  return chips.slice(0, Math.max(MAX_CHIPS, selected.length));
}

export function toggleCategory(selected: readonly string[], name: string): string[] {
  const others = selected.filter((other) => !isSameName(other, name));
  return others.length < selected.length ? others : [...selected, name];
}

/** The API ignores case too. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
