/**
 * The viewer: one picture above the page. The tile that was opened shows its picture at once; the page of the picture, which the server
 * writes, has its details. Loaded when the first picture is opened.
 */
import { el } from '../dom.ts';
import { createPageCache } from './fetch-page.ts';
import { icon } from './icons.ts';
import { addLinkButtons, addPlayButton } from './picture-actions.ts';
import { createStage, initStageInput, useSources } from './stage.ts';
import { texts } from './texts.ts';
import { createControls, createSlideshow } from './viewer-controls.ts';

/** How many of the next pictures load in advance. */
const PRELOADED = 2;

/** What the page does for the viewer. */
export interface Host {
  /** Goes to another picture, whose address replaces that of this one. */
  step(address: string): void;
  close(): void;
  /** Loads more tiles. False if there are none. */
  more(): Promise<boolean>;
}

export interface Viewer {
  /** Shows the picture with this address. */
  show(address: string): void;
  hide(): void;
}

const idOf = (address: string) => new URL(address, location.href).pathname.split('/')[2] ?? '';
const isBlurred = (tile: Element) => tile.classList.contains('blurred');

/** The address of the picture. The link of a blurred tile shows it, which only the visitor may choose. */
function addressOf(tile: HTMLElement): string {
  const address = new URL(tile.querySelector('a')?.href ?? location.href);
  const { rating } = tile.dataset;
  const ratings = address.searchParams.get('nsfw')?.split(',') ?? [];
  const others = ratings.filter((other) => other !== rating).join();
  if (rating && others) address.searchParams.set('nsfw', others);
  else if (rating) address.searchParams.delete('nsfw');
  return address.href;
}

function iconButton(name: string, label: string, key: string, ...paths: string[]): HTMLButtonElement {
  const title = `${label} (${key})`;
  return el(
    'button',
    { type: 'button', class: `icon-button ${name}`, 'aria-label': label, title },
    icon(...paths),
  );
}

