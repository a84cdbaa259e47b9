/** The items of a change: collected, and written in batches. What changes twice is one item. */
import type { ChangeItem, ItemKind } from '../catalogue/change-log.ts';
import { ITEM_COLUMNS, type ItemRow, toItem as parseItem } from './change-log/log.ts';
import { addItems } from './change-rows.ts';
import type { WriteSession } from './session.ts';

const BATCH_SIZE = 500;

type Fields = Record<string, unknown>;
export type NewItem = Omit<ChangeItem, 'undoneBy'>;

export class ChangeItems {
  readonly #session: WriteSession;
  readonly #max: number;
  readonly #change: () => number;
  /** Those that are not written yet. */
  #waiting = new Map<string, NewItem>();
  /** The keys of all items. */
  readonly #seen = new Set<string>();
  #isOff = false;

  constructor(session: WriteSession, max: number, change: () => number) {
    this.#session = session;
    this.#max = max;
    this.#change = change;
  }

  /** Nothing is recorded from now on. */
  switchOff(): void {
    this.#isOff = true;
  }

  get count(): number {
    return this.#seen.size;
  }

  /** Whether there are too many. One too many says so. */
  get isFull(): boolean {
    return this.#seen.size > this.#max;
  }

  /** The change goes on: knows the items that it has already. */
  async load(): Promise<void> {
    const text = 'select kind, id from change_item where change = $1';
    for (const item of await this.#session.query<NewItem>(text, [this.#change()]))
      this.#seen.add(keyOf(item));
  }

  /** Returns how many of them were not changed before. */
  async add(items: NewItem[]): Promise<number> {
    const added = new Set(items.map(keyOf)).difference(this.#seen).size;
    if (this.isFull || this.#isOff) return added;
    await this.#readBack(items);
    for (const item of items) {
      const earlier = this.#waiting.get(keyOf(item));
      this.#seen.add(keyOf(item));
      this.#waiting.set(keyOf(item), earlier ? merge(earlier, item) : item);
    }
    if (this.#waiting.size >= BATCH_SIZE) await this.#write();
    return added;
  }

  /** Those that are not written yet. */
  drop(kind: ItemKind, ids: string[]): void {
    for (const id of ids) this.#waiting.delete(keyOf({ kind, id }));
  }

  /** Writes the rest. If there are too many, none stay. */
  async finish(): Promise<void> {
    await this.#write();
    if (this.isFull) await this.#session.run('delete from change_item where change = $1', [this.#change()]);
  }

  /** Items that change again, and that were written already. */
  async #readBack(items: NewItem[]): Promise<void> {
    const again = items.filter((item) => this.#seen.has(keyOf(item)) && !this.#waiting.has(keyOf(item)));
    const text = `select ${ITEM_COLUMNS} from change_item
      where change = $1 and kind = $2 and id = $3`;
    for (const { kind, id } of again) {
      const [row] = await this.#session.query<ItemRow>(text, [this.#change(), kind, id]);
      if (row) this.#waiting.set(keyOf({ kind, id }), parseItem(row));
    }
  }

  async #write(): Promise<void> {
    const json = (fields: Fields | null) => (fields === null ? null : JSON.stringify(fields));
    const rows = Array.from(this.#waiting.values(), ({ kind, id, before, after }) => ({
      change: this.#change(),
      kind,
      id,
      before: json(before),
      after: json(after),
      undoneBy: null,
    }));
    this.#waiting = new Map();
    await addItems(this.#session, rows);
  }
}

const keyOf = ({ kind, id }: Pick<NewItem, 'kind' | 'id'>) => `${kind} ${id}`;

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** None if nothing changed. */
export function toItem(
  kind: ItemKind,
  id: string,
  before: object | undefined,
  after: object | undefined,
): NewItem[] {
  const item = { kind, id, before: (before as Fields) ?? null, after: (after as Fields) ?? null };
  return isSame(item.before, item.after) ? [] : [item];
}

/** The fields that differ, before and after. Undefined if there are none. */
export function difference(before: Fields, after: Fields): { before: Fields; after: Fields } | undefined {
  const names = Object.keys(before).filter((name) => !isSame(before[name], after[name]));
  if (names.length === 0) return undefined;
  const pick = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { before: pick(before), after: pick(after) };
}

/** Two changes of the same thing as one. */
function merge(earlier: NewItem, later: NewItem): NewItem {
  if (later.kind !== 'image' || earlier.before === null || later.after === null)
    return { ...later, before: earlier.before };
  return {
    ...later,
    before: { ...later.before, ...earlier.before },
    after: { ...earlier.after, ...later.after },
  };
}
