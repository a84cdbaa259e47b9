/** The search form in the header. */
import { byId } from './dom.ts';
import { formatUrl, type View } from './route.ts';

const text = byId<HTMLInputElement>('search-text');

export function initSearch(navigate: (url: string) => void): void {
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const search = text.value.trim();
    if (search) navigate(formatUrl({ name: 'search', search }));
  });
}

/** Brings the form and the navigation in line with the view. */
export function updateSearch(view: View): void {
  text.value = 'search' in view ? view.search : '';
  const current = view.name === 'list' ? `/?in=${view.kind}` : `/?order=${view.name}`;
  for (const link of document.querySelectorAll('header nav a'))
    if (link.getAttribute('href') === current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}
