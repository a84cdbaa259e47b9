/** The page with the pictures: the grid, one of them large, the fields of those selected, and what changes them. */
import type { Change, Rating } from '../../src/studio/contract.ts';
import { byId } from '../dom.ts';
import { askAlbumName } from './album-drop.ts';
import { AlbumOrder } from './album-order.ts';
import { getIds, upload } from './api.ts';
import { Bar } from './bar.ts';
import { loadImports } from './change.ts';
import { Editing } from './editing.ts';
import { EntryList } from './entries.ts';
import { Filters } from './filters.ts';
import { Grid } from './grid.ts';
import { HealthPanel } from './health.ts';
import { IdList } from './id-list.ts';
import { Loupe } from './loupe.ts';
import { explain } from './notices.ts';
import { Panel, RATINGS } from './panel.ts';
import { search } from './record-filter.ts';
import { showRemoval } from './removal-dialog.ts';
import type { Shortcuts } from './shortcuts.ts';
import { loadSteps, undoLast } from './steps.ts';
import { TAG_KEYS } from './tags.ts';
import { formatNumber } from './text.ts';
import { restoreTileView } from './tile-view.ts';

/** A selection that grows key by key asks for its summary when it rests. */
const REST_MS = 40;

let ids = new IdList(new Uint8Array(), false);
let request = new AbortController();
let listed = Promise.resolve();

restoreTileView(() => grid.changeView());
const grid = new Grid({
  onSelect() {
    panel.leaveTexts();
    panel.isLoading = true;
    // One picture at a time is the usual case, and must not lag.
    editing.select(grid.selectedIds(), grid.selection.selected.size < 2 ? 0 : REST_MS);
    bar.show(grid.selection.selected.size, grid.isSelecting);
    loupe.update();
  },
  onTiles: () => loupe.update(),
  open: () => loupe.open(),
  album: () => filters.album,
  moveBy: (step) => order.moveBy(step),
  moveTo: (index) => order.moveTo(index),
  dropOn: (id) => (id === '' ? askAlbumName((name) => addToAlbum(name, true)) : addToAlbum(id, false)),
});
const order = new AlbumOrder(grid, { album: () => filters.album, reload: () => loadList(true) });
const loupe = new Loupe(grid, () => {
  byId('main').classList.toggle('has-loupe', loupe.isOpen);
  grid.reveal();
});
const bar = new Bar({
  clear: () => grid.clear(),
  several() {
    grid.isSelecting = !grid.isSelecting;
    bar.show(grid.selection.selected.size, grid.isSelecting);
  },
  all() {
    grid.isSelecting = true;
    grid.selectAll();
  },
  view: () => loupe.open(),
  grid: () => loupe.close(),
  repeat: () => editing.repeat(),
  undo: () => void undoLast(),
  remove: () => askRemoval(false),
  onSheet: () => grid.reveal(),
});
const editing = new Editing({
  onSummary(summary, selected) {
    panel.show(summary, selected);
    if (!summary) void health.show();
  },
  onRatings(ratings, images) {
    panel.showRatings(ratings, images);
    grid.update();
  },
  onEdited(edited, edits) {
    grid.refresh(edited);
    health.forget();
    // What is no longer in the album that is shown has no place in its order.
    if (filters.album !== undefined && edits.some(({ removeAlbums }) => removeAlbums)) void loadList(true);
  },
  onGone: () => void loadList(),
});
const health = new HealthPanel({
  showPictures: (query) => filters.only({ shows: [query] }),
  showImport,
  showUnused: (kind) => entries.showUnused(kind),
});
const panel = new Panel(
  {
    rate: (rating) => rate(rating, loupe.isOpen),
    edit: (edit) => void editing.edit(edit),
    remove: askRemoval,
  },
  health.element,
  order.element,
);
const filters = new Filters(
  () => void loadList(),
  () => showList(),
  findLike,
);
/** The other pages with entries lead here. */
export const entries = new EntryList((filter) => {
  location.hash = '#pictures';
  filters.only({ entries: [filter] });
});

export function showImport(change: Change): void {
  location.hash = '#pictures';
  filters.onlyImport(change);
}

/** Only the pictures that look like one of a file. */
export async function findLike(file: File): Promise<void> {
  try {
    filters.only(await upload('/data/looks', { name: file.name }, file));
  } catch (error) {
    explain(error);
  }
}

export function loadAll(): void {
  health.forget();
  listed = loadList();
}

