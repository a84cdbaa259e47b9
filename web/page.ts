/** Renders a view: heading, description, chips, images or entries, and page links. */
import { hasChips, showChips } from './category-chips.ts';
import { byId, el } from './dom.ts';
import { createEntryItem, describeSubject } from './entries.ts';
import { clearImages, showImages } from './grid.ts';
import { formatUrl, isEndless, isFiltering, noFilter, PAGE_SIZE, type View } from './route.ts';
import { formatCount, viewEyebrow, viewTitle } from './text.ts';
import { setViewTitle } from './title.ts';
import type { Entry, ViewData } from './types.ts';

export function clearPage(): void {
  for (const id of ['description', 'categories', 'notice', 'entries']) byId(id).replaceChildren();
  for (const id of ['entries', 'pages']) byId(id).hidden = true;
  clearImages();
}

export function setBusy(isBusy: boolean): void {
  byId('main').setAttribute('aria-busy', String(isBusy));
}

export function showHeading(view: View, subject: Entry | undefined): void {
  const title = viewTitle(view, subject);
  byId('eyebrow').textContent = viewEyebrow(view);
  byId('title').textContent = title;
  byId('shuffle').hidden = !isEndless(view);
  byId('tools').hidden = view.name === 'search';
  byId('description').dataset.view = view.name;
  if (view.name === 'search') byId('description').replaceChildren(createPatternHint());
  byId('categories').hidden = !hasChips(view);
  byId('notice').replaceChildren();
  setViewTitle(view.name === 'random' && !view.categories.length ? undefined : title);
}

export function renderView(view: View, data: ViewData): void {
  showHeading(view, data.subject);
  if (data.subject) byId('description').replaceChildren(...describeSubject(data.subject));
  showImages(data.images, view);
  if (hasChips(view)) showChips(view, data);
  const entries = byId('entries');
  entries.replaceChildren(...data.entries.map(createEntryItem));
  entries.hidden = data.entries.length === 0;
  showPageLinks(view, data);
}

function createPatternHint(): HTMLElement {
  const patterns = { '%': 'any text', _: 'any character', 'a|b': 'a or b', '[a-f]': 'a to f' };
  const parts = Object.entries(patterns).flatMap(([pattern, meaning], index) => [
    ...(index > 0 ? [' · '] : []),
    el('code', {}, pattern),
    ` ${meaning}`,
  ]);
  return el('p', { class: 'quiet' }, ...parts);
}

export function summarizeView(view: View, { images, total }: ViewData): string {
  if (view.name === 'search') return formatCount(total ?? 0, view.kind);
  return formatCount(images.length, 'images');
}

export function showError(message: HTMLElement): void {
  clearImages();
  byId('entries').hidden = true;
  byId('pages').hidden = true;
  byId('notice').replaceChildren(message);
}

function showPageLinks(view: View, { total }: ViewData): void {
  const nav = byId('pages');
  nav.replaceChildren();
  if ('page' in view && total !== undefined && total > PAGE_SIZE) {
    const last = Math.ceil(total / PAGE_SIZE);
    const createLink = (page: number, text: string) =>
      page >= 1 && page <= last
        ? [el('a', { class: 'button', href: formatUrl({ ...view, page }), rel: text.toLowerCase() }, text)]
        : [];
    const position = el('span', { class: 'quiet' }, `Page ${view.page} of ${last}`);
    nav.append(...createLink(view.page - 1, 'Previous'), position, ...createLink(view.page + 1, 'Next'));
  }
  nav.hidden = nav.childElementCount === 0;
}

export function showIfEmpty(view: View, { images, entries }: ViewData): void {
  if (images.length + entries.length > 0) return;
  const message = el('div', { class: 'problem' }, el('p', {}, emptyText(view)));
  const [href, text = ''] = suggestWider(view);
  const clearing = view.name === 'search' ? {} : { 'data-filter-url': href, 'data-ratings': '' };
  if (href) message.append(el('a', { href, class: 'button', ...clearing }, text));
  byId('notice').replaceChildren(message);
}

function emptyText(view: View): string {
  if (view.name === 'search') return 'No names match.';
  if (isFiltering(view.filter)) return 'No images match these filters.';
  if ('categories' in view && view.categories.length > 1) return 'No image is in all of these categories.';
  return 'No images yet.';
}

/** A link to a view that may have more results. */
function suggestWider(view: View): [string, string] | [] {
  if (view.name !== 'search')
    return isFiltering(view.filter) ? [formatUrl({ ...view, filter: noFilter }), 'Clear filters'] : [];
  const { search } = view;
  if (search === '' || /[%_|*+?{}()[\]\\]/.test(search)) return [];
  return [formatUrl({ ...view, search: `%${search}%`, page: 1 }), `Names that contain “${search}”`];
}
