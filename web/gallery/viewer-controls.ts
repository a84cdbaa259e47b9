/** The controls of the viewer: they fade while nobody uses them, the details can be hidden, and the picture can fill the screen. */
import { readSetting, saveSetting } from '../storage.ts';

const FADE_MS = 3000;

interface Parts {
  viewer: HTMLElement;
  panel: HTMLElement;
  detailsButton: HTMLElement;
  fullScreenButton: HTMLElement;
}

export function createControls({ viewer, panel, detailsButton, fullScreenButton }: Parts) {
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** They stay in the page: the keyboard and screen readers reach them at any time. */
  const wake = () => {
    clearTimeout(timer);
    viewer.classList.remove('idle');
    timer = setTimeout(() => viewer.classList.add('idle'), FADE_MS);
  };
  viewer.addEventListener('pointermove', ({ pointerType }) => {
    if (pointerType !== 'touch') wake();
  });
  viewer.addEventListener('keydown', wake);
  // A finger on a control that has faded only shows it.
  let wasIdle = false;
  const note = ({ pointerType }: PointerEvent) => {
    wasIdle = pointerType === 'touch' && viewer.classList.contains('idle');
  };
  viewer.addEventListener('pointerdown', note, true);
  viewer.addEventListener(
    'click',
    (event) => {
      if (!wasIdle || !(event.target as Element).closest('.viewer-bar, .step')) return;
      event.stopPropagation();
      wake();
    },
    true,
  );

  /** On small screens they are always below the picture. */
  const setDetails = (isShown: boolean) => {
    if (!isShown && panel.contains(document.activeElement)) detailsButton.focus();
    viewer.classList.toggle('alone', !isShown);
    detailsButton.setAttribute('aria-pressed', String(isShown));
  };
  const toggleDetails = () => {
    const isShown = viewer.classList.contains('alone');
    saveSetting('details', isShown ? 'shown' : 'hidden');
    setDetails(isShown);
  };
  setDetails(readSetting('details') !== 'hidden');
  detailsButton.addEventListener('click', toggleDetails);

  const isFull = () => viewer.classList.contains('full');
  const setFull = (isFull: boolean) => {
    viewer.classList.toggle('full', isFull);
    fullScreenButton.setAttribute('aria-pressed', String(isFull));
  };
  const leaveFullScreen = () => {
    setFull(false);
    if (document.fullscreenElement) void document.exitFullscreen();
  };
  /** Phones offer it for videos only: there the picture fills the window. */
  const toggleFullScreen = () => {
    if (isFull()) return leaveFullScreen();
    setFull(true);
    viewer.requestFullscreen?.().catch(() => {});
  };
  fullScreenButton.addEventListener('click', toggleFullScreen);
  viewer.addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement) setFull(false);
    // Somebody left it before the browser had entered it.
    else if (!isFull()) void document.exitFullscreen();
  });

  return {
    wake,
    toggle() {
      clearTimeout(timer);
      viewer.classList.toggle('idle');
    },
    toggleDetails,
    isFull,
    leaveFullScreen,
    toggleFullScreen,
  };
}

// The slideshow shows one picture after the other, each for some seconds.

const INTERVAL_MS = 5000;
/** Until then, a picture that has not loaded is waited for. */
const MAX_LOAD_MS = 20_000;

/** `next` returns whether there was another picture. `mustWait` says whether the visitor looks at this one closely. */
export function createSlideshow(
  viewer: HTMLElement,
  button: HTMLElement,
  next: () => Promise<boolean>,
  mustWait: () => boolean,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isPlaying = () => viewer.classList.contains('playing');
  /** Counts the time of the picture from now on. */
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
