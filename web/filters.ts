/** The rating and orientation buttons of the panel of filters. Each carries the URL that toggles it. Ratings are remembered for later visits. */
import { byId } from './dom.ts';
import { type Filter, filterOptions, formatUrl, type View } from './route.ts';

const buttons = [...document.querySelectorAll<HTMLButtonElement>('.toggles button')];

export function updateFilters(view: View): void {
  if (!('filter' in view)) return;
  const { nsfw, orientation } = view.filter;
  const selected: string[] = [...nsfw, ...orientation];
  for (const button of buttons) {
    button.setAttribute('aria-pressed', String(selected.includes(button.value)));
    const filter = toggleOption(view.filter, button.value);
    button.dataset.filterUrl = formatUrl(withFilter(view, filter));
    if (isRating(button.value)) button.dataset.ratings = filter.nsfw.join();
  }
  // The panel may be closed.
  byId('filter-count').textContent = selected.length > 0 ? String(selected.length) : '';
  // Among sfw images nothing is blurred.
  byId<HTMLInputElement>('unblur-all').disabled = nsfw.join() === 'sfw';
}

function isRating(value: string): boolean {
  return filterOptions.nsfw.some((name) => name === value);
}

function withFilter(view: Extract<View, { filter: Filter }>, filter: Filter): View {
  return view.name === 'artist' ? { ...view, filter, page: 1 } : { ...view, filter };
}

function toggleOption({ nsfw, orientation }: Filter, value: string): Filter {
  const isOn = (selected: readonly string[], name: string) => selected.includes(name) !== (name === value);
  return {
    nsfw: filterOptions.nsfw.filter((name) => isOn(nsfw, name)),
    orientation: filterOptions.orientation.filter((name) => isOn(orientation, name)),
  };
}
