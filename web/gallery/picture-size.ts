/** How large the pictures of the grid are: a button with three sizes, which is remembered for later visits. */
import { el } from '../dom.ts';
import { readSetting, saveSetting } from '../storage.ts';
import { icon } from './icons.ts';
import { texts } from './texts.ts';

/** What the height of a row is multiplied by. */
const sizes = [
  {
    ...{ name: 'small', scale: 0.62 },
    path: 'M3 3h3v3H3zm5.5 0h3v3h-3zM14 3h3v3h-3zM3 8.5h3v3H3zm5.5 0h3v3h-3zm5.5 0h3v3h-3zM3 14h3v3H3zm5.5 0h3v3h-3zm5.5 0h3v3h-3z',
  },
  {
    ...{ name: 'medium', scale: 1 },
    path: 'M3 3h5.5v5.5H3zm8.5 0H17v5.5h-5.5zM3 11.5h5.5V17H3zm8.5 0H17V17h-5.5z',
  },
  { ...{ name: 'large', scale: 1.6 }, path: 'M3 3h14v14H3z' },
] as const;

/** Returns what new tiles are passed to. */
export function initPictureSize(): (tiles: Iterable<Element>) => void {
  const grid = document.querySelector('main > .grid');
  const tools = document.querySelector('.heading .tools');
  if (!grid || !tools) return () => {};
  let current: (typeof sizes)[number] = sizes.find(({ name }) => name === readSetting('density')) ?? sizes[1];
  const button = el('button.button', { type: 'button', id: 'picture-size' });
  /** Files for larger tiles than the server expects. */
  const fit = (tiles: Iterable<Element>) => {
    if (current.scale <= 1) return;
    for (const tile of tiles) {
      const picture = tile.querySelector('img');
      if (picture?.sizes) picture.sizes = `${tile.clientWidth}px`;
    }
  };
  const show = () => {
    const { name, scale, path } = current;
    document.documentElement.style.setProperty('--scale', String(scale));
    button.replaceChildren(icon(path));
    button.title = texts.size(name);
    button.setAttribute('aria-label', button.title);
    fit(grid.children);
  };
  button.addEventListener('click', () => {
    const isOnScreen = (tile: Element) => tile.getBoundingClientRect().bottom > innerHeight / 4;
    const tile = scrollY > 0 ? [...grid.children].find(isOnScreen) : undefined;
    current = sizes[(sizes.indexOf(current) + 1) % sizes.length] as typeof current;
    saveSetting('density', current.name);
    show();
    tile?.scrollIntoView({ block: 'center' });
  });
  show();
  // The other buttons stay in their places.
  tools.prepend(button);
  return fit;
}
