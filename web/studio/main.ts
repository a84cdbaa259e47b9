/** Starts the studio, and shows the view that the address names. */
import type { Kind } from '../../src/studio/contract.ts';
import { byId } from '../dom.ts';
import { listenForDrops, showAdd } from './add.ts';
import { get, signOut } from './api.ts';
import { showDialog } from './dialog.ts';
import { HistoryPage } from './history.ts';
import { explain } from './notices.ts';
import {
  entries,
  findLike,
  focusPictures,
  hidePictures,
  loadAll,
  pictureShortcuts,
  refreshPictures,
  showImport,
} from './pictures.ts';
import { showRemoved } from './removed.ts';
import { showReview } from './review.ts';
import { helpTexts, listenForShortcuts } from './shortcuts.ts';
import { changeNow, listen, resume, undoLast } from './steps.ts';

const views: Record<string, Kind> = {
  artists: 'artist',
  characters: 'character',
  categories: 'category',
  albums: 'album',
};
const lists: Record<string, () => Promise<void>> = {
  add: showAdd,
  review: () => showReview(showImport),
  history: () => historyPage.show(),
  removed: () => showRemoved(reload),
};

const historyPage = new HistoryPage();

/** Pictures were added or removed. */
function reload(): void {
  loadAll();
  refresh();
}

async function showView(): Promise<void> {
  const name = location.hash.slice(1) || 'pictures';
  const kind = views[name];
  const show = lists[name];
  const isList = kind !== undefined || show !== undefined;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.top nav a'))
    if (link.hash === `#${isList ? name : 'pictures'}`) {
      link.setAttribute('aria-current', 'page');
      byId('menu').textContent = link.textContent;
    } else link.removeAttribute('aria-current');
  if (isList) hidePictures();
  for (const id of ['pictures', 'panel', 'bar']) byId(id).hidden = isList;
  byId('lists').hidden = !isList;
  if (kind) await entries.show(kind);
  else if (show) await show();
  else focusPictures();
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
  refreshPictures();
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

listenForShortcuts({ ...pictureShortcuts, '?': showHelp });
byId('skip').addEventListener('click', (event) => {
  // The part behind the # is the view.
  event.preventDefault();
  if (byId('lists').hidden) focusPictures();
  else byId('main').focus();
});
byId('undo').addEventListener('click', () => void undoLast());
byId('help').addEventListener('click', showHelp);
byId('sign-out').addEventListener('click', () => {
  // The page that asks for the password.
  changeNow(signOut).then(() => location.reload(), explain);
});
addEventListener('hashchange', () => void goToView());
listen({ onUndone: (hasOtherPictures) => (hasOtherPictures ? reload() : refresh()) });
listenForDrops(loadAll, findLike);
void goToView();
void showUser().catch(explain);
void resume().catch(explain);
loadAll();
