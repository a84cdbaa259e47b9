/** What a transaction changed, so that it can be undone. */

import { entryVersion, type ImageState, stateOf, versionOf } from '../catalogue/documents/edit-image.ts';
import type { Kind } from '../catalogue/types.ts';
import type { WriterObserver } from '../import/apply/observe-writer.ts';
import type { BlockedName, RemovedFile } from '../store/contract/decisions.ts';
import { nameKey } from '../store/contract/decisions.ts';
import type { Entry, ImageRow, SavedEntry, SavedImage } from '../store/contract/writer.ts';

export interface EntryChange {
  kind: Kind;
  id: string;
  /** Undefined if it was created. */
  before: SavedEntry | undefined;
  /** Its version; undefined if it was removed. */
  after: string | undefined;
}

/** What was before, and the versions after. */
export class ChangeRecord implements WriterObserver {
  readonly images = new Map<string, { before: ImageState; after: string }>();
  readonly removedImages: ImageRow[] = [];
  /** The former rows of images that got another file. */
  readonly replaced = new Map<string, SavedImage>();
  readonly entries = new Map<string, EntryChange>();
  readonly blockedNames = new Map<string, { kind: Kind; name: string; before: BlockedName | undefined }>();
  readonly removedFiles = new Map<string, RemovedFile | undefined>();
  /** Many images have the same lists. */
  readonly #lists = new Map<string, string[]>();

  get isEmpty(): boolean {
    const sizes = [this.images, this.entries, this.blockedNames, this.removedFiles].map(({ size }) => size);
    return this.removedImages.length + sizes.reduce((sum, size) => sum + size) === 0;
  }

  /** Pictures are added by imports, which have a record of their own. */
  imagesAdded(): void {}

  imageChanged(row: SavedImage, changed: ImageRow): void {
    const before = stateOf(row);
    if (row.key !== changed.key && !this.replaced.has(row.id)) this.replaced.set(row.id, row);
    const after = versionOf(stateOf(changed));
    const earlier = this.images.get(row.id);
    const categories = this.#share(before.categories);
    const characters = this.#share(before.characters);
    this.images.set(row.id, { before: earlier?.before ?? { ...before, categories, characters }, after });
  }

  imagesRemoved(rows: ImageRow[]): void {
    this.removedImages.push(...rows);
  }

  entryChanged(before: SavedEntry | undefined, changed: Entry | undefined): void {
    const { kind, id } = (changed ?? before) as Entry;
    const key = `${kind} ${id}`;
    const earlier = this.entries.get(key);
    const after = changed && entryVersion(changed);
    this.entries.set(key, { kind, id, before: earlier ? earlier.before : before, after });
  }

  nameChanged({ kind, name }: Pick<BlockedName, 'kind' | 'name'>, before?: BlockedName): void {
    const key = `${kind} ${nameKey(kind, name)}`;
    if (!this.blockedNames.has(key)) this.blockedNames.set(key, { kind, name, before });
  }

  removedFileChanged(hash: string, before?: RemovedFile): void {
    if (!this.removedFiles.has(hash)) this.removedFiles.set(hash, before);
  }

  #share(list: string[]): string[] {
    const key = list.join();
    const shared = this.#lists.get(key) ?? list;
    this.#lists.set(key, shared);
    return shared;
  }
}
