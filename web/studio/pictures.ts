/** The page with the pictures: the grid, one of them large, the fields of those selected, and what changes them. */
import type { Change, Rating } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { loadImports } from './changes/history.ts';
import { entryValue, Filters, search } from './filters.ts';
import { askAlbumName } from './grid/album.ts';
import { Grid } from './grid/grid.ts';
import { Loupe } from './loupe/loupe.ts';
import { type HealthActions, HealthPanel } from './panel/health.ts';
import { Bar, Panel, RATINGS } from './panel/panel.ts';
import { TAG_KEYS } from './panel/tags.ts';
import { Editing } from './saving/editing.ts';
import type { Steps } from './saving/steps.ts';
import { getIds, LastWork, upload } from './shared/api.ts';
import { ask, showPage, textField } from './shared/elements.ts';
import { IdList } from './shared/id-list.ts';
import { countPictures, explain, formatNumber } from './shared/notices.ts';
import type { Shortcuts } from './shared/shortcuts.ts';
import { EntryList } from './views/entries.ts';

export class PicturesPage {
  readonly #steps: Steps;
  #ids = new IdList();
  readonly #request = new LastWork();
  #listed = Promise.resolve();
  readonly #filters = new Filters(
    () => void this.#load(),
    () => this.#showList(),
    (file) => this.findLike(file),
  );
  /** The other pages with entries lead here. */
  readonly entries: EntryList;
  readonly #grid: Grid;
  readonly #loupe: Loupe;
  readonly #editing: Editing;
  readonly #panel: Panel;
  readonly #healthActions: HealthActions = {
    showPictures: (query) => this.#only({ show: query }),
    showImport: (change) => this.showImport(change),
    showUnused: (kind) => this.entries.showUnused(kind),
  };
  readonly #health = new HealthPanel(this.#healthActions);
  readonly #bar = new Bar({
    clear: () => this.#grid.clear(),
    several: () => {
      this.#grid.isSelecting = !this.#grid.isSelecting;
      this.#showBar();
    },
    all: () => {
      this.#grid.isSelecting = true;
      this.#grid.selectAll();
    },
    view: () => this.#loupe.open(),
    grid: () => this.#loupe.close(),
    repeat: () => this.#editing.repeat(),
    undo: () => void this.#steps.undoLast(),
    remove: () => this.#askRemoval(false),
    rate: (rating) => this.#rate(rating, true),
    next: () => this.#loupe.step(1),
    onSheet: () => this.#grid.reveal(),
  });

  constructor(steps: Steps) {
    this.#steps = steps;
    this.entries = new EntryList(steps, (kind, { id, name }) => this.#only({ [kind]: entryValue(id, name) }));
    this.#grid = new Grid(steps, {
      onSelect: () => this.#onSelect(),
      onTiles: () => this.#loupe.update(),
      open: () => this.#loupe.open(),
      album: () => this.#filters.album,
      reload: () => this.#load(true),
      dropOn: (id) => (id === '' ? askAlbumName((name) => this.#add(name, true)) : this.#add(id, false)),
    });
    this.#loupe = new Loupe(this.#grid, () => {
      byId('main').classList.toggle('has-loupe', this.#loupe.isOpen);
      this.#grid.reveal();
    });
    this.#editing = new Editing(steps, {
      onSummary: (summary, selected) => {
        this.#panel.show(summary, selected);
        if (summary) this.#bar.showRatings(summary.ratings, summary.images);
        if (!summary) void this.#health.show();
      },
      onRatings: (ratings, images) => {
        this.#panel.showRatings(ratings, images);
        this.#bar.showRatings(ratings, images);
        this.#grid.update();
      },
      onEdited: (edited, edits) => {
        this.#grid.refresh(edited);
        this.#health.forget();
        // What is no longer in the album that is shown has no place in its order.
        if (this.#filters.album !== undefined && edits.some(({ removeAlbums }) => removeAlbums))
          void this.#load(true);
      },
      onGone: () => void this.#load(),
    });
    this.#panel = new Panel(
      steps,
      {
        rate: (rating) => this.#rate(rating, this.#loupe.isOpen),
        edit: (edit) => void this.#editing.edit(edit),
        remove: (isTakeDown) => this.#askRemoval(isTakeDown),
      },
      el(
        'div.hint',
        el('h2', 'Nothing selected'),
        el('p.quiet', 'Choose a picture, or go to one with the arrow keys.'),
        this.#health.element,
      ),
      this.#grid.order.element,
    );
    byId('select-all').addEventListener('click', () => {
      this.#grid.selectAll();
      this.#grid.focus();
    });
    byId('refresh').addEventListener('click', () => {
      this.load();
      this.#grid.focus();
    });
  }

  get shortcuts(): Shortcuts {
    const onPictures = (act: () => void) => () => !byId('pictures').hidden && act();
    const focusField = (key: string) =>
      onPictures(() => {
        this.#bar.openSheet();
        this.#panel.fields[key]?.focus();
      });
    return {
      ...Object.fromEntries(
        RATINGS.map((rating, index) => [String(index + 1), onPictures(() => this.#rate(rating, true))]),
      ),
      ...Object.fromEntries(
        TAG_KEYS.map((key, index) => [key, onPictures(() => this.#panel.tags.add(index))]),
      ),
      ...Object.fromEntries(Object.keys(this.#panel.fields).map((key) => [key, focusField(key)])),
      '.': onPictures(() => this.#editing.repeat()),
      z: () => (this.#loupe.isOpen ? this.#loupe.zoom() : this.#steps.undoLast()),
      'mod+z': () => this.#steps.undoLast(),
      'mod+a': onPictures(() => this.#loupe.isOpen || this.#grid.selectAll()),
      Delete: onPictures(() => this.#askRemoval(false)),
      Escape: onPictures(() => this.#leave()),
      ...this.#loupe.shortcuts,
    };
  }

  load(): void {
    this.#health.forget();
    this.#listed = this.#load();
  }

  /** For upright phones, whose panel is there for what is selected. */
  async showOverview(): Promise<void> {
    const health = new HealthPanel(this.#healthActions);
    showPage('Overview', [], 'Overview').append(health.element);
    await health.show();
  }

  showImport(change: Change): void {
    location.hash = '#pictures';
    this.#filters.onlyImport(change);
    this.focus();
  }

  /** Only the pictures that look like one of a file. */
  async findLike(file: File): Promise<void> {
    try {
      this.#only(await upload('/data/looks', { name: file.name }, file));
    } catch (error) {
      explain(error);
    }
  }

  /** What is shown of pictures may be old. */
  refresh(): void {
    this.#health.forget();
    void this.#panel.tags.load();
    this.#grid.refresh();
    if (this.#filters.album === undefined) this.#editing.select(this.#grid.selectedIds());
    else void this.#load(true);
  }

  /** The keyboard goes to the grid, or to the large picture. */
  focus(): void {
    if (this.#loupe.isOpen) this.#loupe.focus();
    else this.#grid.focus();
    // Entries may have changed on another page.
    this.#health.forget();
    void this.#listed.then(() => {
      if (this.#grid.selection.selected.size === 0) void this.#health.show();
    });
  }

  hide(): void {
    if (this.#loupe.isOpen) this.#loupe.close();
  }

  #only(filters: Record<string, string>): void {
    location.hash = '#pictures';
    this.#filters.only(filters);
    this.focus();
  }

  #onSelect(): void {
    this.#panel.leave();
    this.#editing.select(this.#grid.selectedIds());
    this.#showBar();
    this.#loupe.update();
  }

  #showBar(): void {
    this.#bar.show(this.#grid.selection.selected.size, this.#grid.isSelecting);
  }

  /** With `keepsSelection`, about the same pictures are listed in another order. */
  #load(keepsSelection = false): Promise<void> {
    return this.#request.start(async (signal) => {
      const [bytes, last] = await Promise.all([getIds(this.#filters.query, signal), this.#steps.load()]);
      const all = new IdList(bytes);
      this.#editing.base = last;
      const { record } = this.#filters;
      this.#ids = record ? await search(all, record, signal) : all;
      this.#grid.refresh();
      this.#showList(keepsSelection);
      this.#filters.setImports(await loadImports(signal));
    });
  }

  #showList(keepsSelection = false): void {
    const [grid, ids] = [this.#grid, this.#ids];
    byId('count').textContent = formatNumber(ids.length);
    byId('empty').hidden = ids.length > 0;
    byId('grid').hidden = ids.length === 0;
    const isOrdered = this.#filters.album !== undefined;
    for (const element of [byId('album-order'), grid.order.element]) element.hidden = !isOrdered;
    byId('order-field').hidden = isOrdered;
    if (keepsSelection && ids.length > 0) {
      grid.reorder(ids);
      return;
    }
    const shown = this.#loupe.isOpen ? grid.ids.at(grid.selection.focus) : undefined;
    grid.show(this.#filters.isReversed ? ids.reversed() : ids);
    // What led here may be gone, such as a chip or a dialog.
    if (document.activeElement === document.body) this.focus();
    if (shown === undefined) return;
    // The same picture stays in the loupe. If it is gone, the next one follows.
    const index = grid.ids.indexOf(shown);
    if (ids.length > 0) grid.goTo(index < 0 ? grid.selection.focus : index);
    else this.#loupe.close();
  }

  /** A single picture that is rated is done: the next one follows, unless somebody does not want that. */
  #rate(rating: Rating, mayAdvance: boolean): void {
    const { selection } = this.#grid;
    const isSingle = selection.selected.size === 1;
    void this.#editing.edit({ rating });
    if (isSingle && mayAdvance && this.#loupe.advances) this.#grid.goTo(selection.focus + 1);
  }

  #add(album: string, create: boolean): void {
    void this.#editing.edit({ addAlbums: [album], create });
  }

  #askRemoval(isTakeDown: boolean): void {
    // Another picture may be shown by the time that somebody decides.
    const { target } = this.#editing;
    if (target)
      showRemoval(
        target.ids.length,
        isTakeDown,
        (reason) => void this.#editing.remove(target, reason, isTakeDown),
      );
  }

  /** A field gives the keyboard back first. Nothing has the focus for a moment after the browser has gone back. */
  #leave(): void {
    const focused = document.activeElement;
    const isInField = focused?.matches('#panel :is(input, textarea)');
    if (this.#loupe.isOpen && isInField) this.#loupe.focus();
    else if (this.#loupe.isOpen) this.#loupe.close();
    else {
      if (focused === byId('grid') || focused === document.body) this.#grid.clear();
      this.#grid.focus();
    }
  }
}

/** Asks whether to remove pictures, to the trash or for ever, and for the reason. */
function showRemoval(count: number, isTakeDown: boolean, remove: (reason: string) => void): void {
  const reason = textField('Reason; imports show it when they skip the picture', '');
  const press = () => {
    remove(reason.input.value.trim());
    return true;
  };
  const effect = isTakeDown
    ? 'This deletes what you selected, with its files and its history, at once and for ever. You can’t undo it.'
    : 'What you remove is no longer shown, and moves to the trash, from which you can restore it.';
  const title = `${isTakeDown ? 'Take down' : 'Remove'} ${countPictures(count)}?`;
  ask(title, [el('p', effect), reason.element], isTakeDown ? 'Delete for ever' : 'Remove', press);
  reason.input.focus();
}
