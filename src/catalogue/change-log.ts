/**
 * The change log: every committed change, who made it, and how things were before, so that it can be seen and undone.
 *
 * The images that a change added are a range of image numbers, so that recording an import costs nothing. Everything else
 * that it changed is an item, with what was before and after. What a change removed is in the trash: whole images, and
 * the former files of images that got another one.
 */
import * as Type from '../lib/json-schema.ts';
import { type Document, KINDS, type Kind, type Mimetype, timestampPattern } from './schemas.ts';

/** `import` is a command or a watched folder. What is done in the studio is `studio`, adding pictures too. */
export const ChangeOrigin = Type.OneOf(['import', 'shell', 'studio']);
export type ChangeOrigin = Type.Static<typeof ChangeOrigin>;

const Text = Type.String({ maxLength: 10_000 });
const MAX_NUMBER = 2 ** 31 - 1;
export const Count = Type.Integer({ minimum: 0, maximum: MAX_NUMBER });
export const Position = Type.Integer({ minimum: 1, maximum: MAX_NUMBER });
/** As it is compared: in UTC with milliseconds. */
export const Time = Type.String({ pattern: timestampPattern });

/** As backups and catalogue files have it, too. */
export const Change = Type.Closed({
  number: Position,
  at: Time,
  origin: ChangeOrigin,
  /** Of the operating system, or who signed in to a remote studio. */
  user: Text,
  /** One line. */
  summary: Text,
  /** The paths that were imported; empty if pictures were added in the studio. Null if it is no import. */
  source: Type.Union([Text, Type.Null()]),
  /** Images that were added, changed and removed. */
  added: Count,
  changed: Count,
  removed: Count,
  /** Entries that were added, changed or removed. */
  entries: Count,
  /** The numbers of the images that it added. There are none if the last one is lower than the first one. */
  firstImage: Position,
  lastImage: Count,
  items: Count,
  /** The change that this one undoes. */
  undoes: Type.Union([Position, Type.Null()]),
  /** `forgotten`: it changed too much to be remembered. `final`: it took images down, which cannot be undone. */
  state: Type.OneOf(['done', 'undone', 'forgotten', 'final']),
});
export type Change = Type.Static<typeof Change>;

/** What is shown as one change. `parts` are the changes in it, if they are several; it has the number and the time of the last one. */
export interface ChangeGroup extends Change {
  parts: Change[];
}

const MAX_GROUP_MS = 10 * 60_000;
/** The numbers of changes in front, and the action. */
const EDIT = /^((?:undo \d+: )*)(.*: )\d+ images?$/;
const BATCH_SIZE = 1000;

/** The newest one first. The limit is one of groups, so that it cuts none. */
export async function listGroups(
  log: Pick<ChangeLogReader, 'list'>,
  filter: ChangeFilter,
): Promise<ChangeGroup[]> {
  const changes: Change[] = [];
  for (;;) {
    const batch = await log.list({ ...filter, limit: BATCH_SIZE, before: changes.at(-1)?.number });
    changes.push(...batch);
    const groups = groupChanges(changes);
    if (batch.length < BATCH_SIZE || groups.length > filter.limit) return groups.slice(0, filter.limit);
  }
}

/** The newest change comes first. The same edit of one person, again and again within ten minutes, is one. */
export function groupChanges(changes: Change[]): ChangeGroup[] {
  const groups: [Change, ...Change[]][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group && continues(group, change)) group.push(change);
    else groups.push([change]);
  }
  return groups.map((parts) => {
    const [newest] = parts;
    if (parts.length === 1) return { ...newest, parts: [] };
    return { ...newest, summary: `${actionOf(newest)}${parts.length} changes`, parts };
  });
}

/** Nothing else is between them, so that a group is a range of numbers. */
function continues(group: [Change, ...Change[]], change: Change): boolean {
  const [newest] = group;
  const action = actionOf(newest);
  return (
    change.number === newest.number - group.length &&
    change.origin === newest.origin &&
    change.user === newest.user &&
    change.state === newest.state &&
    action !== undefined &&
    action === actionOf(change) &&
    Math.abs(Date.parse(newest.at) - Date.parse(change.at)) <= MAX_GROUP_MS
  );
}

