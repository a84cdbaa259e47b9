/** The search form in the header. */
import { byId } from './dom.ts';
import { entryKinds, formatUrl, type View } from './route.ts';

const text = byId<HTMLInputElement>('search-text');
const kind = byId<HTMLSelectElement>('search-kind');

export function initSearch(navigate: (url: string) => void): void {
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const selected = entryKinds.find((name) => name === kind.value) ?? 'artists';
    navigate(formatUrl({ name: 'search', kind: selected, search: text.value, page: 1 }));
  });
}

/** Brings the form and the navigation in line with the view. */
export function updateSearch(view: View): void {
  const isSearch = view.name === 'search';
  text.value = isSearch ? view.search : '';
  if (isSearch) kind.value = view.kind;
  const current = isSearch ? `/?in=${view.kind}` : `/?order=${view.name}`;
  for (const link of document.querySelectorAll('header nav a'))
    if (link.getAttribute('href') === current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}
