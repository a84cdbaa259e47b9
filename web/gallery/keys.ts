/** Keys of the page: to search, to walk through the grid, and the list of all keys. */
import { byId, el } from '../dom.ts';
import { keyTexts, texts } from './texts.ts';

export function initKeys(): void {
  const list = keyTexts.map(([keys, meaning]) => el('div', el('dt', keys), el('dd', meaning)));
  const close = el('button.button.small', { type: 'button', click: () => dialog.close() }, texts.close);
  const title = el('h2', { id: 'key-title' }, texts.keys);
  const dialog = el(
    'dialog',
    { id: 'key-dialog', 'aria-labelledby': title.id },
    el('div.row', title, close),
    el('dl.properties', ...list),
  );
  document.body.append(dialog);
  for (const links of document.querySelectorAll('footer p:last-child, .menu p')) {
    const show = () => dialog.showModal();
    links.append(el('button.show-keys', { type: 'button', click: show }, texts.keys));
  }
  document.addEventListener('keydown', (event) => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (event.defaultPrevented || isModified || document.querySelector('dialog[open]')) return;
    const target = event.target as Element;
    if (target.matches('input, textarea, select')) return;
    if (event.key === '/') byId<HTMLInputElement>('search-text').select();
    else if (event.key === '?') dialog.showModal();
    else if (!moveFocus(event.key, target)) return;
    event.preventDefault();
  });
}

/** From the tile with the focus to the one next to it, above or below. False if the key does not mean that. */
function moveFocus(key: string, target: Element): boolean {
  const tile = target.closest('.tile');
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!tile?.parentElement || !step) return false;
  const tiles = [...tile.parentElement.children];
  const after = tiles.slice(tiles.indexOf(tile) + 1);
  const before = tiles.slice(0, tiles.indexOf(tile)).reverse();
  const others = step > 0 ? after : before;
  const next = /Left|Right/.test(key) ? others[0] : findInNextRow(tile, others);
  next?.querySelector('a')?.focus();
  return true;
}

/** The tile of the first row of `others` below or above that is nearest. */
function findInNextRow(tile: Element, others: Element[]): Element | undefined {
  const boxOf = (element: Element) => element.getBoundingClientRect();
  const middle = (element: Element) => boxOf(element).left + boxOf(element).width / 2;
  const top = others.map((other) => boxOf(other).top).find((top) => Math.abs(top - boxOf(tile).top) > 1);
  const row = others.filter((other) => Math.abs(boxOf(other).top - (top ?? 0)) < 1);
  const distance = (other: Element) => Math.abs(middle(other) - middle(tile));
  return top === undefined ? undefined : row.sort((one, other) => distance(one) - distance(other))[0];
}
