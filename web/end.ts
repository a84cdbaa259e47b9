/**
 * The end of the pictures: the next ones are asked for when it comes near, or by its button; or it says that these were all.
 * Who walks through the pictures by keyboard would never arrive at what lies below if more came all the time, so then, and
 * after some pages in a row, it is for the button alone.
 */
import { byId } from './dom.ts';
import { focusTile } from './grid.ts';
import type { Answer } from './memory.ts';
import { allText } from './words.ts';

const [end, button, all, trouble] = [byId('end'), byId('more'), byId('all'), byId('trouble')];
/** How many pages come of themselves. */
const MAX_IN_A_ROW = 8;
let inARow = 0;
let more = () => {};

function whenNear(seen: IntersectionObserverEntry[]): void {
  // On the way from the pictures to what lies below, the focus is on the button or in the footer.
  const isByKeyboard = document.querySelector('main :focus-visible, footer :focus-visible');
  if (!seen.at(-1)?.isIntersecting || isByKeyboard || inARow >= MAX_IN_A_ROW) return;
  inARow++;
  more();
}

/** A screen ahead at first; three for who has begun to go on, for there is but one call a second. */
const near = new IntersectionObserver(whenNear, { rootMargin: '0px 0px 100%' });
const far = new IntersectionObserver(whenNear, { rootMargin: '0px 0px 300%' });

function watchNoMore(): void {
  near.disconnect();
  far.disconnect();
}

export function startEnd(askForMore: () => void): void {
  more = askForMore;
  button.addEventListener('click', () => {
    inARow = 0;
    more();
  });
}

export function hideEnd(): void {
  inARow = 0;
  end.hidden = true;
  watchNoMore();
}

/** `since` is how many pictures there were before. */
export function showEnd({ pictures, cursor }: Answer, since: number): void {
  const hadFocus = document.activeElement === button;
  end.hidden = pictures.length === 0;
  button.textContent = 'Show more';
  button.hidden = cursor === undefined;
  button.removeAttribute('aria-disabled');
  trouble.replaceChildren();
  all.textContent = cursor === undefined ? allText(pictures.length) : '';
  const first = pictures[since];
  if (hadFocus && first) focusTile(first.id);
  watchNoMore();
  // Watched anew it tells where it is, also when it has not moved out of sight.
  if (cursor !== undefined) (since > 0 ? far : near).observe(end);
}

export function showComing(): void {
  button.textContent = 'One moment…';
  button.setAttribute('aria-disabled', 'true');
  button.hidden = false;
  if (trouble.contains(document.activeElement)) button.focus();
  trouble.replaceChildren();
}

export function showTrouble(message: HTMLElement): void {
  const hadFocus = document.activeElement === button;
  watchNoMore();
  button.hidden = true;
  trouble.replaceChildren(message);
  if (hadFocus) message.querySelector('button')?.focus();
}
