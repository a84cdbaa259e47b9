/**
 * Shows only the placeholders of images that are not rated sfw, until the visitor unblurs one or all of them. Their files
 * are not even requested.
 */
import { byId, el } from './dom.ts';
import { readSetting, saveSetting } from './storage.ts';
import type { GalleryImage } from './types.ts';

const unblurredIds = new Set<string>();
const isEverythingUnblurred = () => readSetting('ratings') === 'shown';

export function isBlurred({ id, nsfw }: GalleryImage): boolean {
  return nsfw !== 'sfw' && !unblurredIds.has(id) && !isEverythingUnblurred();
}

/** Calls `show` now, or covers the frame with an unblur button that does. */
export function blurUnlessSafe(frame: HTMLElement, image: GalleryImage, show: () => void): void {
  if (!isBlurred(image)) {
    show();
    return;
  }
  const { id, nsfw } = image;
  const content = [...frame.children] as HTMLElement[];
  const setBlurred = (isBlurred: boolean) => {
    frame.classList.toggle('blurred', isBlurred);
    for (const child of content) child.inert = isBlurred;
  };
  const unblur = () => {
    document.removeEventListener('zukan:unblur', unblur);
    setBlurred(false);
    button.remove();
    if (frame.isConnected) show();
  };
  const unblurThis = () => {
    unblurredIds.add(id);
    unblur();
    content.find((child) => child.matches('a, [tabindex]'))?.focus();
  };
  const label = el('span', {}, `${nsfw} · show`);
  const button = el('button', { type: 'button', class: 'unblur', click: unblurThis }, label);
  setBlurred(true);
  frame.append(button);
  document.addEventListener('zukan:unblur', unblur);
}

/** Calls `redraw` when all images must be blurred again. */
export function initUnblurSwitch(redraw: () => void): void {
  const box = byId<HTMLInputElement>('unblur-all');
  box.checked = isEverythingUnblurred();
  box.addEventListener('change', () => {
    saveSetting('ratings', box.checked ? 'shown' : 'blurred');
    if (box.checked) return document.dispatchEvent(new Event('zukan:unblur'));
    unblurredIds.clear();
    redraw();
  });
}
