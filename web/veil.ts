/** Pictures that are not for every eye: blurred until asked for, one at a time or all of them. */
import { byId, el } from './dom.ts';
import { keep, kept } from './kept.ts';
import type { Picture } from './types.ts';

const asked = new Set<string>();
const areAllShown = () => kept('ratings') === 'shown';

/** Blurs a frame that holds a picture, and puts the button over it that ends that. */
export function veil(frame: HTMLElement, { id, nsfw }: Picture): void {
  if (nsfw === 'sfw' || asked.has(id) || areAllShown()) return;
  const inner = [...frame.children] as HTMLElement[];
  const setHidden = (isHidden: boolean) => {
    frame.classList.toggle('veiled', isHidden);
    for (const child of inner) child.inert = isHidden;
  };
  const show = () => {
    asked.add(id);
    lift();
    inner.find((child) => child.matches('a, [tabindex]'))?.focus();
  };
  const lift = () => {
    setHidden(false);
    button.remove();
    document.removeEventListener('zukan:unveil', lift);
  };
  const label = el('span', {}, nsfw, el('span', { class: 'dot' }, ' · '), 'show');
  const button = el('button', { type: 'button', class: 'veil', click: show }, label);
  setHidden(true);
  frame.append(button);
  document.addEventListener('zukan:unveil', lift);
}

/** The switch for all pictures; `redraw` is called when they are to be blurred again. */
export function startVeilSwitch(redraw: () => void): void {
  const box = byId<HTMLInputElement>('veil-switch');
  box.checked = areAllShown();
  box.addEventListener('change', () => {
    keep('ratings', box.checked ? 'shown' : 'blurred');
    if (box.checked) return document.dispatchEvent(new Event('zukan:unveil'));
    asked.clear();
    redraw();
  });
}
