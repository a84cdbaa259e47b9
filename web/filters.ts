/** The buttons of the panel of filters. Each carries the URL that toggles it. Ratings are remembered for later visits. */
import { byId } from './dom.ts';
import { type Filter, filterOptions, formatUrl, singleOptions, type View } from './route.ts';

const groups = [...document.querySelectorAll<HTMLFieldSetElement>('#filters .toggles')];

export function updateFilters(view: View): void {
  if (!('filter' in view)) return;
  for (const group of groups) {
    const name = group.name as keyof Filter;
    for (const button of group.querySelectorAll('button')) {
      button.ariaPressed = String(view.filter[name].some((value) => value === button.value));
      const filter = toggleOption(view.filter, name, button.value);
      button.dataset.filterUrl = formatUrl({ ...view, filter });
      if (name === 'nsfw') button.dataset.ratings = filter.nsfw.join();
    }
  }
  // The panel may be closed.
  const count = Object.values(view.filter).flat().length;
  byId('filter-count').textContent = count > 0 ? String(count) : '';
  // Among sfw images nothing is blurred.
  byId<HTMLInputElement>('unblur-all').disabled = view.filter.nsfw.join() === 'sfw';
}

function toggleOption(filter: Filter, name: keyof Filter, value: string): Filter {
  const selected: readonly string[] = filter[name];
  const others = singleOptions.includes(name) ? [] : selected;
  const isOn = (option: string) => (option === value ? !selected.includes(value) : others.includes(option));
  return { ...filter, [name]: filterOptions[name].filter(isOn) };
}
