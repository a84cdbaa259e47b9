/** How large the pictures of the grid are. Remembered for later visits. */
import { byId } from './dom.ts';
import { announce } from './messages.ts';
import { readSetting, saveSetting } from './storage.ts';

/** What the height of a row is multiplied by, and the icon of the button. */
const sizes = [
  {
    name: 'small',
    scale: 0.62,
    icon: 'M3 3h3v3H3zm5.5 0h3v3h-3zM14 3h3v3h-3zM3 8.5h3v3H3zm5.5 0h3v3h-3zm5.5 0h3v3h-3zM3 14h3v3H3zm5.5 0h3v3h-3zm5.5 0h3v3h-3z',
  },
  { name: 'medium', scale: 1, icon: 'M3 3h5.5v5.5H3zm8.5 0H17v5.5h-5.5zM3 11.5h5.5V17H3zm8.5 0H17V17h-5.5z' },
  { name: 'large', scale: 1.6, icon: 'M3 3h14v14H3z' },
] as const;
type Size = (typeof sizes)[number];

const button = byId('density');
let current: Size = sizes.find(({ name }) => name === readSetting('density')) ?? sizes[1];

export function rowScale(): number {
  return current.scale;
}

function showSize(): void {
  const label = `Picture size: ${current.name}`;
  button.setAttribute('aria-label', label);
  button.title = label;
  button.querySelector('path')?.setAttribute('d', current.icon);
}

/** Each click takes the next size and calls `layOut`. */
export function initDensity(layOut: () => void): void {
  showSize();
  button.addEventListener('click', () => {
    current = sizes[(sizes.indexOf(current) + 1) % sizes.length] as Size;
    saveSetting('density', current.name);
    showSize();
    announce(button.title);
    layOut();
  });
}
