/** The stored entries and images that the records of a batch may refer to. */

import { isId } from '../../catalogue/names.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { Lookup, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import { type BlockedName, nameKey } from '../../store/contract/decisions.ts';
import { RecordError } from '../records/problems.ts';
import type { EntryLine, ImageLine } from '../records/record.ts';

export class ExistingEntries {
  readonly #byId = new Map<string, SavedEntry>();
  readonly #byName = new Map<string, SavedEntry[]>();
  readonly #byAlias = new Map<string, SavedEntry>();
  readonly #blocked = new Map<string, BlockedName>();
  /** What `matching` returned since the last change: most images mention the same entries. */
  readonly #matches: Record<Kind, Map<string, SavedEntry[]>> = {
    artist: new Map(),
    category: new Map(),
    character: new Map(),
    album: new Map(),
  };
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

function addToGroup<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}
