/** Which ratings and shapes are shown: buttons, each with the address where it is the other way round. */
import { byId } from './dom.ts';
import { addressOf, choices, type Filter, type Place } from './place.ts';

const buttons = [...document.querySelectorAll<HTMLButtonElement>('.choice button')];

/** Shows what is chosen. Where only what is fit for every eye is shown, there is nothing to unblur. */
export function syncFilters(place: Place): void {
  if (!('filter' in place)) return;
  const { nsfw, orientation } = place.filter;
  const chosen: string[] = [...nsfw, ...orientation];
  for (const button of buttons) {
    button.setAttribute('aria-pressed', String(chosen.includes(button.value)));
    button.dataset.narrow = addressOf(withFilter(place, toggledIn(place.filter, button.value)));
  }
  byId<HTMLInputElement>('veil-switch').disabled = nsfw.join() === 'sfw';
}

function withFilter(place: Exclude<Place, { name: 'search' }>, filter: Filter): Place {
  return place.name === 'artist' ? { ...place, filter, page: 1 } : { ...place, filter };
}

function toggledIn({ nsfw, orientation }: Filter, value: string): Filter {
  const isOn = (chosen: readonly string[], name: string) => chosen.includes(name) !== (name === value);
  return {
    nsfw: choices.nsfw.filter((name) => isOn(nsfw, name)),
    orientation: choices.orientation.filter((name) => isOn(orientation, name)),
  };
}
