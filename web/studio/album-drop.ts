/** While selected pictures are dragged: how many they are, the albums to drop them on, and their new place in an order. */
import { el } from '../dom.ts';
import { get } from './api.ts';
import { showDialog, textField } from './dialog.ts';
import { explain } from './notices.ts';
import { countPictures } from './text.ts';
import type { Gap } from './tile-layout.ts';

/** More than anyone looks through while dragging. The field in the panel finds the others. */
const MAX_SHOWN = 300;
/** Where the list starts to scroll, and how far in a frame. */
const EDGE_PX = 40;
const SCROLL_PX = 8;

export interface Pointer {
  clientX: number;
  clientY: number;
}

export interface DropActions {
  /** The album whose order is shown. */
  album(): string | undefined;
  /** Moves what is selected in that order. */
  moveTo(index: number): void;
  /** Puts what is selected into an album; into a new one if the id is empty. */
  dropOn(album: string): void;
}

export class AlbumDrop {
  readonly #badge = el('div', { class: 'drag-badge', hidden: true });
  readonly #albums = el('ul', {});
  readonly #box = el(
    'div',
    { id: 'album-drop', hidden: true },
    el('h2', {}, 'Drop on an album'),
    this.#albums,
  );
  /** Where the pictures go. */
  readonly #marker = el('div', { class: 'drop-marker', hidden: true });
  readonly #actions: DropActions;
  #request = new AbortController();
  #index: number | undefined;

  /** `space` is where the tiles are. */
  constructor(space: HTMLElement, actions: DropActions) {
    this.#actions = actions;
    space.append(this.#marker);
    document.body.append(this.#box, this.#badge);
  }

  async start(count: number): Promise<void> {
    const shown = this.#actions.album();
    this.#badge.textContent = countPictures(count);
    this.#badge.hidden = false;
    this.#box.hidden = false;
    this.#albums.replaceChildren(item('New album…', ''));
    const { signal } = this.#request;
    try {
      const albums = await get('/data/entries', { kind: 'album' }, signal);
      const others = albums.filter(({ id }) => id !== shown).slice(0, MAX_SHOWN);
      this.#albums.append(...others.map(({ id, name }) => item(name, id)));
    } catch (error) {
      explain(error);
    }
  }

  /** Returns whether the pointer makes the list of albums scroll. */
  move(pointer: Pointer, { index, x, y, height }: Gap): boolean {
    const { clientX, clientY } = pointer;
    const isOnList = this.#covers(pointer);
    this.#index = isOnList || this.#actions.album() === undefined ? undefined : index;
    this.#marker.hidden = this.#index === undefined;
    this.#marker.style.transform = `translate(${x}px, ${y}px)`;
    this.#marker.style.height = `${height}px`;
    this.#badge.style.transform = `translate(${clientX + 14}px, ${clientY + 14}px)`;
    const under = this.#find(pointer);
    for (const other of this.#albums.children) other.classList.toggle('over', other === under);
    if (!isOnList) return false;
    const { top, bottom } = this.#box.getBoundingClientRect();
    const before = this.#box.scrollTop;
    if (clientY < top + EDGE_PX) this.#box.scrollTop -= SCROLL_PX;
    if (clientY > bottom - EDGE_PX) this.#box.scrollTop += SCROLL_PX;
    return this.#box.scrollTop !== before;
  }

  /** `pointer` is where the pictures were dropped; undefined if it was cancelled. */
  end(pointer?: Pointer): void {
    const album = pointer && this.#find(pointer)?.dataset.album;
    this.#request.abort();
    this.#request = new AbortController();
    for (const element of [this.#badge, this.#box, this.#marker]) element.hidden = true;
    if (album !== undefined) this.#actions.dropOn(album);
    else if (pointer && this.#index !== undefined) this.#actions.moveTo(this.#index);
  }

  /** Whether the pointer is on the list. */
  #covers({ clientX, clientY }: Pointer): boolean {
    const { left, right, top, bottom } = this.#box.getBoundingClientRect();
    return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
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
  showDialog('New album', [name.element], [{ label: 'Create', isStrong: true, press }, { label: 'Cancel' }]);
}
