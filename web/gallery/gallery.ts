/** What every page runs: it improves what is there already, and loads the viewer when a picture is opened. */
import { byId, el } from '../dom.ts';
import { readSetting, saveSetting } from '../storage.ts';
import { icon } from './icons.ts';
import { addLinkButtons, addPlayButton } from './picture-actions.ts';
import { initScrolling } from './scrolling.ts';
import { initSuggestions } from './suggestions.ts';
import { keyTexts, texts } from './texts.ts';
import type { Host, Viewer } from './viewer.ts';

const { viewer: viewerScript = '', style: viewerStyle = '' } =
  (document.currentScript as HTMLScriptElement | null)?.dataset ?? {};
const withoutHash = ({ href }: { href: string }) => href.split('#', 1)[0];
/** The page that the server sent. Entries of its history may show a picture above it. */
const home = withoutHash(location);

/** Menus close like those of the system: with the Escape key, and with a click elsewhere. */
function initMenus(): void {
  const menus = [...document.querySelectorAll<HTMLDetailsElement>('details:is(.filters, .menu)')];
  document.addEventListener('click', ({ target }) => {
    for (const menu of menus) if (!menu.contains(target as Node)) menu.open = false;
  });
  for (const menu of menus)
    menu.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || !menu.open) return;
      menu.open = false;
      menu.querySelector('summary')?.focus();
    });
}

function initPicturePage(): void {
  const panel = document.querySelector('.picture-page .panel');
  if (panel) addLinkButtons(panel);
  const link = document.querySelector<HTMLAnchorElement>('.stage > .full[data-animated]');
  const picture = link?.querySelector('img');
  if (link && picture) addPlayButton(link.parentElement as Element, picture, link.getAttribute('href') ?? '');
}

/**
 * A picture that is opened becomes an entry of the history with the address of its page. The state of the entry has how many entries
 * ago the viewer was opened, so closing it goes back there.
 */
function initViewer(): void {
  let viewer: Promise<Viewer> | undefined;
  // After a reload, the page of the picture itself is there.
  if (history.state?.depth) history.replaceState({ ...history.state, depth: 0 }, '');
  const depth = (): number => history.state?.depth ?? 0;
  const show = async () => {
    try {
      viewer ??= loadViewer({
        step(address) {
          history.replaceState(history.state, '', address);
          void show();
        },
        close: () => history.go(-depth()),
        more: scrolling.more,
      });
      const { show: open } = await viewer;
      if (depth() > 0) open(location.href);
    } catch {
      viewer = undefined;
      // The page of the picture says what is wrong.
      location.reload();
    }
  };
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) && event.button === 0;
    if (!link || !isPlain || event.defaultPrevented || !link.matches('.tile > a, .stage > .full, .shows'))
      return;
    event.preventDefault();
    if (depth() === 0) scrolling.remember();
    // The link of a picture that is open already shows it larger, or without blur.
    if (link.matches('.shows')) history.replaceState(history.state, '', link.href);
    else history.pushState({ depth: depth() + 1 }, '', link.matches('.full') ? location.href : link.href);
    void show();
  });
  addEventListener('popstate', async () => {
    if (depth() > 0) return void show();
    // The browser reloaded this page while the viewer was open, so it has never had the page of this entry.
    if (withoutHash(location) !== home) return location.reload();
    (await viewer)?.hide();
  });
  addEventListener('pagehide', () => {
    if (depth() === 0) scrolling.remember();
  });
}

/** The script announces itself, because it is another file. */
function loadViewer(host: Host): Promise<Viewer> {
  return new Promise((resolve, reject) => {
    const connect = (event: Event) => resolve((event as CustomEvent<(host: Host) => Viewer>).detail(host));
    document.addEventListener('zukan:viewer', connect, { once: true });
    const style = el('link', { rel: 'stylesheet', href: viewerStyle, error: reject });
    // Without its style, the viewer would measure itself wrongly.
    style.addEventListener('load', () =>
      document.head.append(el('script', { src: viewerScript, error: reject })),
    );
    document.head.append(style, el('link', { rel: 'preload', as: 'script', href: viewerScript }));
  });
}

// Keys of the page: to search, to walk through the grid, and the list of all keys.

