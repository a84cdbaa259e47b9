/** The keyboard: what keys do, and the list of them. */
import { el } from '../dom.ts';

/** By key, or `mod+` and a key for Ctrl or Command. One that returns false leaves the key to the browser. */
export type Shortcuts = Record<string, () => unknown>;

const descriptions = {
  '← ↑ → ↓': 'go to a picture; with Shift, select several; with Ctrl, only go there',
  'Space · Enter': 'show the picture large, and go back',
  x: 'add the picture to the selection, or take it out',
  'Ctrl A · Esc': 'select all · none, or go back to the grid',
  '1 · 2 · 3': 'rate sfw · questionable · nsfw, and go on to the next picture',
  '4 … 9 · 0': 'add one of the categories at hand',
  'c · h · a · b · s': 'category · character · artist · album · source',
  'Alt ← ↑ → ↓': 'in an album, move the selected pictures; with Home and End, to its start and end',
  '.': 'repeat the last change',
  'Ctrl Z': 'undo; also z in the grid',
  z: 'in the large view, zoom to 100 % and back',
  Delete: 'remove from the catalogue',
  '?': 'all shortcuts',
};

const touchHelp =
  'Tap a picture to select it, and again to see it large. Hold one to select several, and another one to select all between. ' +
  'In the large view, swipe to the next picture, and pinch or tap twice to zoom.';

/** How to use the page with fingers, which only pages for them show, and with keys. */
export function helpTexts(): HTMLElement[] {
  return [
    el('p', { class: 'fingers quiet' }, touchHelp),
    el(
      'dl',
      { class: 'shortcuts' },
      ...Object.entries(descriptions).flatMap(([keys, text]) => [
        el('dt', {}, el('kbd', {}, keys)),
        el('dd', {}, text),
      ]),
    ),
  ];
}

/** Keys do nothing while one types a text or a dialog is open, except Escape. While a key is held, it changes nothing more. */
export function listenForShortcuts(shortcuts: Shortcuts): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return;
    const target = event.target as Element;
    const isTyping = target.matches('input:not([type="checkbox"]), select, textarea');
    if (isTyping && event.key !== 'Escape') return;
    const isPressed = target.matches('a, button, summary, input') && [' ', 'Enter'].includes(event.key);
    if (isPressed) return;
    const name = event.ctrlKey || event.metaKey ? `mod+${event.key.toLowerCase()}` : event.key;
    const act = shortcuts[name];
    const isHeld = event.repeat && !event.key.startsWith('Arrow');
    if (act && (isHeld || act() !== false)) event.preventDefault();
  });
}
