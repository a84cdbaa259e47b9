/** Renders a view: heading, description, chips, and images or entries. */
import { hasChips, showChips } from './category-chips.ts';
import { byId, el } from './dom.ts';
import { clearEntries, describeSubject, showEntries } from './entries.ts';
import { foundText, foundView } from './found.ts';
import { clearImages, showImages } from './grid.ts';
import { filterOptions, formatUrl, isSelecting, type View } from './route.ts';
import { letterOf } from './search-pattern.ts';
import { catalogueHas } from './site.ts';
import { formatCount, viewEyebrow, viewTitle } from './text.ts';
import { setFeed, setViewTitle } from './title.ts';
import type { Entry, ViewData } from './types.ts';

/** Nothing can be filtered or shuffled. */
const isEmpty = !filterOptions.nsfw.some(catalogueHas);

/** Views that nothing can be shuffled in. */
const hasFixedOrder: ReadonlySet<View['name']> = new Set(['artist', 'album', 'list', 'search']);

export function clearPage(): void {
  for (const id of ['description', 'notice']) byId(id).replaceChildren();
  clearEntries();
  clearImages();
}

export function setBusy(isBusy: boolean): void {
  byId('main').setAttribute('aria-busy', String(isBusy));
}

/** What is on show belongs to the previous view, so it is dimmed. */
export function setStale(isStale: boolean): void {
  byId('main').classList.toggle('stale', isStale);
}

export function showHeading(view: View, subject: Entry | undefined): void {
  const title = viewTitle(view, subject);
  byId('eyebrow').textContent = viewEyebrow(view);
  showTitle(title, view.name === 'random' && !isSelecting(view));
  setFeed(view, subject?.name);
  byId('shuffle').hidden = hasFixedOrder.has(view.name);
  const hasFilters = 'filter' in view && !isEmpty;
  byId('tools').hidden = !hasFilters;
  byId('filters').hidden = !hasFilters || byId('options').ariaExpanded !== 'true';
  byId('description').dataset.view = view.name;
  if (view.name === 'search') byId('description').replaceChildren();
  if (view.name === 'list')
    byId('description').replaceChildren(
      ...(view.search && !letterOf(view.search) ? [createPatternHint()] : []),
    );
  byId('titled').hidden = view.name !== 'search';
  byId('categories').hidden = !hasChips(view) || !catalogueHas('categories');
  if (hasChips(view)) showChips(view, subject);
  byId('notice').replaceChildren();
}

/** The start page is called like the site. */
export function showTitle(title: string, isStart = false): void {
  byId('title').textContent = title;
  setViewTitle(isStart ? undefined : title);
}

export function renderView(view: View, data: ViewData): void {
  showHeading(view, data.subject);
  setStale(false);
  if (data.subject) byId('description').replaceChildren(...describeSubject(data.subject));
  if (view.name === 'search') byId('description').replaceChildren(...linkFound(view.search, data));
  showImages(data.images, view, data.cursor !== undefined);
  if (hasChips(view)) showChips(view, data.subject, data.images);
  showEntries(data.groups, view, data.cursor !== undefined);
}

/** A link to the pictures that the text means. */
function linkFound(text: string, { filters }: ViewData): HTMLElement[] {
  const view = foundView(filters);
  return view ? [el('a', { href: formatUrl(view), class: 'button strong' }, foundText(view, text))] : [];
}

function createPatternHint(): HTMLElement {
  const patterns = { '%': 'any text', _: 'any character', 'a|b': 'a or b', '[a-f]': 'a to f' };
  const parts = Object.entries(patterns).flatMap(([pattern, meaning]) => [
    ' · ',
    el('code', {}, pattern),
    ` ${meaning}`,
  ]);
  return el('p', { class: 'quiet' }, 'Part of a name, or a pattern', ...parts);
}

export function summarizeView(view: View, { images, groups }: ViewData): string {
  const counts = groups.map(({ kind, entries }) => formatCount(entries.length, kind));
  return [...counts, ...(view.name === 'list' ? [] : [formatCount(images.length, 'images')])].join(', ');
}