function createViewer(host: Host): Viewer {
  const caption = el('p.caption', { 'aria-live': 'polite', dir: 'auto' });
  const slideshowButton = iconButton(
    'slideshow',
    texts.slideshow,
    'Space',
    'M7 4.5v11l8.5-5.5z',
    'M7 4.5v11M13 4.5v11',
  );
  const zoomButton = iconButton(
    'zoom',
    texts.zoom,
    '+, −, 0',
    'M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11M12.5 12.5 17 17M6 8.5h5M8.5 6v5',
  );
  const fullScreenButton = iconButton(
    'full-screen',
    texts.fullScreen,
    'f',
    'M3 7.5V3h4.5M12.5 3H17v4.5M17 12.5V17h-4.5M7.5 17H3v-4.5',
  );
  const detailsButton = iconButton(
    'show-details',
    texts.details,
    'i',
    'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15M10 9.2v4.6M10 6.3v.1',
  );
  const closeButton = iconButton('close', texts.close, 'Esc', 'M5 5l10 10M15 5L5 15');
  const previousButton = iconButton('step prev', texts.previous, '←', 'M12 4l-6 6 6 6');
  const nextButton = iconButton('step next', texts.next, '→', 'M8 4l6 6-6 6');
  for (const toggle of [slideshowButton, zoomButton, fullScreenButton, detailsButton])
    toggle.setAttribute('aria-pressed', 'false');
  const stageElement = el('div', { id: 'stage' });
  const panel = el('div', { id: 'panel' });
  const viewer = el(
    'div',
    { id: 'viewer', tabindex: '-1', autofocus: true },
    el('div.viewer-bar', caption, slideshowButton, zoomButton, fullScreenButton, detailsButton, closeButton),
    el('div.screen', stageElement, previousButton, nextButton),
    panel,
  );
  const dialog = el('dialog', { id: 'detail', 'aria-label': texts.details }, viewer);
  document.body.append(dialog);

  const load = createPageCache();
  const stage = createStage(stageElement, zoomButton);
  const controls = createControls({ viewer, panel, detailsButton, fullScreenButton });
  const pageTitle = document.title;
  /** The address of the open picture; empty while the viewer is closed. */
  let current = '';
  /** The tile that was open last: where to go on from a picture that is not in the grid. */
  let lastTile: HTMLElement | undefined;
  /** The neighbours that the page of the picture names, if it is not in the grid. */
  let steps: (string | undefined)[] = [];
  let isClosing = false;

  const tiles = () => [...document.querySelectorAll<HTMLElement>('main .grid > .tile')];
  const tileOf = (address: string) => tiles().find(({ dataset }) => dataset.id === idOf(address));
  const neighbour = (by: 1 | -1): string | undefined => {
    const list = tiles();
    const tile = tileOf(current);
    if (!tile && steps.some(Boolean)) return steps[by < 0 ? 0 : 1];
    const index = list.indexOf((tile ?? lastTile) as HTMLElement);
    const found = list[tile || by > 0 ? index + by : index];
    return found && addressOf(found);
  };
  /** The next tiles that are not blurred. */
  const upcoming = () => {
    const list = tiles();
    return list.slice(list.indexOf(lastTile as HTMLElement) + 1).filter((tile) => !isBlurred(tile));
  };

  const step = async (by: 1 | -1) => {
    const from = current;
    if (by > 0 && !neighbour(by)) await host.more().catch(() => false);
    const address = neighbour(by);
    if (address && current === from && !isClosing) host.step(address);
  };
  const close = () => {
    if (isClosing) return;
    // The browser takes a moment, in which someone may press another key.
    isClosing = true;
    host.close();
  };
  /** For the slideshow, which leaves out what is blurred. */
  const playNext = async () => {
    const from = current;
    while (upcoming().length === 0 && (await host.more().catch(() => false)));
    const [tile] = upcoming();
    if (tile && current === from) host.step(addressOf(tile));
    return tile !== undefined;
  };
  const slideshow = createSlideshow(viewer, slideshowButton, playNext, stage.isEnlarged);
  const pressStageKey = initStageInput(viewer, stage, { step, close, toggleControls: controls.toggle });

  const disable = (button: HTMLButtonElement, isDisabled: boolean) => {
    // Keys must go on to reach the dialog.
    if (isDisabled && document.activeElement === button) viewer.focus();
    button.disabled = isDisabled;
  };
  const updateSteps = () => {
    const hasMore = document.querySelector('.pages a[rel~="next"]') !== null;
    disable(previousButton, !neighbour(-1));
    disable(nextButton, !neighbour(1) && !hasMore);
  };

  /** What comes next may load when the picture is there. Animations may be large. */
  const loadAhead = () => {
    slideshow.restart();
    const next = upcoming().slice(0, PRELOADED);
    for (const tile of next) {
      const picture = tile.querySelector('img');
      if (picture && !tile.querySelector('.badge')) stage.preload(picture);
    }
    const [tile] = next;
    if (tile) load(addressOf(tile)).catch(() => {});
    if (next.length < PRELOADED) host.more().catch(() => {});
  };
  // Load events do not bubble.
  stageElement.addEventListener('load', loadAhead, true);

  const showPicture = (source: HTMLImageElement, ground: Element | null, isClear: boolean) => {
    const shown = stage.show(source, ground, isClear, slideshow.isPlaying());
    slideshow.restart(false);
    return shown;
  };

  const showPage = (page: Document, shown: ReturnType<typeof showPicture> | undefined) => {
    const [full, details] = [page.querySelector('.stage > .full'), page.querySelector('.panel')];
    const source = full?.querySelector('img');
    if (full && source) {
      const target = shown ?? showPicture(source, null, page.querySelector('.stage.clear') !== null);
      const original = full.getAttribute('href') ?? '';
      useSources(target.picture, source);
      if (full.matches('[data-animated]')) addPlayButton(stageElement, target.picture, original);
      else target.original = original;
    } else {
      const link = page.querySelector('.stage > .button');
      link?.classList.add('shows');
      stage.clear(el('div.blurred', ...page.querySelectorAll('.stage > *')));
    }
    document.title = page.title;
    steps = ['prev', 'next'].map(
      (rel) => page.querySelector<HTMLAnchorElement>(`.stage > .step[rel="${rel}"]`)?.href,
    );
    const title = details?.querySelector('h1');
    caption.textContent = title?.textContent ?? '';
    dialog.setAttribute('aria-label', caption.textContent);
    if (details) addLinkButtons(details);
    const similar = page.querySelector('.similar');
    const similarTitle = similar?.querySelector('h2');
    // The page below may have an element with the same id.
    similarTitle?.removeAttribute('id');
    similar?.setAttribute('aria-labelledby', '');
    similar?.setAttribute('aria-label', similarTitle?.textContent ?? '');
    panel.replaceChildren(...[details, similar].filter((part) => part !== null));
    panel.scrollTop = 0;
    updateSteps();
  };

  const open = async (address: string) => {
    current = address;
    steps = [];
    if (!dialog.open) {
      // The page behind the dialog keeps its width without the room for its scrollbar.
      const { documentElement, body } = document;
      documentElement.style.setProperty('--scrollbar', `${innerWidth - body.offsetWidth}px`);
      dialog.showModal();
    }
    const tile = tileOf(address);
    lastTile = tile ?? lastTile;
    const picture = tile?.querySelector('img');
    // The key that comes next must reach the dialog.
    if (panel.contains(document.activeElement)) viewer.focus();
    panel.replaceChildren();
    viewer.scrollTop = 0;
    caption.textContent = picture?.alt ?? texts.loading;
    const ground = tile?.querySelector('svg:not([viewBox])')?.cloneNode(true) as Element | undefined;
    let shown: ReturnType<typeof showPicture> | undefined;
    if (tile && picture) shown = showPicture(picture, ground ?? null, tile.matches('.clear'));
    else stage.clear(...(ground ? [el('div.blurred', ground)] : []));
    updateSteps();
    try {
      const page = await load(address);
      if (current === address) showPage(page, shown);
    } catch {
      if (current !== address) return;
      const link = el('a.button', { href: address }, texts.openPage);
      stage.clear(el('div.problem', { role: 'alert' }, el('p', texts.unavailable), link));
    }
  };

  const hide = () => {
    isClosing = false;
    if (!current) return;
    current = '';
    controls.leaveFullScreen();
    slideshow.stop();
    stage.clear();
    panel.replaceChildren();
    document.title = pageTitle;
    dialog.close();
    const tile = lastTile;
    // It may be empty, far from where the viewer was opened, or wait for the rest of its row.
    tile?.classList.remove('far');
    if (tile) tile.hidden = false;
    tile?.querySelector('a')?.focus({ preventScroll: true });
    // The browser restores the old scroll position, which may be far from the tile.
    requestAnimationFrame(() => tile?.scrollIntoView({ block: 'nearest' }));
  };

  previousButton.addEventListener('click', () => step(-1));
  nextButton.addEventListener('click', () => step(1));
  closeButton.addEventListener('click', close);
  zoomButton.addEventListener('click', () => stage.toggle({ x: 0, y: 0 }));
  slideshowButton.addEventListener('click', controls.wake);
  // The address decides whether the dialog is open, so the browser must not close it by itself.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (controls.isFull()) controls.leaveFullScreen();
    else if (slideshow.isPlaying()) slideshow.stop();
    else close();
  });
  dialog.addEventListener('keydown', (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    // The key presses the button that has the focus.
    const isPressing = key === ' ' && (event.target as Element).closest('button, a, summary');
    if (isPressing || altKey || ctrlKey || metaKey) return;
    if (pressStageKey(key)) event.preventDefault();
    else if (key === 'ArrowLeft') void step(-1);
    else if (key === 'ArrowRight') void step(1);
    else if (key === 'f') controls.toggleFullScreen();
    else if (key === 'i' && !controls.isFull() && !slideshow.isPlaying()) controls.toggleDetails();
    else if (key === ' ') {
      event.preventDefault();
      slideshow.toggle();
      controls.wake();
    }
  });

  return {
    show(address) {
      isClosing = false;
      if (address !== current) void open(address);
    },
    hide,
  };
}

document.dispatchEvent(new CustomEvent('zukan:viewer', { detail: createViewer }));
