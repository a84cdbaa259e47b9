/** Moves the selected pictures in the album whose order the grid shows: with keys, buttons, or where they are dropped. */
import { el } from '../dom.ts';
import { change } from './api.ts';
import type { IdList } from './id-list.ts';
import { explain } from './notices.ts';
import { changeNow } from './steps.ts';

/** What is needed of the grid. */
interface Pictures {
  readonly ids: IdList;
  readonly selection: { readonly selected: ReadonlySet<number> };
  selectedIds(): string[];
}

interface OrderActions {
  /** The album whose order the grid shows. */
  album(): string | undefined;
  /** Shows the order again. */
  reload(): Promise<void>;
}

/** Behind each other, as far as they go. */
const FURTHEST = Number.MAX_SAFE_INTEGER;
const MOVES = { 'To start': -FURTHEST, Earlier: -1, Later: 1, 'To end': FURTHEST };

export class AlbumOrder {
  readonly element = el('fieldset', { class: 'toggles', 'aria-label': 'Move in the album', hidden: true });
  readonly #pictures: Pictures;
  readonly #actions: OrderActions;

  constructor(pictures: Pictures, actions: OrderActions) {
    this.#pictures = pictures;
    this.#actions = actions;
    for (const [label, step] of Object.entries(MOVES))
      this.element.append(el('button', { type: 'button', click: () => this.moveBy(step) }, label));
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
    void changeNow(async () => {
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
    }).catch(explain);
    return true;
  }
}

/** Before which index the selected ones are after a move by so many places; undefined at the end. */
export function indexAfter(count: number, selected: ReadonlySet<number>, step: number): number | undefined {
  const others = indexesWithout(count, selected);
  const first = Math.min(...selected);
  const place = others.filter((index) => index < first).length + step;
  return others[Math.max(0, Math.min(place, others.length))];
}

function indexesWithout(count: number, selected: ReadonlySet<number>): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => !selected.has(index));
}
