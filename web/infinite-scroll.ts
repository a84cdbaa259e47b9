/**
 * Loads more images as the visitor scrolls, or with a button. With endless loading, keyboard users could never reach
 * the footer. So for them, and after some pages in a row, only the button loads more.
 */
import { byId } from './dom.ts';
import { focusTile } from './grid.ts';
import { allShownText } from './text.ts';
import type { ViewData } from './types.ts';

const MAX_AUTOMATIC_PAGES = 8;

const [section, button] = [byId('load-more'), byId('more')];
const [summary, errorBox] = [byId('all-shown'), byId('load-error')];
let automaticPages = 0;
let loadMore = () => {};

function loadWhenNear(entries: IntersectionObserverEntry[]): void {
  const isKeyboardUser = document.querySelector('main :focus-visible, footer :focus-visible');
  if (!entries.at(-1)?.isIntersecting || isKeyboardUser || automaticPages >= MAX_AUTOMATIC_PAGES) return;
  automaticPages++;
  loadMore();
}

/** One screen ahead at first, then three: the service allows one request per second. */
const near = new IntersectionObserver(loadWhenNear, { rootMargin: '0px 0px 100%' });
const far = new IntersectionObserver(loadWhenNear, { rootMargin: '0px 0px 300%' });

function stopObserving(): void {
  near.disconnect();
  far.disconnect();
}

export function initInfiniteScroll(load: () => void): void {
  loadMore = load;
  button.addEventListener('click', () => {
    automaticPages = 0;
    loadMore();
  });
}

export function hideLoadMore(): void {
  automaticPages = 0;
  section.hidden = true;
  stopObserving();
}

/** `previousCount` is the number of images before the last load. */
export function showLoadMore({ images, cursor }: ViewData, previousCount: number): void {
  const hadFocus = document.activeElement === button;
  section.hidden = images.length === 0;
  button.textContent = 'Show more';
  button.hidden = cursor === undefined;
  button.removeAttribute('aria-disabled');
  errorBox.replaceChildren();
  summary.textContent = cursor === undefined ? allShownText(images.length) : '';
  const firstNew = images[previousCount];
  if (hadFocus && firstNew) focusTile(firstNew.id);
  stopObserving();
  // A new observation reports at once, even if the section is still near.
  if (cursor !== undefined) (previousCount > 0 ? far : near).observe(section);
}

export function showLoadingMore(): void {
  stopObserving();
  button.textContent = 'Loading…';
  button.setAttribute('aria-disabled', 'true');
  button.hidden = false;
  if (errorBox.contains(document.activeElement)) button.focus();
  errorBox.replaceChildren();
}

export function showLoadError(message: HTMLElement): void {
  const hadFocus = document.activeElement === button;
  stopObserving();
  button.hidden = true;
  errorBox.replaceChildren(message);
  if (hadFocus) message.querySelector('button')?.focus();
}
