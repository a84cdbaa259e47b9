/** Starts the studio, and shows the view that the address names. */
import { byId } from '../dom.ts';
import { HistoryPage } from './changes/history.ts';
import { PicturesPage } from './pictures.ts';
import { Steps } from './saving/steps.ts';
import { get, LastWork, signOut } from './shared/api.ts';
import { showDialog } from './shared/elements.ts';
import { explain, KINDS, plurals } from './shared/notices.ts';
import { helpTexts, listenForShortcuts } from './shared/shortcuts.ts';
import { AddPage } from './views/add.ts';
import { showRemoved, showReview, showSite } from './views/review.ts';

const steps = new Steps();
const pictures = new PicturesPage(steps);
const historyPage = new HistoryPage(steps);
const addPage = new AddPage(
  steps,
  () => pictures.load(),
  (file) => pictures.findLike(file),
);
/** By name in the address: everything but the pictures. A view that loads its content at once is aborted by the next one. */
const lists: Record<string, (signal: AbortSignal) => Promise<void>> = {
  ...Object.fromEntries(KINDS.map((kind) => [plurals[kind], () => pictures.entries.show(kind)])),
  overview: () => pictures.showOverview(),
  add: () => addPage.show(),
  review: (signal) => showReview(steps, (change) => pictures.showImport(change), signal),
  history: () => historyPage.show(),
  removed: (signal) => showRemoved(steps, signal),
  site: (signal) => showSite(steps, signal),
};
const view = new LastWork();

/** Pictures were added or removed. */
function reload(): void {
  pictures.load();
  refresh();
}

async function showView(): Promise<void> {
  const name = location.hash.slice(1);
  const show = lists[name];
  const isList = show !== undefined;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.top nav a'))
    if (link.hash === `#${isList ? name : 'pictures'}`) {
      link.setAttribute('aria-current', 'page');
      byId('menu').textContent = link.textContent;
    } else link.removeAttribute('aria-current');
  if (isList) pictures.hide();
  for (const id of ['pictures', 'panel', 'bar']) byId(id).hidden = isList;
  byId('lists').hidden = !isList;
  await view.start(show ?? (async () => pictures.focus()));
}

/** The new view is announced, and the keyboard goes on from its title. */
async function goToView(): Promise<void> {
  await showView();
  const title = document.querySelector<HTMLElement>('section:not([hidden]) h1');
  document.title = `${title?.textContent} · zukan studio`;
  // Unless somebody has gone on meanwhile.
  const isIdle = document.activeElement === document.body || document.activeElement?.closest('nav');
  if (!byId('lists').hidden && isIdle) title?.focus();
}

function refresh(): void {
  pictures.refresh();
  if (!byId('lists').hidden) void showView();
}

/** Only people who signed in can sign out. */
async function showUser(): Promise<void> {
  const { user } = await get('/data/session', {});
  byId('sign-out').hidden = user === undefined;
  byId('sign-out').title = user === undefined ? '' : `You are ${user}`;
}

function showHelp(): void {
  showDialog('Keys and fingers', helpTexts(), [{ label: 'Close', isStrong: true }]);
}

listenForShortcuts({ ...pictures.shortcuts, '?': showHelp });
byId('skip').addEventListener('click', (event) => {
  // The part behind the # is the view.
  event.preventDefault();
  if (byId('lists').hidden) pictures.focus();
  else byId('main').focus();
});
byId('undo').addEventListener('click', () => void steps.undoLast());
byId('help').addEventListener('click', showHelp);
byId('sign-out').addEventListener('click', () => {
  // The page that asks for the password.
  steps.changeNow(signOut).then(() => location.reload(), explain);
});
addEventListener('hashchange', () => void goToView());
steps.listen({ onStale: (hasOtherPictures) => (hasOtherPictures ? reload() : refresh()) });
void goToView();
void showUser().catch(explain);
void steps.resume().catch(explain);
pictures.load();
