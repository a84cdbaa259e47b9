/** Keeps the page in line with its URL. */

import { initUnblurSwitch } from './blur.ts';
import { initBrowse } from './browse.ts';
import { getCachedView } from './cache.ts';
import {
  currentState,
  isCurrent,
  redrawImages,
  restoreView,
  showMore,
  showView,
  updateNeighbours,
} from './current-view.ts';
import { initDensity } from './density.ts';
import { initDialog, loadDialog, setDialog } from './dialog-loader.ts';
import { addToHead, byId } from './dom.ts';
import { loadCachedFont, loadFont } from './font.ts';
import { focusTile, resizeTiles } from './grid.ts';
import { createState, ensureState, type HistoryState, saveRatings } from './history-state.ts';
import { initInfiniteScroll } from './infinite-scroll.ts';
import { formatUrl, parseRoute, type View } from './route.ts';
import { initSearch } from './search.ts';
import { laterScript } from './site.ts';

const historyState = () => ensureState(currentState());
const currentRoute = () => parseRoute(location.search, historyState().ratings);

function pushUrl(url: string, state: Partial<HistoryState> = {}): void {
  const { view } = currentRoute();
  const ratings = 'filter' in view ? view.filter.nsfw : historyState().ratings;
  history.pushState({ ...createState(ratings), ...state }, '', url);
  showRoute();
}

/** Goes to another page: scrolls to the top and moves the focus to the title. */
function navigate(url: string): void {
  pushUrl(url);
  scrollTo(0, 0);
  byId('title').focus({ preventScroll: true });
}

/** The browser takes a moment, in which someone may close the image again. */
let isGoingBack = false;

function showRoute(): void {
  const { view, imageId } = currentRoute();
  const lastId = setDialog({ imageId });
  if (isCurrent(historyState())) updateNeighbours();
  else if (!imageId || getCachedView(historyState().key)) load(view);
  else setDialog({ neighbours: [], hasMore: false });
  if (lastId && !imageId) focusTile(lastId);
}

/** The rest of the page must not compete with the first images, whose files are requested within two frames. */
function load(view: View): void {
  const afterFrame = (work: () => void) => () => requestAnimationFrame(work);
  void showView(view, historyState()).then(afterFrame(afterFrame(loadRest)));
}

let isComplete = false;

/** After a failure, the next view tries again. */
async function loadRest(): Promise<void> {
  await loadDialog();
  loadFont();
  if (isComplete) return;
  isComplete = true;
  addToHead('script', laterScript, 'low').catch(() => {
    isComplete = false;
  });
}

initDialog({
  open(id) {
    if (isGoingBack) return;
    history.replaceState(historyState(), '', formatUrl(currentRoute().view, id));
    showRoute();
  },
  close() {
    if (isGoingBack) return;
    const { key, seed, depth } = historyState();
    isGoingBack = Boolean(depth);
    if (depth) history.go(-depth);
    else pushUrl(formatUrl(currentRoute().view), { key, seed });
  },
  loadMore: showMore,
  /** The image of a shared link comes first. Then its neighbours can load, and the view is there when it is closed. */
  onShown() {
    if (!isCurrent(historyState())) load(currentRoute().view);
  },
});

/** Handles links within the page, except clicks with a modifier key. */
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  const { key, seed, depth } = historyState();
  // A filter keeps the seed, so the remaining images keep their order. Its URL has all ratings that it does not name.
  const { filterUrl, ratings } = event.target.closest<HTMLElement>('[data-filter-url]')?.dataset ?? {};
  if (ratings !== undefined) saveRatings(ratings);
  if (filterUrl) {
    event.preventDefault();
    const { view } = parseRoute(new URL(filterUrl, location.href).search);
    return pushUrl(filterUrl, { seed, ...('filter' in view && { ratings: view.filter.nsfw }) });
  }
  const link = event.target.closest<HTMLAnchorElement>('a[href^="/"]');
  const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) && event.button === 0;
  if (!link || !isPlain || link.pathname !== '/' || link.target) return;
  event.preventDefault();
  // An image that is opened from the dialog of a shared link has no entry of the view to go back to.
  const isInDialog = link.closest('dialog') !== null;
  if (link.dataset.image) pushUrl(link.href, { key, seed, depth: isInDialog ? depth && depth + 1 : 1 });
  else navigate(link.href);
});

byId('shuffle').addEventListener('click', () => {
  const { view } = currentRoute();
  pushUrl(formatUrl(view.name === 'newest' ? { ...view, name: 'random' } : view));
  scrollTo(0, 0);
});
initInfiniteScroll(showMore);
initSearch(navigate);
initBrowse((url) => {
  history.replaceState(createState(historyState().ratings), '', url);
  showRoute();
});
initUnblurSwitch(redrawImages);
byId('options').addEventListener('click', ({ currentTarget }) => {
  const isOpen = !byId('filters').toggleAttribute('hidden');
  (currentTarget as Element).setAttribute('aria-expanded', String(isOpen));
});
initDensity(resizeTiles);
restoreView(historyState());
loadCachedFont();
addEventListener('popstate', () => {
  isGoingBack = false;
  showRoute();
});
showRoute();
