/**
 * The list goes on: when its end comes near, the items of the next page join it. With endless loading, those who move the focus with
 * the Tab key could never reach the footer, so for them only the link to the next page loads more.
 */
import { fetchPage } from './fetch-page.ts';

/** How far below the window the next page is fetched, and how far from it pictures are released. */
const NEAR = '0px 0px 300%';
const KEPT = '500% 0px';
/** More than there are in a row and on a page together. */
const MAX_IN_ROW = 100;
/** Going back further than this many pages comes close to the place. */
const MAX_RESTORED = 40;

interface Place {
  /** Of the first page, because another visit of a random page has other pictures. */
  first: string;
  pages: number;
  top: number;
}

/** `onAdded` is called with the items that join the list. */
export function initScrolling(onAdded: (items: Iterable<Element>) => void) {
  const main = document.querySelector('main') as HTMLElement;
  const list = main.querySelector(':scope > :is(.grid, .entries)');
  const link = main.querySelector<HTMLAnchorElement>('.pages a[rel~="next"]');
  if (!list || !link) return { more: async () => false, remember() {} };
  const kind = list.className;
  const first = link.href;
  const release = createReleaser(list);
  const holdBack = () => holdLastRow(list, link.isConnected);
  let pages = 0;
  let loading: Promise<boolean> | undefined;

  const load = async () => {
    main.ariaBusy = 'true';
    try {
      const page = await fetchPage(link.href);
      const known = new Set([...list.children].map(idOf));
      const items = [...page.querySelectorAll(`main > .${kind} > li`)].filter(
        (item) => !known.has(idOf(item)),
      );
      list.append(...items);
      pages++;
      release(items);
      onAdded(items);
      const next = page.querySelector('.pages a[rel~="next"]')?.getAttribute('href');
      if (next) link.href = next;
      else link.remove();
      holdBack();
      return items.length > 0;
    } finally {
      main.ariaBusy = null;
      loading = undefined;
      observe();
    }
  };
  /** False if there is no more. */
  const more = async () => {
    if (!link.isConnected) return false;
    loading ??= load();
    return loading;
  };

  /** Not `:focus-visible`: that is also the tile of a picture that was closed with the Escape key. */
  let isTabbing = false;
  const observer = new IntersectionObserver(
    (entries) => {
      const isKeyboardUser = isTabbing && document.querySelector('main :focus, footer :focus');
      // Without a connection, the link is still there.
      if (entries.at(-1)?.isIntersecting && !isKeyboardUser) more().catch(() => observer.disconnect());
    },
    { rootMargin: NEAR },
  );
  /** A new observation reports at once, even if the link is still near. */
  const observe = () => {
    observer.disconnect();
    if (link.isConnected) observer.observe(link);
  };
  addEventListener('keydown', ({ key }) => {
    if (key === 'Tab') isTabbing = true;
  });
  for (const type of ['pointerdown', 'wheel'])
    addEventListener(
      type,
      () => {
        if (isTabbing) observe();
        isTabbing = false;
      },
      { passive: true },
    );
  link.addEventListener('click', async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const count = list.children.length;
    try {
      await more();
      list.children[count]?.querySelector('a')?.focus();
    } catch {
      location.assign(link.href);
    }
  });

  /** Notes the place in the current entry of the history. */
  const remember = () => {
    const place: Place = { first, pages, top: scrollY };
    history.replaceState({ ...history.state, place }, '');
  };
  const restore = async ({ first: expected, pages, top }: Place) => {
    if (expected !== first) return;
    let isWanted = true;
    for (const type of ['wheel', 'pointerdown', 'keydown'])
      addEventListener(type, () => (isWanted = false), { once: true, passive: true });
    for (let page = 0; page < Math.min(pages, MAX_RESTORED) && isWanted; page++) if (!(await more())) break;
    if (isWanted) scrollTo(0, top);
  };
  new ResizeObserver(holdBack).observe(main);
  release(list.children);
  const place: Place | undefined = history.state?.place;
  if (place && place.pages > 0) restore(place).catch(() => {});
  observe();
  return { more, remember };
}

const idOf = (item: Element) => item.getAttribute('data-id');

/** The tiles of the last row wait until it is full, because each that joins them would change their size. */
function holdLastRow(list: Element, hasMore: boolean): void {
  if (!list.matches('.grid')) return;
  const tiles = [...list.children] as HTMLElement[];
  for (const tile of tiles.slice(-MAX_IN_ROW)) tile.hidden = false;
  list.classList.toggle('held', hasMore);
  if (!hasMore) return;
  const top = tiles.at(-1)?.offsetTop;
  const row = tiles.slice(-MAX_IN_ROW).filter(({ offsetTop }) => offsetTop === top);
  // A hidden tile loses the focus.
  const hasFocus = row.some((tile) => tile.contains(document.activeElement));
  if (row.length < tiles.length && !hasFocus) for (const tile of row) tile.hidden = true;
}

/** Tiles far from the window are empty boxes of their size, without files, so ten thousand of them scroll as smoothly as a few. */
function createReleaser(list: Element): (items: Iterable<Element>) => void {
  if (!list.matches('.grid')) return () => {};
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        target.classList.toggle('far', !isIntersecting);
        const picture = target.querySelector('img');
        for (const name of picture ? ['srcset', 'src'] : []) {
          const [from, to] = isIntersecting ? [`data-${name}`, name] : [name, `data-${name}`];
          const value = picture?.getAttribute(from);
          if (value) picture?.setAttribute(to, value);
          picture?.removeAttribute(from);
        }
      }
    },
    { rootMargin: KEPT },
  );
  return (items) => {
    for (const item of items) observer.observe(item);
  };
}
