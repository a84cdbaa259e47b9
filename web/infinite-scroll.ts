/**
 * Loads more images or names as the visitor scrolls, or with a button. With endless loading, those who move the focus with the Tab key
 * could never reach the footer. So for them, and after some pages in a row, only the button loads more.
 */
import { byId } from './dom.ts';
import type { EntryKind } from './route.ts';
import { allShownText } from './text.ts';

const MAX_AUTOMATIC_PAGES = 8;

const [section, button] = [byId('load-more'), byId('more')];
const [summary, errorBox] = [byId('all-shown'), byId('load-error')];
let automaticPages = 0;
let loadMore = () => {};
/** Not `:focus-visible`: that is also the tile of an image that was closed with the Escape key. */
let isTabbing = false;

function loadWhenNear(entries: IntersectionObserverEntry[]): void {
  const isKeyboardUser = isTabbing && document.querySelector('main :focus, footer :focus');
  if (!entries.at(-1)?.isIntersecting || isKeyboardUser || automaticPages >= MAX_AUTOMATIC_PAGES) return;
  automaticPages++;
  loadMore();
}

/** One screen ahead at first, then three: the service allows one request per second. */
const near = new IntersectionObserver(loadWhenNear, { rootMargin: '0px 0px 100%' });
const far = new IntersectionObserver(loadWhenNear, { rootMargin: '0px 0px 300%' });

let observer: IntersectionObserver | undefined;

/** A new observation reports at once, even if the section is still near. */
function observe(next: IntersectionObserver | undefined): void {
  observer?.disconnect();
  observer = next;
  observer?.observe(section);
}

function stopTabbing(): void {
  if (isTabbing) observe(observer);
  isTabbing = false;
}

export function initInfiniteScroll(load: () => void): void {
  loadMore = load;
  button.addEventListener('click', () => {
    automaticPages = 0;
    loadMore();
  });
  addEventListener('keydown', ({ key }) => {
    if (key === 'Tab') isTabbing = true;
  });
  for (const type of ['pointerdown', 'wheel']) addEventListener(type, stopTabbing, { passive: true });
}

export function hideLoadMore(): void {
  automaticPages = 0;
  section.hidden = true;
  observe(undefined);
}

interface Progress {
  kind: EntryKind | 'images';
  /** How many there are on the page. */
  count: number;
  hasMore: boolean;
}

/** `previousCount` is the number of visible images or names before the last load. */
export function showLoadMore({ kind, count, hasMore }: Progress, previousCount: number): void {
  const hadFocus = document.activeElement === button;
  section.hidden = count === 0 && !hasMore;
  button.textContent = 'Show more';
  button.hidden = !hasMore;
  button.removeAttribute('aria-disabled');
  errorBox.replaceChildren();
  summary.textContent = hasMore ? '' : allShownText(count, kind);
  if (hadFocus) focusItem(previousCount);
  if (!hasMore) observe(undefined);
  else observe(previousCount > 0 ? far : near);
}

function focusItem(index: number): void {
  const item = document.querySelectorAll('#grid > li, #entries > ul > li')[index];
  item?.querySelector<HTMLElement>(':scope > :not([inert])')?.focus();
}

export function showLoadingMore(): void {
  observe(undefined);
  button.textContent = 'Loading…';
  button.setAttribute('aria-disabled', 'true');
  button.hidden = false;
  if (errorBox.contains(document.activeElement)) button.focus();
  errorBox.replaceChildren();
}

export function showLoadError(message: HTMLElement): void {
  const hadFocus = document.activeElement === button;
  observe(undefined);
  button.hidden = true;
  errorBox.replaceChildren(message);
  if (hadFocus) message.querySelector('button')?.focus();
}
