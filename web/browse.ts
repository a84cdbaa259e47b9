/** Above a long list of artists, characters or categories: a field that filters it by name, its order, and letters to jump to. */
import { byId, el } from './dom.ts';
import { createTyping } from './pace-typing.ts';
import { formatUrl, type View } from './route.ts';
import { letterOf, letterPattern } from './search-pattern.ts';
import { catalogueHas } from './site.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ#'];
const input = byId<HTMLInputElement>('browse-text');
const typing = createTyping();
let shown: View | undefined;

/** `replaceUrl` shows another address in place of the current one. */
export function initBrowse(replaceUrl: (url: string) => void): void {
  input.addEventListener('input', () => {
    typing.change(async () => {
      if (shown?.name !== 'list') return;
      replaceUrl(formatUrl({ ...shown, search: input.value.trim() }));
    });
  });
}

/** A list of one page needs neither. */
export function updateBrowse(view: View): void {
  typing.stop();
  shown = view;
  byId('browse').hidden = view.name !== 'list' || !catalogueHas(`many-${view.kind}`);
  if (view.name !== 'list') return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('#sort button')) {
    const sort = button.value === 'images' ? 'images' : 'name';
    button.ariaPressed = String(sort === view.sort);
    button.dataset.filterUrl = formatUrl({ ...view, sort });
  }
  const letter = letterOf(view.search);
  // What the visitor types meanwhile stays.
  if (document.activeElement !== input) input.value = letter ? '' : view.search;
  const links = letters.map((text) => {
    const href = formatUrl({ ...view, search: letterPattern(text) });
    const label = text === '#' ? 'Other characters' : text;
    return el('a', { href, 'aria-label': label, 'aria-current': text === letter && 'true' }, text);
  });
  const all = el(
    'a',
    { href: formatUrl({ ...view, search: '' }), 'aria-current': !view.search && 'true' },
    'All',
  );
  byId('letters').replaceChildren(all, ...links);
}
