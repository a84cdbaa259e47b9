/**
 * Reads what plans are made of: the snapshot of shelves, cached until the revision changes, and the shelves of artists and
 * characters. Every result carries its revision, so that a plan never mixes two.
 */
import type { Filter, FilterProblem } from '../../catalogue/catalogue.ts';
import type { Kind } from '../../catalogue/types.ts';
import { defaultTuning } from '../../tuning.ts';
import { type EntryShelves, entryKinds, type Selection, selectShelves } from '../shared/selection.ts';
import {
  buildSnapshot,
  SHELF_COLUMNS,
  type ShelfRow,
  type ShelfSnapshot,
  SNAPSHOT_KINDS,
} from '../shared/shelves.ts';
import type { HashSlice, Slice, SliceReader } from '../shared/slices.ts';
import { VersionedCache } from '../shared/versions.ts';
import type { Servers, Statement } from './servers.ts';
import { statements } from './statements.ts';

const snapshotStatement: Statement = {
  name: 'snapshot',
  text: `select revision.number, (select coalesce(max(number), 0) from image), ${SHELF_COLUMNS}
         from revision left join shelf on kind in ${SNAPSHOT_KINDS}`,
};

export class PostgresReader implements SliceReader {
  /** Takes the server about 3 ms, and this process a third of that. */
  readonly imagesPerSlice: number;
  /** A round trip takes longer than reading this many. */
  readonly namesPerSlice: number;
  readonly hashesPerSlice: number;
  readonly #servers: Servers;
  readonly #snapshot: VersionedCache<ShelfSnapshot>;

  constructor(servers: Servers, tuning = defaultTuning) {
    this.imagesPerSlice = Math.min(10_000, tuning.maxItemsPerSlice);
    this.namesPerSlice = Math.min(5000, tuning.maxItemsPerSlice);
    this.hashesPerSlice = Math.min(5000, tuning.maxItemsPerSlice);
    this.#servers = servers;
    this.#snapshot = new VersionedCache(
      () => this.#readSnapshot(),
      () => servers.revision,
      tuning,
    );
  }

  /** Reads the snapshot before the next request needs it. */
  async refresh(): Promise<void> {
    await this.#snapshot.get();
  }

  /** Undefined if the catalogue changed meanwhile. */
  async select(filter: Filter): Promise<Selection | FilterProblem | undefined> {
    const snapshot = await this.#snapshot.get();
    const entries = await this.#readEntryShelves(filter, snapshot.version);
    const selection = entries && selectShelves(snapshot, filter, entries);
    // A name that the cached snapshot lacks may belong to an import that was committed just now.
    if (selection && 'problem' in selection && !(await this.#isCurrent(snapshot))) return undefined;
    return selection;
  }

  /** The number of an image and a selection of the same version. Undefined if the catalogue changed meanwhile. */
  async selectFor(
    id: string,
    filter: Filter,
  ): Promise<{ image: number; selection: Selection } | FilterProblem | undefined> {
    const { version, rows } = await this.#servers.read(statements.imageNumber, [id]);
    const image = rows[0]?.[1] as number | null;
    if (image === null) return { problem: 'image' };
    const selection = await this.select(filter);
    if (!selection || 'problem' in selection) return selection;
    return selection.of.version === version ? { image, selection } : undefined;
  }

  readShelf(shelf: number, from: number, to: number): Promise<Slice<number>> {
    return this.#readSlice(statements.shelfImages, [shelf, from, to]);
  }

  readNames(kind: Kind, from: number, to: number): Promise<Slice<string>> {
    return this.#readSlice(statements.names, [kind, from, to]);
  }

  async readHashes(above: number): Promise<HashSlice> {
    const { version, rows } = await this.#servers.read(statements.hashes, [above, this.hashesPerSlice]);
    const found = rows.filter(([, image]) => image !== null);
    return { version, items: found.map(([, image, hash]) => [image as number, hash as string]) };
  }

  currentVersion(): number {
    return this.#servers.revision;
  }

  async #readSnapshot(): Promise<ShelfSnapshot> {
    const { version, rows } = await this.#servers.read(snapshotStatement, []);
    const shelves = rows.map(([, , ...shelf]) => shelf) as ShelfRow[];
    return buildSnapshot(version, rows[0]?.[1] as number, shelves);
  }

  async #isCurrent({ version }: ShelfSnapshot): Promise<boolean> {
    return (await this.#servers.read(statements.revision, [])).version === version;
  }

  /** Undefined if they belong to another version. */
  async #readEntryShelves(filter: Filter, version: number): Promise<EntryShelves | undefined> {
    const shelves: EntryShelves = {};
    for (const kind of entryKinds) {
      if (filter[kind] === undefined) continue;
      const read = await this.#servers.read(statements.shelf, [kind, filter[kind]]);
      if (read.version !== version) return undefined;
      const [, number, size] = read.rows[0] as [number, number | null, number];
      shelves[kind] = number === null ? undefined : { number, size };
    }
    return shelves;
  }

  /** The items are an array in the second column. */
  async #readSlice<T>(statement: Statement, values: unknown[]): Promise<Slice<T>> {
    const { version, rows } = await this.#servers.read(statement, values);
    return { version, items: rows[0]?.[1] as T[] };
  }
}
