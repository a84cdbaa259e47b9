/** Shows the image in the dialog alone: on the whole screen, or in the whole window where the browser cannot do that. */
import { byId } from './dom.ts';

const [viewer, button] = [byId('viewer'), byId('full-screen')];

export function initFullScreen(): void {
  button.addEventListener('click', toggleFullScreen);
  viewer.addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement) setFull(false);
    // Somebody left it before the browser had entered it.
    else if (!isFullScreen()) void document.exitFullscreen();
  });
}

export function isFullScreen(): boolean {
  return viewer.classList.contains('full');
}

export function toggleFullScreen(): void {
  if (isFullScreen()) {
    leaveFullScreen();
    return;
  }
  setFull(true);
  // Phones offer it for videos only.
  viewer.requestFullscreen?.().catch(() => {});
}

export function leaveFullScreen(): void {
  setFull(false);
  if (document.fullscreenElement) void document.exitFullscreen();
}

function setFull(isFull: boolean): void {
  viewer.classList.toggle('full', isFull);
  button.setAttribute('aria-pressed', String(isFull));
}
