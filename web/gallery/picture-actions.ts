/** What the panel of a picture offers with scripts: copying and sharing its link, and animations that stop. */
import { copyText, el, prefersReducedMotion } from '../dom.ts';
import { texts } from './texts.ts';

/** Adds the buttons to a panel. The address of the page is the link. */
export function addLinkButtons(panel: Element): void {
  const status = el('span.quiet', { role: 'status' });
  const copy = async () => {
    status.textContent = '';
    status.textContent = (await copyText(location.href, status)) ? texts.copied : texts.notCopied;
  };
  // The visitor may think better of it.
  const share = () => navigator.share({ title: document.title, url: location.href }).catch(() => {});
  const button = (text: string, click: () => void) =>
    el('button.button.small', { type: 'button', click }, text);
  const buttons = [button(texts.copy, copy), ...('share' in navigator ? [button(texts.share, share)] : [])];
  panel.querySelector('.downloads')?.after(el('p.link-buttons', ...buttons, status));
}

/**
 * An animation plays, unless the visitor prefers less motion, and a button stops it. Thumbnails are stills, so without one there is no
 * button.
 */
export function addPlayButton(stage: Element, picture: HTMLImageElement, original: string): void {
  const stills = picture.srcset
    .split(', ')
    .filter((source) => !source.startsWith(`${original} `))
    .join(', ');
  if (!stills) return;
  let isPlaying = !prefersReducedMotion();
  const show = () => {
    if (isPlaying) picture.removeAttribute('srcset');
    else picture.srcset = stills;
    picture.src = isPlaying ? original : (stills.split(' ')[0] as string);
    button.textContent = isPlaying ? texts.animation.stop : texts.animation.play;
    button.classList.toggle('playing', isPlaying);
  };
  const click = () => {
    isPlaying = !isPlaying;
    show();
  };
  const button = el('button.play', { type: 'button', click });
  stage.append(button);
  show();
}
