/** The dialog with one image: opens and closes it, steps to its neighbours and renews its link. */
import { loadImage } from './api.ts';
import { getCachedImage } from './cache.ts';
import { connectDialog, type DialogActions, type DialogState } from './dialog-loader.ts';
import { byId, el } from './dom.ts';
import { initFullScreen, isFullScreen, leaveFullScreen, toggleFullScreen } from './full-screen.ts';
import { createDetails, type Details } from './image-details.ts';
import { needsRenewal, renewLinks } from './links.ts';
import { createErrorMessage, hideToast } from './messages.ts';
import { findPlace } from './neighbours.ts';
import { clearStage, showOnStage } from './stage.ts';
import { initStageInput, pressStageKey } from './stage-input.ts';
import { titleWithArtist } from './text.ts';
import { setImageTitle } from './title.ts';
import type { GalleryImage } from './types.ts';

const dialog = byId<HTMLDialogElement>('detail');
const [stage, panel] = [byId('stage'), byId('panel')];
const [previousButton, nextButton] = [byId<HTMLButtonElement>('previous'), byId<HTMLButtonElement>('next')];

let actions: DialogActions;
let state: DialogState = { imageId: undefined, neighbours: [], hasMore: false };
/** Of the image that was open last, among its neighbours. */
let lastIndex = -1;
let details: Details | undefined;
/** Stops what is under way for the open image. */
let stop = () => {};

connectDialog((given) => {
  actions = given;
  const { close } = actions;
  previousButton.addEventListener('click', () => step(-1));
  nextButton.addEventListener('click', () => step(1));
  byId('close').addEventListener('click', close);
  initStageInput({ step, close });
  initFullScreen();
  // Load events do not bubble.
  stage.addEventListener('load', () => details?.loadSimilar(), true);
  // The URL decides whether the dialog is open, so the browser must not close it by itself.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (isFullScreen()) leaveFullScreen();
    else close();
  });
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) close();
  });
  dialog.addEventListener('keydown', pressKey);
  return update;
});

function pressKey(event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  const isScrolling = key.startsWith('Arrow') && target instanceof Element && target.closest('pre, code');
  if (isScrolling || altKey || ctrlKey || metaKey) return;
  if (pressStageKey(key)) event.preventDefault();
  else if (key === 'ArrowLeft') void step(-1);
  else if (key === 'ArrowRight') void step(1);
  else if (key === 'f') toggleFullScreen();
}

function update(next: DialogState): void {
  const { imageId, neighbours } = state;
  state = next;
  if (neighbours[0] !== next.neighbours[0]) lastIndex = -1;
  if (next.imageId !== imageId) {
    stop();
    stop = () => {};
    details = undefined;
    if (next.imageId) openImage(next.imageId);
    else closeDialog();
  }
  // Showing an image may have loaded its neighbours from the cache, so this is not always `next`.
  if (!state.imageId) return;
  const place = findPlace(state.neighbours, state.imageId, lastIndex);
  lastIndex = place.index;
  previousButton.disabled = !place.previous;
  nextButton.disabled = !place.next && !state.hasMore;
}

async function step(by: 1 | -1): Promise<void> {
  const { imageId } = state;
  const find = () => {
    const { previous, next } = findPlace(state.neighbours, imageId, lastIndex);
    return by < 0 ? previous : next;
  };
  if (by > 0 && !find() && state.hasMore) await actions.loadMore();
  const id = find();
  if (id && state.imageId === imageId) actions.open(id);
}

function openImage(id: string): void {
  // The stage has a size only then.
  if (!dialog.open) dialog.showModal();
  const cached = getCachedImage(id);
  if (cached) showImage(cached);
  else void fetchImage(id);
}

function closeDialog(): void {
  leaveFullScreen();
  setImageTitle(undefined);
  clearStage();
  dialog.close();
}

function showImage(image: GalleryImage): void {
  const hadFocus = panel.contains(document.activeElement);
  const created = createDetails(image);
  details = created;
  stop = created.stop;
  panel.replaceChildren(...created.elements);
  panel.scrollTop = 0;
  byId('viewer').scrollTop = 0;
  if (hadFocus) byId('detail-title').focus();
  showOnStage(image);
  showLinks(created, image);
  setImageTitle(titleWithArtist(image));
  actions.onShown();
}

/** Renews the links when they expire. The picture on show stays. */
function showLinks(shown: Details, image: GalleryImage): void {
  shown.showLinks(image, async () => {
    const renewed = needsRenewal(image) ? await renewLinks(image) : undefined;
    // The new links may be those of a cover, which has nothing else.
    if (renewed && details === shown) showLinks(shown, { ...image, ...renewed } as GalleryImage);
  });
}

async function fetchImage(id: string): Promise<void> {
  const controller = new AbortController();
  stop();
  stop = () => controller.abort();
  clearStage();
  panel.replaceChildren(el('h2', { id: 'detail-title', class: 'quiet' }, 'Loading…'));
  try {
    showImage(await loadImage(id, { signal: controller.signal }));
  } catch (error) {
    if (controller.signal.aborted) return;
    const title = el('h2', { id: 'detail-title' }, 'Cannot show this image');
    const message = createErrorMessage(error, () => fetchImage(id));
    panel.replaceChildren(title, message);
  } finally {
    if (!controller.signal.aborted) hideToast();
  }
}
