/** The serif of titles. It loads after the first tiles, and on later visits at once, because it comes from the browser's cache. */
import { fontFile } from './site.ts';
import { readSetting, saveSetting } from './storage.ts';

let isRequested = false;

export function loadFont(): void {
  if (isRequested) return;
  isRequested = true;
  const face = new FontFace('Source Serif 4', `url("${fontFile}")`, { display: 'swap' });
  const add = () => {
    document.fonts.add(face);
    saveSetting('font', fontFile);
  };
  // Without it, the page has the serif of the system.
  face.load().then(add, () => {});
}

export function loadCachedFont(): void {
  if (readSetting('font') === fontFile) loadFont();
}
