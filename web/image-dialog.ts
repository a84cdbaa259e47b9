/** The dialog with one image: opens and closes it, steps to its neighbours and renews its link. */
import { loadImage } from './api.ts';
import { getCachedImage } from './cache.ts';
import { byId, el } from './dom.ts';
import { createDetails, type Details } from './image-details.ts';
import { needsRenewal, renewLinks } from './links.ts';
import { createErrorMessage, hideToast } from './messages.ts';
import { clearStage, initZoom, showOnStage } from './stage.ts';
import type { GalleryImage } from './types.ts';

const dialog = byId<HTMLDialogElement>('detail');
const [stage, panel] = [byId('stage'), byId('panel')];
const [previousButton, nextButton] = [byId<HTMLButtonElement>('previous'), byId<HTMLButtonElement>('next')];

export interface DialogActions {
  /** Opens another image of the same view. */
  open(id: string): void;
  close(): void;
  loadMore(): Promise<void>;
}

let openId: string | undefined;
let neighbours: readonly string[] = [];
let hasMore = false;
/** Stops the countdown or the request of the open image. */
let stop = () => {};

export function initDialog({ open, close, loadMore }: DialogActions): void {
  const step = async (by: number) => {
    const from = openId;
    const index = neighbours.indexOf(from ?? '');
    if (index >= 0 && index + by === neighbours.length && hasMore) await loadMore();
    const id = neighbours[index + by];
    if (index >= 0 && id && openId === from) open(id);
  };
  previousButton.addEventListener('click', () => step(-1));
  nextButton.addEventListener('click', () => step(1));
  byId('close').addEventListener('click', close);
  initZoom();
  // The URL decides whether the dialog is open, so the browser must not close it by itself.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target === stage) close();
  });
  dialog.addEventListener('keydown', (event) => {
    const isScrolling = event.target instanceof Element && event.target.closest('pre, code, .zoomed');
    if (isScrolling || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  });
}

/** Takes the images of the view in order, and whether the view has more than these. */
export function setNeighbours(ids: readonly string[], hasMoreImages: boolean): void {
  neighbours = ids;
  hasMore = hasMoreImages;
  const index = neighbours.indexOf(openId ?? '');
  previousButton.disabled = index <= 0;
  nextButton.disabled = index < 0 || (index === neighbours.length - 1 && !hasMore);
}

export function openImage(id: string): void {
  if (openId === id) return;
  leaveImage();
  openId = id;
  setNeighbours(neighbours, hasMore);
  const cached = getCachedImage(id);
  if (cached) showImage(cached);
  else fetchImage(id);
  if (!dialog.open) dialog.showModal();
}

/** Returns the id of the image that was open. */
export function closeDialog(): string | undefined {
  const id = leaveImage();
  if (dialog.open) dialog.close();
  return id;
}

function leaveImage(): string | undefined {
  const id = openId;
  stop();
  stop = () => {};
  openId = undefined;
  return id;
}

function showImage(image: GalleryImage): void {
  const details = createDetails(image);
  showOnStage(image);
  panel.replaceChildren(...details.elements);
  panel.scrollTop = 0;
  stop = details.stop;
  showLinks(details, image);
}

/** Renews the links when they expire. The picture on show stays. */
function showLinks(details: Details, image: GalleryImage): void {
  details.showLinks(image, async () => {
    const renewed = needsRenewal(image) ? await renewLinks(image) : undefined;
    if (renewed && stop === details.stop) showLinks(details, renewed);
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
