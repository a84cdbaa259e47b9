/** What is shown now: a place with what is known of it, from memory or from the API, and more of it on demand. */
import { setNeighbours } from './dialog.ts';
import { byId } from './dom.ts';
import { hideEnd, showComing, showEnd, showTrouble } from './end.ts';
import { syncFilters } from './filters.ts';
import { clearPictures, showPictures } from './grid.ts';
import { load, loadMore } from './load.ts';
import { type Answer, knownSubject, learnFrom, learnPicture, recall, remember } from './memory.ts';
import { announce, endWait, explain, problem, tell } from './notice.ts';
import { clear, render, setBusy, showHeading, showIfEmpty, showProblem, summaryOf } from './page.ts';
import { isDrawn, type Place } from './place.ts';
import { syncSearch } from './search.ts';
import { allText, counted } from './words.ts';

/** An entry of the history. */
export interface Entry {
  /** What its answer is kept by. */
  key: string;
  /** Decides the order of its pictures, so that they are the same after a reload. */
  seed: string;
  /** Opened from a place that is right behind it in the history. */
  isOver?: boolean;
}

interface Shown {
  place: Place;
  entry: Entry;
  answer: Answer | undefined;
}

let shown: Shown | undefined;
let loading = new AbortController();
let coming: Promise<void> | undefined;

export function isShown({ key }: Entry): boolean {
  return shown?.entry.key === key;
}

export function shownEntry(): Entry | undefined {
  return shown?.entry;
}

export function showNeighbours(): void {
  const { pictures = [], cursor } = shown?.answer ?? {};
  setNeighbours(
    pictures.map(({ id }) => id),
    cursor !== undefined,
  );
}

function showAnswer(now: Shown, answer: Answer): void {
  now.answer = answer;
  render(now.place, answer);
  showNeighbours();
}

/** The end comes with the whole answer: before that, there is nothing to go on from. */
function showWhole({ place }: Shown, answer: Answer): void {
  if (isDrawn(place)) showEnd(answer, 0);
  showIfEmpty(place, answer);
}

export async function showPlace(place: Place, entry: Entry): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  if (place.name !== shown?.place.name) clear();
  const now: Shown = { place, entry, answer: undefined };
  shown = now;
  showHeading(place, 'id' in place ? knownSubject(place.id) : undefined);
  syncSearch(place);
  syncFilters(place);
  hideEnd();
  const known = recall(entry.key);
  setBusy(!known);
  if (known) {
    showAnswer(now, known);
    return showWhole(now, known);
  }
  try {
    let whole: Answer | undefined;
    for await (const answer of load(place, entry.seed, signal)) {
      if (signal.aborted) return;
      learnFrom(answer);
      showAnswer(now, answer);
      whole = answer;
    }
    if (!whole) return;
    remember(entry.key, whole);
    showWhole(now, whole);
    announce(summaryOf(place, whole));
  } catch (error) {
    if (!signal.aborted) showProblem(problem(error, () => void showPlace(place, entry)));
  } finally {
    if (!signal.aborted) {
      setBusy(false);
      endWait();
    }
  }
}

/** Adds the next pictures to those on show. Whoever asks while they are on their way waits with the others. */
export function showMore(): Promise<void> {
  coming ??= addNext().finally(() => {
    coming = undefined;
  });
  return coming;
}

async function addNext(): Promise<void> {
  const { signal } = loading;
  const { place, entry, answer } = shown ?? {};
  if (!shown || !place || !entry || answer?.cursor === undefined || !isDrawn(place)) return;
  const since = answer.pictures.length;
  showComing();
  try {
    const next = await loadMore(place, answer, entry.seed, signal);
    if (signal.aborted) return;
    endWait();
    next.pictures.slice(since).forEach(learnPicture);
    remember(entry.key, next);
    shown.answer = next;
    showPictures(next.pictures, place);
    showNeighbours();
    showEnd(next, since);
    announce(moreText(next, since));
  } catch (error) {
    if (signal.aborted) return;
    endWait();
    showTrouble(problem(error, showMore));
    // The end is behind it, where nobody sees it.
    if (byId<HTMLDialogElement>('detail').open) tell(explain(error));
  }
}

function moreText({ pictures, cursor }: Answer, since: number): string {
  const count = pictures.length;
  const all = cursor === undefined ? allText(count) : `${counted(count, 'pictures')} so far.`;
  return `${count - since} more. ${all}`;
}

/** Draws the same pictures anew. */
export function redraw(): void {
  if (!shown?.answer) return;
  clearPictures();
  showPictures(shown.answer.pictures, shown.place);
}
