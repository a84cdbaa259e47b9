/** The keyboard: what keys do, and the list of them. */
import { byId, el } from '../../dom.ts';

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
    el('p.fingers.quiet', touchHelp),
    el(
      'dl.shortcuts',
      ...Object.entries(descriptions).flatMap(([keys, text]) => [el('dt', el('kbd', keys)), el('dd', text)]),
    ),
  ];
}

/** Keys do nothing while one types a text or a dialog is open, except Escape. */
export function listenForShortcuts(shortcuts: Shortcuts): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return;
    const target = event.target as Element;
    if (isTypedIn(target) && event.key !== 'Escape') return;
    const isPressed = target.matches('a, button, summary, input') && [' ', 'Enter'].includes(event.key);
    if (isPressed) return;
    const name = event.ctrlKey || event.metaKey ? `mod+${event.key.toLowerCase()}` : event.key;
    const act = shortcuts[name];
    if (act && act() !== false) event.preventDefault();
  });
  document.addEventListener('keydown', ignoreHeld, true);
}

/** A key that is held moves and scrolls on, but changes nothing again. Each repetition would be a change of its own. */
function ignoreHeld(event: KeyboardEvent): void {
  const isPress = event.key.length === 1 || event.key === 'Enter' || event.key === 'Delete';
  const isScroll = event.key === ' ' && byId('pictures').hidden;
  const isOfBrowser = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() !== 'z';
  if (!event.repeat || !isPress || isScroll || isOfBrowser || isTypedIn(event.target as Element)) return;
  event.preventDefault();
  event.stopPropagation();
}

function isTypedIn(element: Element): boolean {
  return element.matches('input:not([type="checkbox"]), select, textarea');
}