function initKeys(): void {
  const list = keyTexts.map(([keys, meaning]) => el('div', el('dt', keys), el('dd', meaning)));
  const close = el('button.button.small', { type: 'button', click: () => dialog.close() }, texts.close);
  const title = el('h2', { id: 'key-title' }, texts.keys);
  const dialog = el(
    'dialog',
    { id: 'key-dialog', 'aria-labelledby': title.id },
    el('div.row', title, close),
    el('dl.properties', ...list),
  );
  document.body.append(dialog);
  for (const links of document.querySelectorAll('footer p:last-child, .menu p')) {
    const show = () => dialog.showModal();
    links.append(el('button.show-keys', { type: 'button', click: show }, texts.keys));
  }
  document.addEventListener('keydown', (event) => {
    const isModified = event.ctrlKey || event.metaKey || event.altKey;
    if (event.defaultPrevented || isModified || document.querySelector('dialog[open]')) return;
    const target = event.target as Element;
    if (target.matches('input, textarea, select')) return;
    if (event.key === '/') byId<HTMLInputElement>('search-text').select();
    else if (event.key === '?') dialog.showModal();
    else if (!moveFocus(event.key, target)) return;
    event.preventDefault();
  });
}

/** From the tile with the focus to the one next to it, above or below. False if the key does not mean that. */
function moveFocus(key: string, target: Element): boolean {
  const tile = target.closest('.tile');
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!tile?.parentElement || !step) return false;
  const tiles = [...tile.parentElement.children];
  const after = tiles.slice(tiles.indexOf(tile) + 1);
  const before = tiles.slice(0, tiles.indexOf(tile)).reverse();
  const others = step > 0 ? after : before;
  const next = /Left|Right/.test(key) ? others[0] : findInNextRow(tile, others);
  next?.querySelector('a')?.focus();
  return true;
}

/** The tile of the first row of `others` below or above that is nearest. */
function findInNextRow(tile: Element, others: Element[]): Element | undefined {
  const boxOf = (element: Element) => element.getBoundingClientRect();
  const middle = (element: Element) => boxOf(element).left + boxOf(element).width / 2;
  const top = others.map((other) => boxOf(other).top).find((top) => Math.abs(top - boxOf(tile).top) > 1);
  const row = others.filter((other) => Math.abs(boxOf(other).top - (top ?? 0)) < 1);
  const distance = (other: Element) => Math.abs(middle(other) - middle(tile));
  return top === undefined ? undefined : row.sort((one, other) => distance(one) - distance(other))[0];
}

// How large the pictures of the grid are: a button with three sizes, which is remembered for later visits.

/** What the height of a row is multiplied by. */
const sizes = [
  {
    ...{ name: 'small', scale: 0.62 },
    path: 'M3 3h3v3H3zm5.5 0h3v3h-3zM14 3h3v3h-3zM3 8.5h3v3H3zm5.5 0h3v3h-3zm5.5 0h3v3h-3zM3 14h3v3H3zm5.5 0h3v3h-3zm5.5 0h3v3h-3z',
  },
  {
    ...{ name: 'medium', scale: 1 },
    path: 'M3 3h5.5v5.5H3zm8.5 0H17v5.5h-5.5zM3 11.5h5.5V17H3zm8.5 0H17V17h-5.5z',
  },
  { ...{ name: 'large', scale: 1.6 }, path: 'M3 3h14v14H3z' },
] as const;

/** Returns what new tiles are passed to. */
function initPictureSize(): (tiles: Iterable<Element>) => void {
  const grid = document.querySelector('main > .grid');
  const tools = document.querySelector('.heading .tools');
  if (!grid || !tools) return () => {};
  let current: (typeof sizes)[number] = sizes.find(({ name }) => name === readSetting('density')) ?? sizes[1];
  const button = el('button.button', { type: 'button', id: 'picture-size' });
  /** Files for larger tiles than the server expects. */
  const fit = (tiles: Iterable<Element>) => {
    if (current.scale <= 1) return;
    for (const tile of tiles) {
      const picture = tile.querySelector('img');
      if (picture?.sizes) picture.sizes = `${tile.clientWidth}px`;
    }
  };
  const show = () => {
    const { name, scale, path } = current;
    document.documentElement.style.setProperty('--scale', String(scale));
    button.replaceChildren(icon(path));
    button.title = texts.size(name);
    button.setAttribute('aria-label', button.title);
    fit(grid.children);
  };
  button.addEventListener('click', () => {
    const isOnScreen = (tile: Element) => tile.getBoundingClientRect().bottom > innerHeight / 4;
    const tile = scrollY > 0 ? [...grid.children].find(isOnScreen) : undefined;
    current = sizes[(sizes.indexOf(current) + 1) % sizes.length] as typeof current;
    saveSetting('density', current.name);
    show();
    tile?.scrollIntoView({ block: 'center' });
  });
  show();
  // The other buttons stay in their places.
  tools.prepend(button);
  return fit;
}

const scrolling = initScrolling(initPictureSize());
initSuggestions();
initKeys();
initMenus();
initPicturePage();
initViewer();
