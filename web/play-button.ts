/** Plays and stops an animation in the dialog. */
import { el } from './dom.ts';
import type { Picture } from './picture.ts';
import { originalSource, stillSources } from './sources.ts';

export function createPlayButton(picture: Picture, isPlaying: boolean): HTMLElement {
  const show = () => {
    button.textContent = isPlaying ? 'Stop animation' : 'Play animation';
    button.classList.toggle('playing', isPlaying);
  };
  const click = () => {
    isPlaying = !isPlaying;
    picture.use(isPlaying ? originalSource : stillSources);
    show();
  };
  const button = el('button', { type: 'button', class: 'play', click });
  show();
  return button;
}
