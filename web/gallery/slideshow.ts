/** Shows one picture after the other, each for some seconds. */

const INTERVAL_MS = 5000;
/** Until then, a picture that has not loaded is waited for. */
const MAX_LOAD_MS = 20_000;

export interface Slideshow {
  isPlaying(): boolean;
  toggle(): void;
  stop(): void;
  /** Counts the time of the picture from now on. */
  restart(isLoaded?: boolean): void;
}

/** `next` returns whether there was another picture. `mustWait` says whether the visitor looks at this one closely. */
export function createSlideshow(
  viewer: HTMLElement,
  button: HTMLElement,
  next: () => Promise<boolean>,
  mustWait: () => boolean,
): Slideshow {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isPlaying = () => viewer.classList.contains('playing');
  const restart = (isLoaded = true) => {
    clearTimeout(timer);
    if (isPlaying()) timer = setTimeout(advance, isLoaded ? INTERVAL_MS : MAX_LOAD_MS);
  };
  const advance = async () => {
    if (document.hidden || mustWait()) restart();
    else if (!(await next())) setPlaying(false);
  };
  const setPlaying = (isPlaying: boolean) => {
    viewer.classList.toggle('playing', isPlaying);
    button.setAttribute('aria-pressed', String(isPlaying));
    restart();
  };
  const toggle = () => setPlaying(!isPlaying());
  button.addEventListener('click', toggle);
  // Any input restarts the interval.
  for (const type of ['pointerdown', 'keydown', 'wheel'])
    viewer.addEventListener(type, () => restart(), { passive: true });
  document.addEventListener('visibilitychange', () => restart());
  return { isPlaying, toggle, stop: () => setPlaying(false), restart };
}
