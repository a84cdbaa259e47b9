/** Blurs images that are not rated sfw until the visitor unblurs one or all of them. */
import { byId, el } from './dom.ts';
import { readSetting, saveSetting } from './storage.ts';
import type { GalleryImage } from './types.ts';

const unblurredIds = new Set<string>();
const isEverythingUnblurred = () => readSetting('ratings') === 'shown';

/** Blurs the content of the frame and covers it with an unblur button. */
export function blurUnlessSafe(frame: HTMLElement, { id, nsfw }: GalleryImage): void {
  if (nsfw === 'sfw' || unblurredIds.has(id) || isEverythingUnblurred()) return;
  const content = [...frame.children] as HTMLElement[];
  const setBlurred = (isBlurred: boolean) => {
    frame.classList.toggle('blurred', isBlurred);
    for (const child of content) child.inert = isBlurred;
  };
  const unblur = () => {
    setBlurred(false);
    button.remove();
    document.removeEventListener('zukan:unblur', unblur);
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