/** With `keepsSelection`, about the same pictures are listed in another order. */
async function loadList(keepsSelection = false): Promise<void> {
  request.abort();
  request = new AbortController();
  const { signal } = request;
  try {
    const [bytes, last] = await Promise.all([getIds(filters.query, signal), loadSteps()]);
    const all = new IdList(bytes, false);
    editing.base = last;
    ids = filters.record ? await search(all, filters.record, signal) : all;
    grid.refresh();
    showList(keepsSelection);
    filters.setImports(await loadImports());
  } catch (error) {
    explain(error);
  }
}

function showList(keepsSelection = false): void {
  byId('count').textContent = formatNumber(ids.length);
  byId('empty').hidden = ids.length > 0;
  byId('grid').hidden = ids.length === 0;
  const isOrdered = filters.album !== undefined;
  for (const element of [byId('album-order'), order.element]) element.hidden = !isOrdered;
  byId('order-field').hidden = isOrdered;
  if (keepsSelection && ids.length > 0) {
    grid.reorder(ids);
    return;
  }
  const shown = loupe.isOpen ? grid.ids.at(grid.selection.focus) : undefined;
  grid.show(filters.isReversed ? ids.reversed() : ids);
  if (shown === undefined) return;
  // The same picture stays in the loupe. If it is gone, the next one follows.
  const index = grid.ids.indexOf(shown);
  if (ids.length > 0) grid.goTo(index < 0 ? grid.selection.focus : index);
  else loupe.close();
}

/** A single picture that is rated is done: the next one follows, unless somebody does not want that. */
function rate(rating: Rating, mayAdvance: boolean): void {
  const isSingle = grid.selection.selected.size === 1;
  void editing.edit({ rating });
  if (isSingle && mayAdvance && loupe.advances) grid.goTo(grid.selection.focus + 1);
}

function addToAlbum(album: string, create: boolean): void {
  void editing.edit({ addAlbums: [album], create });
}

function askRemoval(isTakeDown: boolean): void {
  // Another picture may be shown by the time that somebody decides.
  const { target } = editing;
  if (target)
    showRemoval(target.ids.length, isTakeDown, (reason) => void editing.remove(target, reason, isTakeDown));
}

/** What is shown of pictures may be old. */
export function refreshPictures(): void {
  health.forget();
  void panel.tags.load();
  grid.refresh();
  if (filters.album === undefined) editing.select(grid.selectedIds());
  else void loadList(true);
}

/** The keyboard goes to the grid, or to the large picture. */
export function focusPictures(): void {
  if (loupe.isOpen) loupe.focus();
  else grid.focus();
  // Entries may have changed on another page.
  health.forget();
  void listed.then(() => {
    if (grid.selection.selected.size === 0) void health.show();
  });
}

export function hidePictures(): void {
  if (loupe.isOpen) loupe.close();
}

const isPictures = () => !byId('pictures').hidden;
const onPictures = (act: () => void) => () => isPictures() && act();
const focusField = (key: string) =>
  onPictures(() => {
    bar.openSheet();
    panel.fields[key]?.focus();
  });
/** A field gives the keyboard back first. Nothing has the focus for a moment after the browser has gone back. */
function leave(): void {
  const focused = document.activeElement;
  const isInField = focused?.matches('#panel :is(input, textarea)');
  if (loupe.isOpen && isInField) loupe.focus();
  else if (loupe.isOpen) loupe.close();
  else {
    if (focused === byId('grid') || focused === document.body) grid.clear();
    grid.focus();
  }
}

export const pictureShortcuts: Shortcuts = {
  ...Object.fromEntries(
    RATINGS.map((rating, index) => [String(index + 1), onPictures(() => rate(rating, true))]),
  ),
  ...Object.fromEntries(TAG_KEYS.map((key, index) => [key, onPictures(() => panel.tags.add(index))])),
  ...Object.fromEntries(Object.keys(panel.fields).map((key) => [key, focusField(key)])),
  '.': onPictures(() => editing.repeat()),
  z: () => (loupe.isOpen ? loupe.zoom() : undoLast()),
  'mod+z': () => undoLast(),
  'mod+a': onPictures(() => loupe.isOpen || grid.selectAll()),
  Delete: onPictures(() => askRemoval(false)),
  Escape: onPictures(leave),
  ...loupe.shortcuts,
};

byId('select-all').addEventListener('click', () => {
  grid.selectAll();
  grid.focus();
});
byId('refresh').addEventListener('click', loadAll);
