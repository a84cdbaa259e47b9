/** The controls of the viewer: they fade while nobody uses them, the details can be hidden, and the picture can fill the screen. */
import { readSetting, saveSetting } from '../storage.ts';

const FADE_MS = 3000;

interface Parts {
  viewer: HTMLElement;
  panel: HTMLElement;
  detailsButton: HTMLElement;
  fullScreenButton: HTMLElement;
}

export type Controls = ReturnType<typeof createControls>;

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
