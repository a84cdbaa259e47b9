/** What a view shows instead of images or entries: that there are none, or what went wrong. */
import { ZukanError } from '../client/index.ts';
import { byId, el } from './dom.ts';
import { clearImages } from './grid.ts';
import { createErrorMessage, isUnreachable } from './messages.ts';
import { showTitle } from './page.ts';
import { emptySelection, formatUrl, isFiltering, isSelecting, noFilter, type View } from './route.ts';
import { containing, isPattern } from './search-pattern.ts';
import { capitalize } from './text.ts';
import type { ViewData } from './types.ts';

const kinds = {
  artist: 'artists',
  character: 'characters',
  category: 'categories',
  album: 'albums',
} as const;

export function showIfEmpty(view: View, { images, groups }: ViewData): void {
  if (images.length > 0 || groups.some(({ entries }) => entries.length > 0)) return;
  const [href, text = ''] = suggestWider(view);
  const clearing = 'filter' in view ? { 'data-filter-url': href, 'data-ratings': '' } : {};
  const link = href ? [el('a', { href, class: 'button', ...clearing }, text)] : [];
  byId('notice').replaceChildren(el('div', { class: 'problem' }, ...explainEmpty(view), ...link));
}

function explainEmpty(view: View): HTMLElement[] {
  if (view.name === 'search') return [el('p', {}, 'Nothing found.')];
  if (view.name === 'list') return [el('p', {}, view.search ? 'No names match.' : `No ${view.kind} yet.`)];
  if (isFiltering(view.filter)) return [el('p', {}, 'No images match these filters.')];
  if (!('categories' in view)) return [el('p', {}, 'No images yet.')];
  if (view.categories.length + view.exclude.length === 1) return [el('p', {}, 'No images yet.')];
  if (isSelecting(view)) return [el('p', {}, 'No image matches this selection.')];
  return [
    el('p', {}, 'The catalogue is empty.'),
    el('p', { class: 'how' }, 'To fill it with a folder of pictures, run this on the server:'),
    el('code', { class: 'command' }, 'npx zukan import path/to/pictures'),
  ];
}

/** A link to a view that may have more results. */
function suggestWider(view: View): [string, string] | [] {
  if ('filter' in view) {
    if (isFiltering(view.filter)) return [formatUrl({ ...view, filter: noFilter }), 'Clear filters'];
    return 'categories' in view && isSelecting(view)
      ? [formatUrl({ ...view, ...emptySelection }), 'All images']
      : [];
  }
  if (view.name === 'search') return [];
  const { search } = view;
  if (!isPattern(search) || /^%.*%$/.test(search)) return [];
  const text = `Names that contain “${search}”`;
  return [formatUrl({ ...view, search: containing(search) }), text];
}

/** Without a connection, what is on show stays. */
export function showProblem(view: View, error: unknown, retry: () => void): void {
  const message = createErrorMessage(error, retry);
  byId('notice').replaceChildren(message);
  if (isUnreachable(error)) return;
  clearImages();
  byId('entries').hidden = true;
  const status = error instanceof ZukanError ? error.status : 0;
  if (status === 400 || status === 404) explainUnknown(view, message);
}

/** The address is wrong, or what it was about is gone. */
function explainUnknown(view: View, message: HTMLElement): void {
  if ('id' in view) {
    showTitle(`${capitalize(view.name)} not found`);
    byId('tools').hidden = true;
    byId('filters').hidden = true;
    const kind = kinds[view.name];
    const href = formatUrl({ name: 'list', kind, search: '', sort: 'name' });
    const text = `There is no ${view.name} at this address. It may have been removed.`;
    message.replaceChildren(el('p', {}, text), el('a', { href, class: 'button' }, `All ${kind}`));
  }
  message.append(el('a', { href: '/', class: 'button' }, 'Random images'));
}
