/** Records what a transaction changes and how it was before, and writes it to the change log with the commit. */
import type { Change, ChangeItem, ChangeOrigin, ItemKind, TrashedImage } from '../../catalogue/change-log.ts';
import { withoutSameLists } from '../../catalogue/documents/document.ts';
import { imageFields } from '../../catalogue/documents/edit-image.ts';
import type { Entry, ImageRow, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import { type BlockedName, nameKey, type RemovedFile } from '../../catalogue/writer.ts';
import type { WriteSession } from '../session.ts';
import {
  addChanges,
  addItems,
  addTrash,
  ITEM_COLUMNS,
  type ItemRow,
  toItem as parseItem,
  summarise,
} from './log.ts';

// The items of a change: collected, and written in batches. What changes twice is one item.

const BATCH_SIZE = 500;

type Fields = Record<string, unknown>;
type NewItem = Omit<ChangeItem, 'undoneBy'>;

class ChangeItems {
  readonly #session: WriteSession;
  readonly #max: number;
  readonly #change: () => number;
  /** Those that are not written yet. */
  #waiting = new Map<string, NewItem>();
  /** The keys of all items. */
  readonly #seen = new Set<string>();
  /** Whether nothing is recorded from now on. */
  isOff = false;

  constructor(session: WriteSession, max: number, change: () => number) {
    this.#session = session;
    this.#max = max;
    this.#change = change;
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
    if (this.isFull || this.isOff) return added;
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

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** None if nothing changed. */
function toItem(
  kind: ItemKind,
  id: string,
  before: object | undefined,
  after: object | undefined,
): NewItem[] {
  const item = { kind, id, before: (before as Fields) ?? null, after: (after as Fields) ?? null };
  return isSame(item.before, item.after) ? [] : [item];
}

/** The fields that differ, before and after. Undefined if there are none. */
function difference(before: Fields, after: Fields): { before: Fields; after: Fields } | undefined {
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

/** Of all changes together, about 200 MB. Beyond it, the oldest ones are forgotten. */
export const MAX_ITEMS = 500_000;
const MAX_TEXT_LENGTH = 1000;

/** Who makes a change, and when. */
export interface ChangeContext {
  origin: ChangeOrigin;
  user: string;
  now: string;
  /** How long changes are kept. */
  historyDays: number;
  /** How many items all changes together may have. */
  maxItems?: number;
}

type Changes<Before, After = Before> = { before?: Before | undefined; after?: After | undefined }[];

export class ChangeRecorder {
  readonly #session: WriteSession;
  readonly #context: ChangeContext;
  readonly #lastImage: number;
  readonly #last: Change | undefined;
  #change: Change;
  readonly #items: ChangeItems;
  #edit: string | undefined;

  /** `lastImage` is the highest number of an image, and `last` the last change. */
  constructor(
    session: WriteSession,
    context: ChangeContext,
    { lastImage, last }: { lastImage: number; last: Change | undefined },
  ) {
    this.#session = session;
    this.#context = context;
    this.#lastImage = lastImage;
    this.#items = new ChangeItems(session, context.maxItems ?? MAX_ITEMS, () => this.number);
    this.#last = last;
    this.#change = {
      number: (last?.number ?? 0) + 1,
      at: context.now,
      origin: context.origin,
      user: context.user.slice(0, MAX_TEXT_LENGTH),
      summary: '',
      source: null,
      added: 0,
      changed: 0,
      removed: 0,
      entries: 0,
      firstImage: lastImage + 1,
      lastImage,
      items: 0,
      undoes: null,
      state: 'done',
    };
  }

  get number(): number {
    return this.#change.number;
  }

  /** This transaction is not recorded. */
  switchOff(): void {
    this.#items.isOff = true;
  }

  describe(summary: string): void {
    this.#change.summary = summary.slice(0, MAX_TEXT_LENGTH);
  }

  nameEdit(edit: string): void {
    this.#edit = edit;
  }

  /** Pictures that are added in the studio one after the other are one import. */
  async startImport(source: string, continues: number | undefined): Promise<void> {
    const last = this.#last;
    const canContinue =
      last !== undefined &&
      last.number === continues &&
      last.state === 'done' &&
      last.origin === this.#change.origin &&
      (last.lastImage < last.firstImage || last.lastImage === this.#lastImage);
    if (canContinue) {
      const firstImage = last.firstImage <= last.lastImage ? last.firstImage : this.#lastImage + 1;
      this.#change = { ...last, summary: '', firstImage, lastImage: this.#lastImage };
      await this.#items.load();
    }
    this.#change.source = source.slice(0, MAX_TEXT_LENGTH);
  }

  async startUndo({ number, undoes }: Change): Promise<void> {
    this.#change.undoes = number;
    // What this one had undone is done again, also what was as before already. `markUndone` does the rest.
    await this.#session.run(
      `update change_item set undone_by = null where undone_by = $1 and not exists
         (select 1 from change_item as own where own.change = $1 and own.kind = change_item.kind and own.id = change_item.id)`,
      [number],
    );
    await this.#session.run(`update change set state = 'done' where number = $1 and state = 'undone'`, [
      undoes,
    ]);
  }

  imagesAdded(count: number): void {
    this.#change.added += count;
    this.#change.lastImage += count;
  }

  async imagesRestored(images: ImageRow[]): Promise<void> {
    this.#change.added += images.length;
    await this.#items.add(images.map(({ id }) => ({ kind: 'image', id, before: null, after: {} })));
  }

  async imagesChanged(
    changes: { before: SavedImage; after: ImageRow; dropsFile?: boolean | undefined }[],
  ): Promise<void> {
    // Another picture of this import may say more about an image that it added.
    const others = changes.filter(({ before }) => before.number < this.#change.firstImage);
    this.#change.changed += await this.#items.add(
      others.flatMap(({ before, after }) => {
        const [former, current] = withoutSameLists(before.document, after.document);
        const fields = difference(
          imageFields({ ...before, document: former }),
          imageFields({ ...after, document: current }),
        );
        // New thumbnails are no change.
        return fields ? [{ kind: 'image', id: before.id, ...fields } as const] : [];
      }),
    );
    const replaced = others.filter(({ before, after, dropsFile }) => !dropsFile && before.key !== after.key);
    const former = replaced.map(({ before }) => before);
    await this.#toTrash(former, 'file');
  }

  async imagesTrashed(rows: SavedImage[]): Promise<void> {
    this.#change.removed += rows.length;
    await this.#items.add(rows.map(({ id }) => ({ kind: 'image', id, before: {}, after: null })));
    await this.#toTrash(rows, 'image');
  }

  /** Nothing else of a picture that was taken down stays, neither here nor in what is waiting. */
  async imagesTakenDown(rows: ImageRow[]): Promise<void> {
    this.#change.removed += rows.length;
    if (rows.length > 0) this.#change.state = 'final';
    const ids = rows.map(({ id }) => id);
    this.#items.drop('image', ids);
    await this.#session.run(`delete from change_item where kind = 'image' and id = any($1)`, [ids]);
    await this.#session.run('delete from trash where id = any($1)', [ids]);
    await this.#session.run('delete from trash where etag = any($1)', [rows.map(({ eTag }) => eTag)]);
    await this.#session.run('delete from album_image where image = any($1)', [ids]);
    await this.#items.add(
      rows.map(({ id, eTag }) => ({ kind: 'taken-down', id, before: null, after: { hash: eTag } })),
    );
  }

  /** `before` is undefined if an entry was created, `after` if it was removed. */
  async entriesChanged(changes: Changes<SavedEntry, Entry>): Promise<void> {
    this.#change.entries += await this.#items.add(
      changes.flatMap(({ before, after }) => {
        const { kind, id } = (after ?? before) as Entry;
        return toItem(kind, id, before && entryFields(before), after && entryFields(after));
      }),
    );
  }

  /** `after` is undefined if the name was unblocked. */
  async namesChanged(changes: Changes<BlockedName>): Promise<void> {
    await this.#items.add(
      changes.flatMap(({ before, after }) => {
        const { kind, name } = (after ?? before) as BlockedName;
        return toItem('blocked', JSON.stringify([kind, nameKey(kind, name)]), before, after);
      }),
    );
  }

  /** `after` is undefined if the picture is no longer remembered as removed. */
  async removedFilesChanged(changes: Changes<RemovedFile>): Promise<void> {
    const items = changes.flatMap(({ before, after }) =>
      toItem('removed', ((after ?? before) as RemovedFile).hash, before, after),
    );
    if (this.#change.state !== 'final') await this.#items.add(items);
    else {
      // Of a picture that was taken down, not even a former reason stays.
      const text = `delete from change_item where kind = 'removed' and id = any($1)`;
      await this.#session.run(text, [items.map(({ id }) => id)]);
    }
  }

  async siteChanged(field: string, before: string, after: string): Promise<void> {
    const logged = (text: string) => (text ? { text } : undefined);
    await this.#items.add(toItem('site', field, logged(before), logged(after)));
  }

  /** What will be committed, so far. */
  current(): Change | undefined {
    const change = { ...this.#change, items: this.#items.count };
    const hasChanged = change.added + change.changed + change.removed + change.entries + change.items > 0;
    if (!hasChanged || this.#items.isOff) return undefined;
    if (this.#items.isFull) Object.assign(change, { items: 0, state: 'forgotten' });
    return { ...change, summary: change.summary || summarise(change) };
  }

  /** Writes the change. */
  async finish(): Promise<void> {
    const change = this.current();
    if (!change) return;
    await this.#items.finish();
    if (change.number === this.#last?.number)
      await this.#session.run('delete from change where number = $1', [change.number]);
    await addChanges(this.#session, [change]);
    if (this.#edit !== undefined)
      await this.#session.insert('applied_edit', ['change', 'id'], [[change.number, this.#edit]]);
  }

  async #toTrash(images: SavedImage[], kind: TrashedImage['kind']): Promise<void> {
    if (this.#items.isOff) return;
    const removed = { change: this.number, kind, removedAt: this.#context.now, isByUndo: false };
    await addTrash(
      this.#session,
      images.map((image) => ({ ...removed, image })),
    );
  }
}

function entryFields({ name, createdAt, document, aliases = [], images }: Entry) {
  return { name, createdAt, document, aliases: aliases.toSorted(), ...(images && { images }) };
}
