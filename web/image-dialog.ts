/** The dialog with one image: opens and closes it, steps to its neighbours and renews its link. */
import { ZukanError } from '../client/index.ts';
import { loadImage } from './api.ts';
import { isBlurred } from './blur.ts';
import { getCachedImage } from './cache.ts';
import { connectDialog, type DialogActions, type DialogState } from './dialog-loader.ts';
import { byId, el } from './dom.ts';
import { initFullScreen, isFullScreen, leaveFullScreen, toggleFullScreen } from './full-screen.ts';
import { createDetails, type Details } from './image-details.ts';
import { needsRenewal, renewLinks } from './links.ts';
import { createErrorMessage, hideToast } from './messages.ts';
import { findPlace } from './neighbours.ts';
import { formatUrl, parseRoute } from './route.ts';
import { continueSlideshow, initSlideshow, isPlaying, stopSlideshow, toggleSlideshow } from './slideshow.ts';
import { clearStage, preload, showOnStage } from './stage.ts';
import { initStageInput, pressStageKey } from './stage-input.ts';
import { titleWithArtist } from './text.ts';
import { setImageTitle } from './title.ts';
import type { GalleryImage } from './types.ts';
import { initControls, toggleDetails } from './viewer-controls.ts';

/** How many of the next images load in advance. */
const PRELOADED = 2;

const dialog = byId<HTMLDialogElement>('detail');
const [stage, panel, caption] = [byId('stage'), byId('panel'), byId('caption')];
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
  initControls();
  initSlideshow(playNext);
  // Load events do not bubble.
  stage.addEventListener('load', completeImage, true);
  // The URL decides whether the dialog is open, so the browser must not close it by itself.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (isFullScreen()) leaveFullScreen();
    else if (isPlaying()) stopSlideshow();
    else close();
  });
  dialog.addEventListener('keydown', pressKey);
  return update;
});

function pressKey(event: KeyboardEvent): void {
  const { key, altKey, ctrlKey, metaKey } = event;
  const target = event.target as Element;
  const isScrolling = key.startsWith('Arrow') && target.closest('pre, code');
  // The key presses the button that has the focus.
  const isPressing = key === ' ' && target.closest('button, a, summary');
  if (isScrolling || isPressing || altKey || ctrlKey || metaKey) return;
  if (pressStageKey(key)) event.preventDefault();
  else if (key === 'ArrowLeft') void step(-1);
  else if (key === 'ArrowRight') void step(1);
  else if (key === 'f') toggleFullScreen();
  else if (key === 'i' && !isFullScreen() && !isPlaying()) toggleDetails();
  else if (key === ' ') {
    event.preventDefault();
    toggleSlideshow();
  }
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
  disable(previousButton, !place.previous);
  disable(nextButton, !place.next && !state.hasMore);
  // The neighbours of a shared image come after it.
  if (neighbours.length < state.neighbours.length && stage.querySelector('img.loaded')) loadAhead();
}

function disable(button: HTMLButtonElement, isDisabled: boolean): void {
  // Keys must go on to reach the dialog.
  if (isDisabled && document.activeElement === button) byId('viewer').focus();
  button.disabled = isDisabled;
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

/** For the slideshow, which leaves out blurred images. Returns false after the last image. */
async function playNext(): Promise<boolean> {
  const { imageId } = state;
  let count = -1;
  while (!upcoming()[0] && state.hasMore && count < state.neighbours.length) {
    count = state.neighbours.length;
    await actions.loadMore();
  }
  const [next] = upcoming();
  // The visitor may have gone on meanwhile.
  if (next && state.imageId === imageId) actions.open(next.id);
  return next !== undefined;
}

/** The next images that are not blurred. */
function upcoming(): GalleryImage[] {
  const { index } = findPlace(state.neighbours, state.imageId, lastIndex);
  const images = state.neighbours.slice(index + 1).flatMap((id) => getCachedImage(id) ?? []);
  return images.filter((image) => !isBlurred(image));
}

/** Called when the picture is there: what comes next may load now. */
function completeImage(): void {
  details?.loadSimilar();
  continueSlideshow();
  loadAhead();
}

function loadAhead(): void {
  const next = upcoming().slice(0, PRELOADED);
  next.forEach(preload);
  if (isPlaying() && next.length < PRELOADED && state.hasMore) void actions.loadMore();
}

function openImage(id: string): void {
  if (!dialog.open) {
    // The page behind the dialog keeps its width without the room for its scrollbar.
    const { documentElement, body } = document;
    documentElement.style.setProperty('--scrollbar', `${innerWidth - body.offsetWidth}px`);
    // The stage has a size only then.
    dialog.showModal();
  }
  const cached = getCachedImage(id);
  if (cached) showImage(cached);
  else void fetchImage(id);
}

function closeDialog(): void {
  leaveFullScreen();
  stopSlideshow();
  setImageTitle(undefined);
  caption.textContent = '';
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
  showOnStage(image, isPlaying());
  continueSlideshow(false);
  showLinks(created, image);
  setImageTitle(titleWithArtist(image));
  caption.textContent = titleWithArtist(image);
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
  caption.textContent = '';
  showTitle('Loading…', 'quiet');
  try {
    showImage(await loadImage(id, { signal: controller.signal }));
  } catch (error) {
    if (!controller.signal.aborted) showProblem(error, id);
  } finally {
    if (!controller.signal.aborted) hideToast();
  }
}

function showTitle(text: string, style: string): void {
  panel.replaceChildren(el('h2', { id: 'detail-title', class: style }, text));
}

function showProblem(error: unknown, id: string): void {
  const isMissing = error instanceof ZukanError && error.status === 404;
  const title = isMissing ? 'Picture not found' : 'Cannot show this picture';
  const message = createErrorMessage(error, () => fetchImage(id));
  if (isMissing)
    message.replaceChildren(el('p', {}, 'There is no picture at this address. It may have been removed.'));
  message.prepend(el('h2', {}, title));
  const { view } = parseRoute(location.search);
  message.append(el('a', { href: formatUrl(view), class: 'button' }, 'Go to the gallery'));
  showTitle(title, 'visually-hidden');
  clearStage(message);
}
