/** The keyboard: what keys do, and the list of them. */
import { el } from '../dom.ts';

/** By key, or `mod+` and a key for Ctrl or Command. */
export type Shortcuts = Record<string, () => void>;

const descriptions = {
  '← ↑ → ↓': 'go to a picture; with Shift, select several',
  Space: 'add the picture to the selection, or take it out',
  'Ctrl A · Esc': 'select all · none, or go back to the grid',
  '1 · 2 · 3': 'rate sfw · questionable · nsfw, and go on to the next picture',
  '4 … 9 · 0': 'add one of the categories at hand',
  'c · h · a · s': 'category · character · artist · source',
  '.': 'repeat the last change',
  z: 'undo',
  Delete: 'remove from the catalogue',
  Enter: 'open the original',
  '?': 'all shortcuts',
};

export function shortcutList(): HTMLElement {
  return el(
    'dl',
    { class: 'shortcuts' },
    ...Object.entries(descriptions).flatMap(([keys, text]) => [
      el('dt', {}, el('kbd', {}, keys)),
      el('dd', {}, text),
    ]),
  );
}

/** Keys do nothing while one types a text or a dialog is open, except Escape. */
export function listenForShortcuts(shortcuts: Shortcuts): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return;
    const isTyping = (event.target as Element).matches('input, select, textarea');
    if (isTyping && event.key !== 'Escape') return;
    const name = event.ctrlKey || event.metaKey ? `mod+${event.key.toLowerCase()}` : event.key;
    const act = shortcuts[name];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
