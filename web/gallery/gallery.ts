/** What every page runs: it improves what is there already, and loads the viewer when a picture is opened. */
import { el } from '../dom.ts';
import { initKeys } from './keys.ts';
import { addLinkButtons, addPlayButton } from './picture-actions.ts';
import { initPictureSize } from './picture-size.ts';
import { initScrolling } from './scrolling.ts';
import { initSuggestions } from './suggestions.ts';
import type { Host, Viewer } from './viewer.ts';

const { viewer: viewerScript = '', style: viewerStyle = '' } =
  (document.currentScript as HTMLScriptElement | null)?.dataset ?? {};
const withoutHash = ({ href }: { href: string }) => href.split('#', 1)[0];
/** The page that the server sent. Entries of its history may show a picture above it. */
const home = withoutHash(location);

const scrolling = initScrolling(initPictureSize());
initSuggestions();
initKeys();
initMenus();
initPicturePage();
initViewer();

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
