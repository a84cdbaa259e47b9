/** Keys outside the image dialog: to search, to walk through the grid, and the list of all keys. */
import { byId, el } from './dom.ts';

const descriptions: [string, string][] = [
  ['/', 'Search'],
  ['← → ↑ ↓', 'Go from the image with the focus to another one'],
  ['Enter', 'Open an image'],
  ['← →', 'Previous or next image, when one is open'],
  ['+ − 0', 'Zoom the open image'],
  ['f', 'Full screen'],
  ['Esc', 'Close'],
  ['?', 'This list'],
];

const list = el(
  'dl',
  { class: 'properties' },
  ...descriptions.map(([keys, meaning]) => el('div', {}, el('dt', {}, keys), el('dd', {}, meaning))),
);
const dialog = el(
  'dialog',
  { id: 'key-dialog', class: 'panel', 'aria-labelledby': 'key-title' },
  el(
    'div',
    { class: 'row' },
    el('h2', { id: 'key-title' }, 'Keys'),
    el('button', { type: 'button', class: 'button small', click: () => dialog.close() }, 'Close'),
  ),
  list,
);

export function initKeys(): void {
  document.body.append(dialog);
  byId('show-keys').addEventListener('click', () => dialog.showModal());
  document.addEventListener('keydown', (event) => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (event.defaultPrevented || isModified || document.querySelector('dialog[open]')) return;
    if (handleKey(event.key, event.target as Element)) event.preventDefault();
  });
}

/** Returns whether the key had a meaning. */
function handleKey(key: string, target: Element): boolean {
  if (target.matches('input, textarea, select')) return false;
  if (key === '/') byId<HTMLInputElement>('search-text').select();
  else if (key === '?') dialog.showModal();
  else return moveFocus(key, target);
  return true;
}

/** From the tile with the focus to the one next to it, above or below. */
function moveFocus(key: string, target: Element): boolean {
  const tile = target.closest<HTMLElement>('.tile');
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!tile || !step) return false;
  const tiles = [...document.querySelectorAll<HTMLElement>('.tile:not([hidden])')];
  const after = tiles.slice(tiles.indexOf(tile) + 1);
  const before = tiles.slice(0, tiles.indexOf(tile)).reverse();
  const others = step > 0 ? after : before;
  const next = /Left|Right/.test(key) ? others[0] : findInNextRow(tile, others);
  next?.querySelector<HTMLElement>(':scope > :not([inert])')?.focus();
  return true;
}

/** The tile of the first row of `others` below or above that is nearest. */
function findInNextRow(tile: HTMLElement, others: HTMLElement[]): HTMLElement | undefined {
  const boxOf = (element: HTMLElement) => element.getBoundingClientRect();
  const middle = (element: HTMLElement) => boxOf(element).left + boxOf(element).width / 2;
  const top = others.map((other) => boxOf(other).top).find((top) => Math.abs(top - boxOf(tile).top) > 1);
  const row = others.filter((other) => Math.abs(boxOf(other).top - (top ?? 0)) < 1);
  const distance = (other: HTMLElement) => Math.abs(middle(other) - middle(tile));
  return top === undefined ? undefined : row.sort((one, other) => distance(one) - distance(other))[0];
}
