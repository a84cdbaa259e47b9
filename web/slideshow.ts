/** Shows one image after the other, each for some seconds. */
import { byId } from './dom.ts';
import { isEnlarged } from './stage.ts';
import { wakeControls } from './viewer-controls.ts';

const INTERVAL_MS = 5000;
/** Until then, an image that has not loaded is waited for. */
const MAX_LOAD_MS = 20_000;

const [viewer, button] = [byId('viewer'), byId('slideshow')];
let timer: ReturnType<typeof setTimeout> | undefined;
let showNext: () => Promise<boolean>;

/** `next` returns whether there was another image. */
export function initSlideshow(next: () => Promise<boolean>): void {
  showNext = next;
  button.addEventListener('click', toggleSlideshow);
  // Any input restarts the interval.
  for (const type of ['pointerdown', 'keydown', 'wheel'])
    viewer.addEventListener(type, () => continueSlideshow(), { passive: true });
  document.addEventListener('visibilitychange', () => continueSlideshow());
}

export function isPlaying(): boolean {
  return viewer.classList.contains('playing');
}

export function toggleSlideshow(): void {
  setPlaying(!isPlaying());
}

export function stopSlideshow(): void {
  setPlaying(false);
}

/** Counts the time of the image from now on. */
export function continueSlideshow(isLoaded = true): void {
  clearTimeout(timer);
  if (isPlaying()) timer = setTimeout(advance, isLoaded ? INTERVAL_MS : MAX_LOAD_MS);
}

/** Waits for a visitor who looks elsewhere or enlarges the image. */
async function advance(): Promise<void> {
  if (document.hidden || isEnlarged()) continueSlideshow();
  else if (!(await showNext())) stopSlideshow();
}

function setPlaying(isPlaying: boolean): void {
  viewer.classList.toggle('playing', isPlaying);
  button.setAttribute('aria-pressed', String(isPlaying));
  continueSlideshow();
  if (isPlaying) wakeControls();
}
