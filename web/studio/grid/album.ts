/** Pictures are dragged to albums, and to other places in the order of one. */
import { el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { change, get, LastWork } from '../shared/api.ts';
import { ask, button, textField } from '../shared/elements.ts';
import type { IdList } from '../shared/id-list.ts';
import { countPictures, explain } from '../shared/notices.ts';
import type { Gap } from './layout.ts';

// While selected pictures are dragged: how many they are, the albums to drop them on, and their new place in an order.

/** More than anyone looks through while dragging. The field in the panel finds the others. */
const MAX_SHOWN = 300;
/** Where the list starts to scroll, and how far in a frame. */
const EDGE_PX = 40;
const SCROLL_PX = 8;

export interface Pointer {
  clientX: number;
  clientY: number;
}

export interface AlbumActions {
  /** The album whose order the grid shows. */
  album(): string | undefined;
  /** Shows the order again. */
  reload(): Promise<void>;
  /** Puts what is selected into an album; into a new one if the id is empty. */
  dropOn(album: string): void;
}

export class AlbumDrop {
  readonly #badge = el('div.drag-badge', { hidden: true });
  readonly #albums = el('ul');
  readonly #box = el('div', { id: 'album-drop', hidden: true }, el('h2', 'Drop on an album'), this.#albums);
  /** Where the pictures go. */
  readonly #marker = el('div.drop-marker', { hidden: true });
  readonly #order: AlbumOrder;
  readonly #actions: AlbumActions;
  readonly #request = new LastWork();
  #index: number | undefined;

  /** `space` is where the tiles are. */
  constructor(space: HTMLElement, order: AlbumOrder, actions: AlbumActions) {
    this.#order = order;
    this.#actions = actions;
    space.append(this.#marker);
    document.body.append(this.#box, this.#badge);
  }

  start(count: number): void {
    const shown = this.#actions.album();
    this.#badge.textContent = countPictures(count);
    this.#badge.hidden = false;
    this.#box.hidden = false;
    this.#albums.replaceChildren(item('New album…', ''));
    void this.#request.start(async (signal) => {
      const albums = await get('/data/entries', { kind: 'album' }, signal);
      const others = albums.filter(({ id }) => id !== shown).slice(0, MAX_SHOWN);
      this.#albums.append(...others.map(({ id, name }) => item(name, id)));
    });
  }

  /** Returns whether the pointer makes the list of albums scroll. */
  move(pointer: Pointer, { index, x, y, height }: Gap): boolean {
    const { clientX, clientY } = pointer;
    const { left, right, top, bottom } = this.#box.getBoundingClientRect();
    const isOnList = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
    this.#index = isOnList || this.#actions.album() === undefined ? undefined : index;
    this.#marker.hidden = this.#index === undefined;
    this.#marker.style.transform = `translate(${x}px, ${y}px)`;
    this.#marker.style.height = `${height}px`;
    this.#badge.style.transform = `translate(${clientX + 14}px, ${clientY + 14}px)`;
    const under = this.#find(pointer);
    for (const other of this.#albums.children) other.classList.toggle('over', other === under);
    if (!isOnList) return false;
    const before = this.#box.scrollTop;
    if (clientY < top + EDGE_PX) this.#box.scrollTop -= SCROLL_PX;
    if (clientY > bottom - EDGE_PX) this.#box.scrollTop += SCROLL_PX;
    return this.#box.scrollTop !== before;
  }

  /** `pointer` is where the pictures were dropped; undefined if it was cancelled. */
  end(pointer?: Pointer): void {
    const album = pointer && this.#find(pointer)?.dataset.album;
    this.#request.abort();
    for (const element of [this.#badge, this.#box, this.#marker]) element.hidden = true;
    if (album !== undefined) this.#actions.dropOn(album);
    else if (pointer && this.#index !== undefined) this.#order.moveTo(this.#index);
  }

  #find({ clientX, clientY }: Pointer): HTMLElement | undefined {
    const found = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-album]');
    return found ?? undefined;
  }
}

const item = (name: string, id: string) => el('li', { 'data-album': id }, name);

/** For what was dropped on no album yet. */
export function askAlbumName(create: (name: string) => void): void {
  const name = textField('Name', '', { maxlength: '255' });
  const press = () => {
    const text = name.input.value.trim();
    if (text !== '') create(text);
    return text !== '';
  };
  ask('New album', [name.element], 'Create', press);
}

// Moves the selected pictures in the album whose order the grid shows: with keys, buttons, or where they are dropped.

/** What is needed of the grid. */
interface Pictures {
  readonly ids: IdList;
  readonly selection: { readonly selected: ReadonlySet<number> };
  selectedIds(): string[];
}

/** Behind each other, as far as they go. */
const FURTHEST = Number.MAX_SAFE_INTEGER;
const MOVES = { 'To start': -FURTHEST, Earlier: -1, Later: 1, 'To end': FURTHEST };

export class AlbumOrder {
  readonly element = el('fieldset.toggles', { 'aria-label': 'Move in the album', hidden: true });
  readonly #pictures: Pictures;
  readonly #steps: Steps;
  readonly #actions: AlbumActions;

  constructor(pictures: Pictures, steps: Steps, actions: AlbumActions) {
    this.#pictures = pictures;
    this.#steps = steps;
    this.#actions = actions;
    for (const [label, step] of Object.entries(MOVES))
      this.element.append(button(label, () => this.moveBy(step), { class: undefined }));
  }

  /** By so many places. False if the grid does not show the order of an album. */
  moveBy(step: number): boolean {
    return this.#move(({ selected }, count) => indexAfter(count, selected, step));
  }

  /** To a place between tiles. */
  moveTo(index: number): void {
    this.#move(({ selected }, count) => indexesWithout(count, selected).find((other) => other >= index));
  }

  /** One after the other, because each depends on where the one before went. Undefined stands for the end. */
  #move(findNext: (selection: Pictures['selection'], count: number) => number | undefined): boolean {
    const album = this.#actions.album();
    if (album === undefined) return false;
    const moved = this.#pictures.selectedIds();
    void this.#steps
      .changeNow(async () => {
        const { ids } = this.#pictures;
        const selected = new Set(moved.map((id) => ids.indexOf(id)).filter((index) => index >= 0));
        const isWhole = selected.size === 0 || selected.size === ids.length;
        if (isWhole || this.#actions.album() !== album) return undefined;
        const next = findNext({ selected }, ids.length);
        const body = { id: album, ids: moved };
        const before = next !== undefined && { before: ids.at(next) };
        const changed = await change('/change/album/order', { ...body, ...before });
        await this.#actions.reload();
        return changed;
      })
      .catch(explain);
    return true;
  }
}

/** Before which index the selected ones are after a move by so many places; undefined at the end. */
function indexAfter(count: number, selected: ReadonlySet<number>, step: number): number | undefined {
  const others = indexesWithout(count, selected);
  const first = Math.min(...selected);
  const place = others.filter((index) => index < first).length + step;
  return others[Math.max(0, Math.min(place, others.length))];
}

function indexesWithout(count: number, selected: ReadonlySet<number>): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => !selected.has(index));
}
