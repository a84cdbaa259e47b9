/** The stored entries and images that the records of a batch may refer to. */
import { fold } from '../../catalogue/fold.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import { RecordError } from '../problems.ts';
import { type EntryLine, type ImageLine, isId } from '../record.ts';

export class ExistingEntries {
  readonly #entries = new Map<string, SavedEntry[]>();

  add(entries: SavedEntry[]): void {
    for (const entry of entries) {
      if (this.#find(entry.kind, entry.id).length > 0) continue;
      for (const key of [entry.id, nameKey(entry.kind, entry.name)])
        addToGroup(this.#entries, `${entry.kind} ${key}`, entry);
    }
  }

  /** The entries with the id or the name of a record. */
  matching(record: EntryLine): SavedEntry[] {
    const byId = record.id === undefined ? [] : this.#find(record.type, record.id);
    return [...new Set([...byId, ...this.#find(record.type, nameKey(record.type, record.name))])];
  }

  /** The entry that an image refers to by id or name. */
  resolve(kind: Kind, reference: string): SavedEntry {
    const found = this.#find(kind, isId(reference) ? reference.toLowerCase() : nameKey(kind, reference));
    if (found.length > 1)
      throw new RecordError(`${found.length} ${kind}s are called "${reference}"; refer to one by its id`);
    if (!found[0]) throw new RecordError(`there is no ${kind} "${reference}"; define it on an earlier line`);
    return found[0];
  }

  #find(kind: Kind, key: string): SavedEntry[] {
    return this.#entries.get(`${kind} ${key}`) ?? [];
  }
}

const nameKey = (kind: Kind, name: string) => (kind === 'category' ? fold(name) : name);

export class ExistingImages {
  readonly #byId = new Map<string, SavedImage>();
  readonly #byETag = new Map<string, SavedImage[]>();

  constructor(byId: SavedImage[], byETag: SavedImage[]) {
    for (const row of byId) this.#byId.set(row.id, row);
    for (const row of byETag) addToGroup(this.#byETag, row.eTag, row);
  }

  /** An image is identified by its id or, without one, by its bytes. */
  find(record: ImageLine, hashes: string[]): SavedImage | undefined {
    const same = this.#matching(record, hashes);
    if (same.length > 1)
      throw new RecordError(`${same.length} images have these bytes; add the "id" of one of them`);
    return same[0];
  }

  /** Like `find`, but undefined if it is not certain which image it is. */
  findCertain(record: ImageLine, hashes: string[]): SavedImage | undefined {
    const same = this.#matching(record, hashes);
    return same.length === 1 ? same[0] : undefined;
  }

  #matching({ id }: ImageLine, hashes: string[]): SavedImage[] {
    if (id === undefined) return hashes.flatMap((hash) => this.#byETag.get(hash) ?? []);
    const found = this.#byId.get(id);
    return found ? [found] : [];
  }
}

function addToGroup<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}
