/** What planning starts from and results in: batches of records, the stored entries and images they may refer to, and the rows to save. Pure. */
import type { Difference } from '../../catalogue/change-log.ts';
import { fold, isId } from '../../catalogue/names.ts';
import { forEachKind, type Kind } from '../../catalogue/schemas.ts';
import type { Lookup, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import { type BlockedName, nameKey, type RemovedFile } from '../../catalogue/writer.ts';
import { RecordError } from '../records/lines.ts';
import type { EntryLine, ImageLine, RecordLine } from '../records/record.ts';

// Batches of records that can be looked up together. Records that may be the same one go into different batches, because
// the later one depends on what the earlier one changed.

const MAX_RECORDS = 1000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Two records of a kind with the same name identity may be the same record. */
export const nameIdentity = (kind: Kind, name: string): string => `${kind} ${fold(name)}`;

/** Everything that may identify an entry. */
export function entryIdentities(record: EntryLine): string[] {
  const names = [record.name, ...(record.aliases ?? [])].map((name) => nameIdentity(record.type, name));
  return record.id === undefined ? names : [...names, record.id];
}

/** Collects records of one type, up to a maximum number and size. */
export class Batch<T extends { size: number; record: { type: string } }> {
  readonly items: T[] = [];
  #bytes = 0;

  /** Whether the item has to wait for the next batch. */
  isFullFor(item: T): boolean {
    const [first] = this.items;
    if (!first) return false;
    const isFull = this.items.length === MAX_RECORDS || this.#bytes + item.size > MAX_BYTES;
    return isFull || first.record.type !== item.record.type;
  }

  add(item: T): void {
    this.items.push(item);
    this.#bytes += item.size;
  }

  /** Returns the collected items and empties the batch. */
  take(): T[] {
    this.#bytes = 0;
    return this.items.splice(0);
  }
}

/**
 * Passes the items to `process` in order, in batches without repeated identities. `process` returns how many items it
 * finished. If it stopped early, the next batch is smaller: otherwise a file full of dependent records would be looked up
 * over and over.
 */
export async function processInBatches<T>(
  items: T[],
  identitiesOf: (item: T) => string[],
  process: (batch: T[]) => Promise<number>,
): Promise<void> {
  for (const piece of splitAtRepeats(items, identitiesOf)) {
    let size = piece.length;
    for (let start = 0; start < piece.length; ) {
      const batch = piece.slice(start, start + size);
      const done = await process(batch);
      size = 2 * (done < batch.length ? Math.max(1, done) : size);
      start += done;
    }
  }
}

/** Starts a new piece at each item that repeats an identity of the current one. */
function* splitAtRepeats<T>(items: T[], identitiesOf: (item: T) => string[]): Generator<T[], void> {
  let piece: T[] = [];
  let seen = new Set<string>();
  for (const item of items) {
    const identities = identitiesOf(item);
    if (identities.some((identity) => seen.has(identity))) {
      yield piece;
      piece = [];
      seen = new Set();
    }
    piece.push(item);
    for (const identity of identities) seen.add(identity);
  }
  if (piece.length > 0) yield piece;
}

// The stored entries and images that the records of a batch may refer to.

export class ExistingEntries {
  readonly #byId = new Map<string, SavedEntry>();
  readonly #byName = new Map<string, SavedEntry[]>();
  readonly #byAlias = new Map<string, SavedEntry>();
  readonly #blocked = new Map<string, BlockedName>();
  /** What `matching` returned since the last change: most images mention the same entries. */
  readonly #matches = forEachKind(() => new Map<string, SavedEntry[]>());
  /** The images that albums name or have. */
  readonly images = new Set<string>();
  readonly trashedImages = new Set<string>();

  #length = 0;

  /** The length of all their documents. */
  get length(): number {
    return this.#length;
  }

  add(entries: SavedEntry[]): void {
    for (const entry of entries) {
      const { kind, id, name, aliases } = entry;
      if (this.#byId.has(`${kind} ${id}`)) continue;
      for (const matches of Object.values(this.#matches)) matches.clear();
      this.#length += entry.document.length;
      this.#byId.set(`${kind} ${id}`, entry);
      addToGroup(this.#byName, `${kind} ${nameKey(kind, name)}`, entry);
      for (const alias of aliases) this.#byAlias.set(`${kind} ${nameKey(kind, alias)}`, entry);
    }
  }

  addBlocked(names: BlockedName[]): void {
    for (const block of names) this.#blocked.set(`${block.kind} ${nameKey(block.kind, block.name)}`, block);
  }

  addImages({ images, trashed }: Awaited<ReturnType<Lookup['findImageIds']>>): void {
    for (const id of images) this.images.add(id);
    for (const id of trashed) this.trashedImages.add(id);
  }

  withId(kind: Kind, id: string): SavedEntry | undefined {
    return this.#byId.get(`${kind} ${id}`);
  }

  withName(kind: Kind, name: string): SavedEntry[] {
    return this.#byName.get(`${kind} ${nameKey(kind, name)}`) ?? [];
  }

  withAlias(kind: Kind, name: string): SavedEntry | undefined {
    return this.#byAlias.get(`${kind} ${nameKey(kind, name)}`);
  }

  blockOf(kind: Kind, name: string): BlockedName | undefined {
    return this.#blocked.get(`${kind} ${nameKey(kind, name)}`);
  }

  /** Those that a reference may mean: the entry with this id, or those with this name, or else the one with this alias. */
  matching(kind: Kind, reference: string): SavedEntry[] {
    const known = this.#matches[kind].get(reference);
    if (known) return known;
    const name = isId(reference) ? reference.toLowerCase() : reference;
    const found = isId(reference) ? [this.withId(kind, name)] : this.withName(kind, name);
    const matches = (found[0] ? found : [this.withAlias(kind, name)]).filter((entry) => !!entry);
    this.#matches[kind].set(reference, matches);
    return matches;
  }

  /** The entry that an image refers to. */
  resolve(kind: Kind, reference: string): SavedEntry {
    const found = this.matching(kind, reference);
    if (found.length > 1)
      throw new RecordError(`${found.length} ${kind}s are called "${reference}"; refer to one by its id`);
    if (!found[0]) throw new RecordError(`there is no ${kind} "${reference}"; define it on an earlier line`);
    return found[0];
  }
}

/** What an entry record is looked up by. */
export function referencesOf({ id, name }: Pick<EntryLine, 'id' | 'name'>): string[] {
  return id === undefined ? [name] : [id, name];
}

export class ExistingImages {
  readonly #byId = new Map<string, SavedImage>();
  readonly #byETag = new Map<string, SavedImage[]>();

  constructor(byId: SavedImage[], byETag: SavedImage[]) {
    for (const row of byId) this.#byId.set(row.id, row);
    for (const row of byETag) addToGroup(this.#byETag, row.eTag, row);
  }

  /** Those that a record may mean: an image is identified by its id or, without one, by its bytes. */
  matching({ id }: ImageLine, hashes: string[]): SavedImage[] {
    if (id === undefined) return hashes.flatMap((hash) => this.#byETag.get(hash) ?? []);
    const image = this.#byId.get(id);
    return image ? [image] : [];
  }

  find(record: ImageLine, hashes: string[]): SavedImage | undefined {
    const found = this.matching(record, hashes);
    if (found.length > 1)
      throw new RecordError(`${found.length} images have these bytes; add the "id" of one of them`);
    return found[0];
  }

  /** Like `find`, but undefined if it is not certain which image it is. */
  findCertain(record: ImageLine, hashes: string[]): SavedImage | undefined {
    const found = this.matching(record, hashes);
    return found.length === 1 ? found[0] : undefined;
  }
}

export function addToGroup<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

// The result of planning a record: a row to save, or nothing to do. Pure.

export type Outcome<Row> =
  | { outcome: 'added'; row: Row }
  /** `formerIdentities` identified the record before the update. */
  | { outcome: 'updated'; row: Row; formerIdentities: string[] }
  | { outcome: 'unchanged' };

/** The id and creation time of new records that do not give their own. */
export interface NewRecordDefaults {
  now: string;
  newId: () => string;
}

// What an import tells those who report it.

/** What becomes of pictures, and of names that they mention. */
export type NoteKind =
  /** Not read again: it did not change, or an operator removed it. */
  | 'unread'
  /** Not read again, because an earlier attempt of the import had read it. */
  | 'continued'
  /** Has a location, which was removed or kept. */
  | 'location'
  /** Got this rating by default, because nothing says how explicit it is. */
  | 'unrated'
  /** An image has a safer rating than before. */
  | 'lowered'
  /** Rated as explicit, because this marker is not understood. */
  | 'marker'
  /** New, and rated at least as strictly as the one whose place it takes. */
  | 'as-former'
  /** Skipped, because it has the same bytes as this earlier one. */
  | 'duplicate'
  /** Skipped, because it is private. */
  | 'hidden'
  /** Skipped, because it is a thumbnail of this one. */
  | 'thumbnail'
  /** Skipped, because an operator removed it. */
  | 'removed'
  /** Skipped, because an operator took down all pictures of this artist or character. */
  | 'taken-down'
  /** A name was left out, because an operator blocked it. */
  | 'blocked'
  /** The album of a folder was not made, or lacks images. */
  | 'album';

/** Receives the outcome of each record. */
export interface ImportListener {
  /** `differences` are those of an update. */
  record(record: RecordLine, outcome: 'added' | 'updated' | 'unchanged', differences?: Difference[]): void;
  /** A file of a folder was not read again, because it did not change. */
  unchanged(path: string): void;
  /** `label` names the picture or album; `about` says the rest. */
  note(kind: NoteKind, label: string, about?: string): void;
}

export function describeRemoved({ image, removedAt, reason }: RemovedFile): string {
  return `image ${image}, removed on ${removedAt.slice(0, 10)}${reason && ` (${reason})`}`;
}
