/** Keeps the page in line with its URL. */

import { initUnblurSwitch } from './blur.ts';
import { getCachedView } from './cache.ts';
import {
  currentState,
  isCurrent,
  redrawImages,
  showMore,
  showView,
  updateNeighbours,
} from './current-view.ts';
import { byId, el } from './dom.ts';
import { focusTile } from './grid.ts';
import { createState, ensureState, type HistoryState, saveRatings } from './history-state.ts';
import { closeDialog, initDialog, openImage, setNeighbours } from './image-dialog.ts';
import { initInfiniteScroll } from './infinite-scroll.ts';
import { formatUrl, parseRoute } from './route.ts';
import { initSearch } from './search.ts';

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

function showRoute(): Promise<void> | undefined {
  const { view, imageId } = currentRoute();
  const closedId = imageId ? undefined : closeDialog();
  if (imageId) openImage(imageId);
  const isShown = isCurrent(historyState());
  const canShow = !imageId || getCachedView(historyState().key) !== undefined;
  const loading = isShown || !canShow ? undefined : showView(view, historyState());
  if (isShown) updateNeighbours();
  else if (!canShow) setNeighbours([], false);
  if (closedId) focusTile(closedId);
  return loading;
}

/** The rest of the page must not compete with the first images. */
function loadLater(): void {
  const src = document.querySelector<HTMLMetaElement>('meta[name="zukan-later"]')?.content ?? '';
  const retry = () => addEventListener('online', loadLater, { once: true });
  document.head.append(el('script', { src, error: retry }));
}

initDialog({
  open(id) {
    history.replaceState(historyState(), '', formatUrl(currentRoute().view, id));
    showRoute();
  },
  close() {
    const { key, seed, canGoBack } = historyState();
    if (canGoBack) history.back();
    else pushUrl(formatUrl(currentRoute().view), { key, seed });
  },
  loadMore: showMore,
});

/** Handles links within the page, except clicks with a modifier key. */
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  const { key, seed } = historyState();
  // A filter keeps the seed, so the remaining images keep their order. Its URL has all ratings that it does not name.
  const { filterUrl, ratings } = event.target.closest<HTMLElement>('[data-filter-url]')?.dataset ?? {};
  if (ratings !== undefined) saveRatings(ratings);
  if (filterUrl) {
    event.preventDefault();
    const { view } = parseRoute(new URL(filterUrl, location.href).search);
    return pushUrl(filterUrl, { seed, ratings: 'filter' in view ? view.filter.nsfw : [] });
  }
  const link = event.target.closest<HTMLAnchorElement>('a[href^="/"]');
  const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) && event.button === 0;
  if (!link || !isPlain || link.pathname !== '/' || link.target) return;
  event.preventDefault();
  if (link.dataset.image) pushUrl(link.href, { key, seed, canGoBack: true });
  else navigate(link.href);
});

byId('shuffle').addEventListener('click', () => {
  const { view } = currentRoute();
  pushUrl(formatUrl(view.name === 'newest' ? { ...view, name: 'random' } : view));
  scrollTo(0, 0);
});
initInfiniteScroll(showMore);
initSearch(navigate);
initUnblurSwitch(redrawImages);
byId('options').addEventListener('click', ({ currentTarget }) => {
  const isOpen = byId('tools').classList.toggle('open');
  (currentTarget as Element).setAttribute('aria-expanded', String(isOpen));
});
addEventListener('popstate', showRoute);
// After two frames, the files of the first images have been requested.
const afterFrame = (work: () => void) => () => requestAnimationFrame(work);
void Promise.resolve(showRoute()).finally(afterFrame(afterFrame(loadLater)));
