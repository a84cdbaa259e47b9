/** The page: what the address says is what it shows. Every entry of the history has a key, and by it its answer. */
import { closePicture, openPicture, setNeighbours, startDialog } from './dialog.ts';
import { byId } from './dom.ts';
import { startEnd } from './end.ts';
import { focusTile } from './grid.ts';
import { recall } from './memory.ts';
import { addressOf, viewOf } from './place.ts';
import { startSearch } from './search.ts';
import { type Entry, isShown, redraw, showMore, showNeighbours, shownEntry, showPlace } from './showing.ts';
import { startVeilSwitch } from './veil.ts';

const newText = () => `${Date.now()}-${Math.random()}`;
const here = () => viewOf(location.search);

/** Where the browser made an entry itself, as for a fragment, it is one of what is shown already. */
function entry(): Entry {
  if (!history.state?.seed) history.replaceState(shownEntry() ?? { key: newText(), seed: newText() }, '');
  return history.state;
}

function go(address: string, next: Partial<Entry> = {}): void {
  history.pushState({ key: newText(), seed: newText(), ...next }, '', address);
  show();
}

/** Goes to another page: to its top, and its title. */
function visit(address: string): void {
  go(address);
  scrollTo(0, 0);
  byId('title').focus({ preventScroll: true });
}

/** Brings the page to what the address says. */
function show(): void {
  const { place, image } = here();
  const wasOpen = image ? undefined : closePicture(true);
  if (image) openPicture(image);
  if (isShown(entry())) showNeighbours();
  else if (!image || recall(entry().key)) void showPlace(place, entry());
  else setNeighbours([], false);
  if (wasOpen) focusTile(wasOpen);
}

startDialog({
  open(id) {
    history.replaceState(entry(), '', addressOf(here().place, id));
    show();
  },
  close() {
    const { key, seed, isOver } = entry();
    if (isOver) history.back();
    else go(addressOf(here().place), { key, seed });
  },
  more: showMore,
});

/** Links within the page need no page load. Those with a key held down are the browser's. */
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  const { key, seed } = entry();
  // More or less of the same: what has the focus keeps it, and the pictures keep their order.
  const { narrow } = event.target.closest<HTMLElement>('[data-narrow]')?.dataset ?? {};
  if (narrow) return go(narrow, { seed });
  const link = event.target.closest<HTMLAnchorElement>('a[href^="/"]');
  const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) && event.button === 0;
  if (!link || !isPlain || link.pathname !== '/' || link.target) return;
  event.preventDefault();
  if (link.dataset.open) go(link.href, { key, seed, isOver: true });
  else visit(link.href);
});

byId('others').addEventListener('click', () => {
  go(addressOf(here().place));
  scrollTo(0, 0);
});
startEnd(showMore);
startSearch(visit);
startVeilSwitch(redraw);
addEventListener('popstate', show);
show();