/** The summary without the numbers in it. Undefined if it is of no edit of images. */
function actionOf({ summary }: Change): string | undefined {
  const [, undo, action] = EDIT.exec(summary) ?? [];
  return action && undo?.replaceAll(/ \d+/g, '') + action;
}

/**
 * `blocked` is a name of an entry (JSON: kind and name), `removed` the hash of a picture that imports leave out. Of an image that
 * was taken down, only the hash is kept. The id of a text of the `site` is its field.
 */
export const ITEM_KINDS = ['image', ...KINDS, 'blocked', 'removed', 'taken-down', 'site'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Of an image, `before` and `after` have the fields that changed; of anything else, all of it. Null: it did not exist. */
export interface ChangeItem {
  kind: ItemKind;
  id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  /** The change that undid it. */
  undoneBy: number | null;
}

/** A field before and after, for people to read; empty texts if there was nothing. */
export interface Difference {
  field: string;
  before: string;
  after: string;
}

/** An item for people to read, with names in place of ids. */
export interface DescribedItem {
  kind: ChangeItem['kind'];
  id: string;
  /** Of an entry or of a blocked name. The title or the file name of an image that is in the catalogue or the trash. */
  name?: string;
  what: 'added' | 'changed' | 'removed' | 'taken down';
  differences: Difference[];
  undoneBy: number | null;
}

/** An item as it is stored: `before` and `after` are JSON. */
export type StoredItem = Omit<ChangeItem, 'before' | 'after'> & {
  change: number;
  before: string | null;
  after: string | null;
};

/** What changes need to know about the log before they are undone, and what the trash has. */
export interface ChangeLogReader {
  /** The newest one first. */
  list(filter: ChangeFilter): Promise<Change[]>;
  find(number: number): Promise<Change | undefined>;
  /** In batches, by kind and id. */
  items(change: number): AsyncIterable<ChangeItem[]>;
  /** All of them, the oldest one first. */
  changes(): AsyncIterable<Change>;
  /** Those of all changes, by change, kind and id. Their JSON may be damaged. */
  storedItems(): AsyncIterable<StoredItem>;
  /** The ids of entries that have or had this name, as far as the log goes. */
  entriesNamed(name: string): Promise<string[]>;
  /** The last one first. */
  trash(): AsyncIterable<TrashedImage>;
  /** What the trash has of these images: the images themselves, and former files. */
  trashed(ids: string[]): Promise<TrashedImage[]>;
  /** What the trash has with these bytes. */
  trashedBytes(hashes: string[]): Promise<TrashedImage[]>;
}

export interface ChangeFilter {
  limit: number;
  /** Made at this time or later. */
  since?: string | undefined;
  /** Made before the change with this number. */
  before?: number | undefined;
  /** Only changes of one of these images or entries. */
  of?: { kinds: readonly ItemKind[]; ids: readonly string[] } | undefined;
  /** Only imports. */
  isImport?: boolean | undefined;
  origin?: ChangeOrigin | undefined;
  user?: string | undefined;
}

/**
 * A stored image. `eTag` identifies its bytes: their hash, or the entity tag that a record gave. (The document has the
 * entity tag that the file is served with, which some storage assigns itself.) `number` is its position in the order of
 * adding, absent until it is saved.
 */
export interface ImageRow {
  number?: number;
  id: string;
  key: string;
  eTag: string;
  mimetype: Mimetype;
  document: Document;
  /** What it looks like (media/picture.ts): `''` if it has too little detail, null if it was not computed. */
  perceptualHash: string | null;
  /** The fields that an operator decided (edit-image.ts). */
  edited: string;
}

export type SavedImage = ImageRow & { number: number };

/** An image that was removed, or that got another file. */
export interface TrashedImage {
  change: number;
  /** `file`: the image is still there, with another file. */
  kind: 'image' | 'file';
  removedAt: string;
  /** Whether the change undid another one. It can be restored with that. */
  isByUndo: boolean;
  /** As it was. */
  image: SavedImage;
}

/** Part of a writer's transaction: the change that it will commit. */
export interface ChangeLogWriter extends ChangeLogReader {
  /** The number of this change. */
  readonly number: number;
  /** The highest number of an image when the transaction began. */
  readonly lastImage: number;
  /** The one-line summary. Without it, the log counts what was changed. */
  describe(summary: string): void;
  /** This change is what a page of the studio calls so: a UUID of the page, and the rest. It is remembered as long as the change. */
  nameEdit(edit: string): void;
  /** The change with this name. */
  findEdit(edit: string): Promise<Change | undefined>;
  /**
   * What changes after this one, except those of the same page, did to these images. Undefined if the log does not say: it is of another
   * time, or something was forgotten.
   */
  imagesSince(change: number, edit: string, ids: string[]): Promise<ChangeItem[] | undefined>;
  /**
   * This change is an import of these paths. It adds to the change `continues`, if that is still the last one. Call it before
   * anything is changed.
   */
  startImport(source: string, continues: number | undefined): Promise<void>;
  /** What will be committed, so far. Undefined if nothing was changed. */
  current(): Change | undefined;
  /** This change undoes another one. What that one had undone can be undone again. */
  startUndo(change: Change): Promise<void>;
  /** These items of the change are undone. */
  markUndone(change: Change, items: Pick<ChangeItem, 'kind' | 'id'>[]): Promise<void>;
  /** Nothing of the change is left to undo. */
  closeChange(change: Change): Promise<void>;
  /** The ids of the images that a change added and that still exist, in batches. They may be removed meanwhile. */
  addedImages(change: Change): AsyncIterable<string[]>;
  /** What later changes, which are not undone, did to these things: their items, by id. */
  laterItems(change: Change, kind: ItemKind, ids: string[]): Promise<Map<string, ChangeItem[]>>;
  /** The items of images in later changes that are not undone. */
  laterImages(change: Change): AsyncIterable<ChangeItem>;
  /** Those of the entries whose removal can be undone. */
  removedEntries(kind: Kind, ids: string[]): Promise<Set<string>>;
  /** Of a change that added them, the images that are in the trash now, but not because it was undone. */
  trashedOfRange(change: Change): Promise<string[]>;
  /** Removes rows from the trash. The files of images that are not restored become unused. */
  takeFromTrash(rows: Pick<TrashedImage, 'change' | 'image'>[]): Promise<void>;
  /** The present time is right, even if the clock jumped: what is older than it is kept may be deleted. */
  acceptClock(): void;
  /** What the trash has: everything, or what is older than a time. */
  trashBefore(time: string | undefined): Promise<TrashedImage[]>;
  /**
   * Adds what another catalogue logged. The log must be empty. This transaction is no change itself, and images that it adds
   * leave out the numbers of those in the trash. Call it before anything is changed, once or for one part after the other.
   */
  restore(part: LogPart): Promise<void>;
  /** Drops these items and those that belong to no change, and counts those of each change again if there are more. */
  repair(broken: Pick<StoredItem, 'change' | 'kind' | 'id'>[]): Promise<void>;
}

/** A part of a change log and of the trash. */
export interface LogPart {
  changes: Change[];
  items: StoredItem[];
  trash: TrashedImage[];
}

/** Something that stays as it is when a change is undone. */
export interface Kept extends Pick<DescribedItem, 'kind' | 'id' | 'name'> {
  reason: string;
}

export interface UndoResult {
  change: Change;
  /** The ids of images that went to the trash, that came back from it, and that have former fields again. */
  removed: string[];
  restored: string[];
  changed: string[];
  /** How many of these have another file. */
  replaced: number;
  /** How many entries were removed, restored or changed. */
  entries: number;
  kept: Kept[];
}
