/** The view on show: takes its data from the cache or the API, and loads more images on demand. */
import { adoptImages, loadMore, loadView } from './api.ts';
import { updateBrowse } from './browse.ts';
import { cacheEntries, cacheView, getCachedSubject, getCachedView } from './cache.ts';
import { setDialog } from './dialog-loader.ts';
import { byId } from './dom.ts';
import { countEntries, showEntries } from './entries.ts';
import { updateFilters } from './filters.ts';
import { clearImages, countVisible, showImages } from './grid.ts';
import type { HistoryState } from './history-state.ts';
import { hideLoadMore, showLoadError, showLoadingMore, showLoadMore } from './infinite-scroll.ts';
import { announce, createErrorMessage, explainError, hideToast, showToast } from './messages.ts';
import { showIfEmpty, showProblem } from './notices.ts';
import { clearPage, renderView, setBusy, setStale, showHeading, summarizeView } from './page.ts';
import { isEndless, type View } from './route.ts';
import { updateSearch } from './search.ts';
import { getSnapshot, saveSnapshot } from './snapshot.ts';
import { allShownText, formatCount } from './text.ts';
import type { ViewData } from './types.ts';

interface CurrentView {
  view: View;
  state: HistoryState;
  data: ViewData | undefined;
}

let current: CurrentView | undefined;
let loading = new AbortController();
let loadingMore: Promise<void> | undefined;

export function isCurrent({ key }: HistoryState): boolean {
  return current?.state.key === key;
}

export function currentState(): HistoryState | undefined {
  return current?.state;
}

export function updateNeighbours(): void {
  const { images = [], cursor } = current?.data ?? {};
  setDialog({ neighbours: images.map(({ id }) => id), hasMore: cursor !== undefined });
}

/** Continues where the visitor was when the page was left. */
export function restoreView({ key }: HistoryState): void {
  const data = getSnapshot(key);
  if (data) {
    adoptImages(data.images);
    cacheEntries(data);
    cacheView(key, data);
  }
  addEventListener('pagehide', () => {
    if (current?.data) saveSnapshot(current.state.key, current.view, current.data);
  });
}

function showData(target: CurrentView, data: ViewData): void {
  target.data = data;
  renderView(target.view, data);
  updateNeighbours();
}

const progressOf = (view: View, { images, cursor }: ViewData) => ({
  ...(view.name === 'list'
    ? { kind: view.kind, count: countEntries() }
    : { kind: 'images' as const, count: images.length }),
  hasMore: cursor !== undefined,
});

function finishView({ view }: CurrentView, data: ViewData): void {
  if (isEndless(view)) showLoadMore(progressOf(view, data), 0);
  showIfEmpty(view, data);
}

export async function showView(view: View, state: HistoryState): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  if (view.name !== current?.view.name) clearPage();
  const target: CurrentView = { view, state, data: undefined };
  current = target;
  showHeading(view, 'id' in view ? getCachedSubject(view.id) : undefined);
  updateSearch(view);
  updateFilters(view);
  updateBrowse(view);
  hideLoadMore();
  const cached = getCachedView(state.key);
  setBusy(!cached);
  setStale(!cached);
  if (cached) {
    showData(target, cached);
    return finishView(target, cached);
  }
  try {
    let complete: ViewData | undefined;
    for await (const data of loadView(view, state.seed, signal)) {
      if (signal.aborted) return;
      cacheEntries(data);
      showData(target, data);
      complete = data;
    }
    if (!complete) return;
    cacheView(state.key, complete);
    finishView(target, complete);
    announce(summarizeView(view, complete));
  } catch (error) {
    if (!signal.aborted) showProblem(view, error, () => void showView(view, state));
  } finally {
    if (!signal.aborted) {
      setBusy(false);
      hideToast();
    }
  }
}

/** Adds the next images or names. Calls during a load share it. */
export function showMore(): Promise<void> {
  loadingMore ??= addNext().finally(() => {
    loadingMore = undefined;
  });
  return loadingMore;
}

async function addNext(): Promise<void> {
  const { signal } = loading;
  const { view, state, data } = current ?? {};
  if (!current || !view || !state || data?.cursor === undefined || !isEndless(view)) return;
  const previousCount = progressOf(view, data).count;
  const visibleCount = view.name === 'list' ? previousCount : countVisible();
  showLoadingMore();
  try {
    const next = await loadMore(view, data, state.seed, signal);
    if (signal.aborted) return;
    hideToast();
    cacheView(state.key, next);
    cacheEntries(next);
    current.data = next;
    if (view.name === 'list') showEntries(next.groups, view, next.cursor !== undefined);
    else showImages(next.images, view, next.cursor !== undefined);
    updateNeighbours();
    const progress = progressOf(view, next);
    showLoadMore(progress, visibleCount);
    announce(summarizeMore(progress, previousCount));
  } catch (error) {
    if (signal.aborted) return;
    hideToast();
    showLoadError(createErrorMessage(error, showMore));
    // An open dialog covers the error message.
    if (byId<HTMLDialogElement>('detail').open) showToast(explainError(error));
  }
}

function summarizeMore(
  { kind, count, hasMore }: ReturnType<typeof progressOf>,
  previousCount: number,
): string {
  const total = hasMore ? `${formatCount(count, kind)} so far.` : allShownText(count, kind);
  return `${count - previousCount} more. ${total}`;
}

export function redrawImages(): void {
  if (!current?.data) return;
  clearImages();
  const { images, cursor } = current.data;
  showImages(images, current.view, cursor !== undefined);
}
