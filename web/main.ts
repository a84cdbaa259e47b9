/** The page: what the address says is what it shows. Every entry of the history has a key, and by it its answer. */
import { closePicture, openPicture, setNeighbours, startDialog } from './dialog.ts';
import { byId } from './dom.ts';
import { focusTile } from './grid.ts';
import { load } from './load.ts';
import { type Answer, knownSubject, learnFrom, recall, remember } from './memory.ts';
import { announce, endWait, problem } from './notice.ts';
import {
  clear,
  type Moves,
  render,
  setBusy,
  showHeading,
  showIfEmpty,
  showProblem,
  summaryOf,
} from './page.ts';
import { addressOf, type Place, viewOf } from './place.ts';
import { startSearch, syncSearch } from './search.ts';
import { startVeilSwitch } from './veil.ts';

interface Entry {
  key: string;
  /** Opened from a place that is right behind it in the history. */
  isOver?: boolean;
}

let shownKey: string | undefined;
let shownKind: Place['name'] | undefined;
let shownAnswer: Answer | undefined;
let loading = new AbortController();

const newKey = () => `${Date.now()}-${Math.random()}`;
const entry = (): Entry => history.state;
const here = () => viewOf(location.search);

function go(address: string, next: Entry = { key: newKey() }): void {
  history.pushState(next, '', address);
  show();
}

const moves: Moves = {
  go,
  visit(address) {
    go(address);
    scrollTo(0, 0);
    byId('title').focus({ preventScroll: true });
  },
  others() {
    go(addressOf(here().place));
    scrollTo(0, 0);
  },
};

/** Brings the page to what the address says. */
function show(): void {
  const { place, image } = here();
  const { key } = entry();
  const wasOpen = image ? undefined : closePicture(true);
  if (image) openPicture(image);
  if (key === shownKey) showNeighbours();
  else if (!image || recall(key)) void showPlace(place, key);
  else setNeighbours([]);
  if (wasOpen) focusTile(wasOpen);
}

function showNeighbours(): void {
  setNeighbours(shownAnswer?.pictures.map(({ id }) => id) ?? []);
}

function showAnswer(place: Place, answer: Answer): void {
  shownAnswer = answer;
  render(place, answer, moves);
  showNeighbours();
}

async function showPlace(place: Place, key: string): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  if (place.name !== shownKind) clear();
  [shownKey, shownKind, shownAnswer] = [key, place.name, undefined];
  showHeading(place, 'id' in place ? knownSubject(place.id) : undefined);
  syncSearch(place);
  const known = recall(key);
  setBusy(!known);
  if (known) {
    showAnswer(place, known);
    return showIfEmpty(place, known);
  }
  try {
    let whole: Answer | undefined;
    for await (const answer of load(place, signal)) {
      if (signal.aborted) return;
      learnFrom(answer);
      showAnswer(place, answer);
      whole = answer;
    }
    if (!whole) return;
    remember(key, whole);
    showIfEmpty(place, whole);
    announce(summaryOf(place, whole));
  } catch (error) {
    if (!signal.aborted) showProblem(problem(error, () => void showPlace(place, key)));
  } finally {
    if (!signal.aborted) {
      setBusy(false);
      endWait();
    }
  }
}

startDialog({
  open(id) {
    history.replaceState(entry(), '', addressOf(here().place, id));
    show();
  },
  close() {
    if (entry().isOver) history.back();
    else go(addressOf(here().place), { key: entry().key });
  },
});

/** Links within the page need no page load. Those with a key held down are the browser's. */
document.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="/"]') : null;
  const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) && event.button === 0;
  if (!link || !isPlain || link.pathname !== '/' || link.target) return;
  event.preventDefault();
  if (link.dataset.open) go(link.href, { key: entry().key, isOver: true });
  else moves.visit(link.href);
});

byId('others').addEventListener('click', moves.others);
startSearch(moves.visit);
startVeilSwitch(() => {
  if (shownAnswer) showAnswer(here().place, { ...shownAnswer, pictures: [...shownAnswer.pictures] });
});
addEventListener('popstate', show);
if (!history.state?.key) history.replaceState({ key: newKey() }, '');
show();
