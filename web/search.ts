/** The search field: it leads to the address of its results. */
import { byId } from './dom.ts';
import { addressOf, kinds, type Place } from './place.ts';

const text = byId<HTMLInputElement>('search-text');
const kind = byId<HTMLSelectElement>('search-kind');

export function startSearch(visit: (address: string) => void): void {
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = kinds.find((name) => name === kind.value) ?? 'artists';
    visit(addressOf({ name: 'search', kind: chosen, search: text.value, page: 1 }));
  });
}

/** Shows in the field, and in the navigation, what is looked at. */
export function syncSearch(place: Place): void {
  const isSearch = place.name === 'search';
  text.value = isSearch ? place.search : '';
  if (isSearch) kind.value = place.kind;
  for (const link of document.querySelectorAll('header nav a'))
    if (isSearch && link.getAttribute('href') === `/?in=${place.kind}`)
      link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}
