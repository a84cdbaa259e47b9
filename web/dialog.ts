/** The dialog that shows one picture: opening and closing it, its neighbours, and its link when that expires. */
import { countDown, panelOf, stageOf } from './detail.ts';
import { byId, el } from './dom.ts';
import { loadPicture } from './load.ts';
import { isExpired, knownPicture, learnPicture } from './memory.ts';
import { endWait, problem } from './notice.ts';
import type { Picture } from './types.ts';

const dialog = byId<HTMLDialogElement>('detail');
const [stage, panel] = [byId('stage'), byId('panel')];
const [back, on] = [byId<HTMLButtonElement>('previous'), byId<HTMLButtonElement>('next')];

export interface Moves {
  /** Another picture of the same place. */
  open(id: string): void;
  close(): void;
  /** Asks for more pictures of the place. */
  more(): Promise<void>;
}

let shown: string | undefined;
let neighbours: readonly string[] = [];
let areThereMore = false;
let stop = () => {};

export function startDialog({ open, close, more }: Moves): void {
  const step = async (by: number) => {
    const from = shown;
    const at = neighbours.indexOf(from ?? '');
    if (at >= 0 && at + by === neighbours.length && areThereMore) await more();
    const next = neighbours[at + by];
    if (at >= 0 && next && shown === from) open(next);
  };
  back.addEventListener('click', () => step(-1));
  on.addEventListener('click', () => step(1));
  byId('close').addEventListener('click', close);
  // The address decides whether it is open: the browser must not close it on its own.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target === stage) close();
  });
  dialog.addEventListener('keydown', (event) => {
    const isScrolling = event.target instanceof Element && event.target.closest('pre, code');
    if (isScrolling || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  });
}

/** Which pictures come before and after, in the order of the place, and whether these are not all. */
export function setNeighbours(ids: readonly string[], isMoreToCome: boolean): void {
  neighbours = ids;
  areThereMore = isMoreToCome;
  const at = neighbours.indexOf(shown ?? '');
  back.disabled = at <= 0;
  on.disabled = at < 0 || (at === neighbours.length - 1 && !areThereMore);
}

export function openPicture(id: string): void {
  if (shown === id) return;
  closePicture();
  shown = id;
  setNeighbours(neighbours, areThereMore);
  const known = knownPicture(id);
  if (known) show(known);
  else fetchPicture(id);
  if (!dialog.open) dialog.showModal();
}

/** Gives the picture that was open. */
export function closePicture(isForGood = false): string | undefined {
  const was = shown;
  stop();
  stop = () => {};
  shown = undefined;
  if (isForGood && dialog.open) dialog.close();
  return was;
}

function show(picture: Picture): void {
  const timer = el('span', {});
  stage.replaceChildren(stageOf(picture));
  panel.replaceChildren(...panelOf(picture, timer));
  panel.scrollTop = 0;
  // A link that is of no use from the start (a clock may be wrong) would not get better by asking on.
  const isAlive = !isExpired(picture);
  stop = countDown(picture, timer, () => isAlive && fetchPicture(picture.id, true));
}

/** What is there already stays while its link is renewed. */
async function fetchPicture(id: string, isRenewal = false): Promise<void> {
  const controller = new AbortController();
  stop();
  stop = () => controller.abort();
  const waiting = el('h2', { id: 'detail-title', class: 'quiet' }, 'One moment…');
  if (!isRenewal) {
    stage.replaceChildren();
    panel.replaceChildren(waiting);
  }
  try {
    const picture = await loadPicture(id, controller.signal);
    learnPicture(picture);
    show(picture);
  } catch (error) {
    if (controller.signal.aborted) return;
    stage.replaceChildren();
    const title = el('h2', { id: 'detail-title' }, 'This picture cannot be shown');
    panel.replaceChildren(
      title,
      problem(error, () => fetchPicture(id)),
    );
  } finally {
    if (!controller.signal.aborted) endWait();
  }
}
