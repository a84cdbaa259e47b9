/** Starts the studio, and shows the view that the address names. */
import type { Change, Kind, Rating } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { listenForDrops, showAdd } from './add.ts';
import { get, getIds, signOut, upload } from './api.ts';
import { loadImports } from './change.ts';
import { showDialog, textField } from './dialog.ts';
import { Editing } from './editing.ts';
import { EntryList } from './entries.ts';
import { Filters } from './filters.ts';
import { Grid } from './grid.ts';
import { HealthPanel } from './health.ts';
import { HistoryPage } from './history.ts';
import { IdList } from './id-list.ts';
import { explain } from './notices.ts';
import { Panel, RATINGS } from './panel.ts';
import { search } from './record-filter.ts';
import { showRemoved } from './removed.ts';
import { showReview } from './review.ts';
import { listenForShortcuts, shortcutList } from './shortcuts.ts';
import { loadSteps, onUndone, undoLast } from './steps.ts';
import { TAG_KEYS } from './tags.ts';
import { countPictures, formatNumber } from './text.ts';

/** A selection that grows key by key asks for its summary when it rests. */
const REST_MS = 40;
const views: Record<string, Kind> = { artists: 'artist', characters: 'character', categories: 'category' };
const lists: Record<string, () => Promise<void>> = {
  add: showAdd,
  review: () => showReview(showImport),
  history: () => historyPage.show(),
  removed: () => showRemoved(reload),
};

const historyPage = new HistoryPage();
let ids = new IdList(new Uint8Array(), false);
let request = new AbortController();

const grid = new Grid(() => {
  panel.isLoading = true;
  // One picture at a time is the usual case, and must not lag.
  editing.select(grid.selectedIds(), grid.selection.selected.size < 2 ? 0 : REST_MS);
});
const editing = new Editing({
  onSummary(summary, selected) {
    panel.show(summary, selected);
    if (!summary) void health.show();
  },
  onChanged(changed) {
    grid.refresh(changed);
    health.forget();
  },
  onGone: () => void loadList(),
});
const health = new HealthPanel({
  showPictures: (query) => filters.only({ shows: [query] }),
  showImport,
  showUnused: (kind) => entries.showUnused(kind),
});
const panel = new Panel({ edit: (edit) => void editing.edit(edit), remove: askRemoval }, health.element);
const filters = new Filters(() => void loadList(), showList, findLike);
const entries = new EntryList((filter) => {
  location.hash = '#pictures';
  filters.only({ entries: [filter] });
});

async function loadList(): Promise<void> {
  request.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    const all = new IdList(await getIds(filters.query, signal), false);
    ids = filters.record ? await search(all, filters.record, signal) : all;
    grid.refresh();
    showList();
    filters.setImports(await loadImports());
  } catch (error) {
    explain(error);
  }
}

/** Only the pictures that look like one of a file. */
async function findLike(file: File): Promise<void> {
  try {
    filters.only(await upload('/data/looks', { name: file.name }, file));
  } catch (error) {
    explain(error);
  }
}

function showList(): void {
  byId('count').textContent = formatNumber(ids.length);
  byId('empty').hidden = ids.length > 0;
  byId('grid').hidden = ids.length === 0;
  grid.show(filters.isReversed ? ids.reversed() : ids);
}

function showImport(change: Change): void {
  location.hash = '#pictures';
  filters.onlyImport(change);
}

/** Pictures were added or removed. */
function reload(): void {
  loadAll();
  refresh();
}

function loadAll(): void {
  health.forget();
  void loadList();
}

/** A single picture that is rated is done: the next one follows. */
function rate(rating: Rating): void {
  const isSingle = grid.selection.selected.size === 1;
  void editing.edit({ rating });
  if (isSingle) grid.advance();
}

/** To the trash, or for ever. */
function askRemoval(isTakeDown: boolean): void {
  const count = grid.selection.selected.size;
  if (count === 0) return;
  const reason = textField('Reason; imports show it when they skip the picture', '');
  const remove = () => {
    void editing.remove(reason.input.value.trim(), isTakeDown);
    return true;
  };
  const verb = isTakeDown ? 'Take down' : 'Remove';
  const effect = isTakeDown
    ? 'This deletes what you selected, with its files and its history, at once and for ever. You can’t undo it.'
    : 'What you remove is no longer served and moves to the trash, from which you can restore it.';
  showDialog(
    `${verb} ${countPictures(count)}?`,
    [el('p', {}, effect), reason.element],
    [
      { label: isTakeDown ? 'Delete for ever' : 'Remove', isStrong: true, press: remove },
      { label: 'Cancel' },
    ],
  );
  reason.input.focus();
}

async function showView(): Promise<void> {
  const name = location.hash.slice(1) || 'pictures';
  const kind = views[name];
  const show = lists[name];
  const isList = kind !== undefined || show !== undefined;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.top nav a'))
    if (link.hash === `#${isList ? name : 'pictures'}`) {
      link.setAttribute('aria-current', 'page');
      // On a phone, not all of them fit.
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    } else link.removeAttribute('aria-current');
  byId('pictures').hidden = isList;
  byId('panel').hidden = isList;
  byId('lists').hidden = !isList;
  if (kind) await entries.show(kind);
  else if (show) await show();
  else {
    grid.focus();
    // Entries may have changed on another page.
    health.forget();
    if (grid.selection.selected.size === 0) void health.show();
  }
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
  grid.refresh();
  health.forget();
  void panel.tags.load();
  editing.select(grid.selectedIds());
  if (!byId('lists').hidden) void showView();
}

const isPictures = () => !byId('pictures').hidden;
const onPictures = (act: () => void) => () => {
  if (isPictures()) act();
};
const focusField = (key: string) => onPictures(() => panel.fields[key]?.focus());
listenForShortcuts({
  ...Object.fromEntries(RATINGS.map((rating, index) => [String(index + 1), onPictures(() => rate(rating))])),
  ...Object.fromEntries(TAG_KEYS.map((key, index) => [key, onPictures(() => panel.tags.add(index))])),
  c: focusField('c'),
  h: focusField('h'),
  a: focusField('a'),
  s: focusField('s'),
  '.': onPictures(() => void editing.repeat()),
  z: () => void undoLast(),
  'mod+z': () => void undoLast(),
  'mod+a': onPictures(() => grid.selectAll()),
  Delete: onPictures(() => askRemoval(false)),
  Escape: onPictures(() => {
    if (document.activeElement === byId('grid')) grid.clear();
    grid.focus();
  }),
  '?': showShortcuts,
});

/** Only people who signed in can sign out. */
async function showUser(): Promise<void> {
  const { user } = await get('/data/session', {});
  byId('sign-out').hidden = user === undefined;
  byId('sign-out').title = user === undefined ? '' : `You are ${user}`;
}

function showShortcuts(): void {
  showDialog('Keyboard shortcuts', [shortcutList()], [{ label: 'Close', isStrong: true }]);
}

byId('undo').addEventListener('click', () => void undoLast());
byId('help').addEventListener('click', showShortcuts);
byId('sign-out').addEventListener('click', () => {
  // The page that asks for the password.
  signOut().then(() => location.reload(), explain);
});
byId('refresh').addEventListener('click', loadAll);
addEventListener('hashchange', () => void goToView());
onUndone((hasOtherPictures) => (hasOtherPictures ? reload() : refresh()));
listenForDrops(loadAll, findLike);
void goToView();
void showUser().catch(explain);
void loadSteps().catch(explain);
void loadList();
