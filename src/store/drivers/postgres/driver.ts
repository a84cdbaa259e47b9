/**
 * Reads the catalogue in PostgreSQL. The snapshot of shelves is cached until the revision changes, so most calls take one
 * statement or none of their own. A call ends with a statement that shows that its view is current, or starts again.
 */
import { defaultTuning } from '../../../lib/tuning.ts';
import { buildSnapshot, type ShelfSnapshot, type SnapshotRow } from '../../shelves.ts';
import { retryOnChange, VersionedCache } from '../../versions.ts';
import { type Call, type Driver, limitSlices, type SliceSizes, type View } from '../../view.ts';
import { DocumentLoads } from './document-loads.ts';
import type { Servers } from './servers.ts';
import { statements } from './statements.ts';
import { PostgresView } from './view.ts';

/** A slice takes the server about 3 ms, and a round trip takes longer than reading 5000 names. */
const SLICE_SIZES = { images: 10_000, names: 5000, hashes: 5000 };

export class PostgresDriver implements Driver {
  readonly sliceSizes: SliceSizes;
  readonly #servers: Servers;
  readonly #loads: DocumentLoads;
  readonly #snapshot: VersionedCache<ShelfSnapshot>;

  constructor(servers: Servers, tuning = defaultTuning) {
    this.sliceSizes = limitSlices(SLICE_SIZES, tuning);
    this.#servers = servers;
    this.#loads = new DocumentLoads(servers);
    this.#snapshot = new VersionedCache(
      () => this.#readSnapshot(),
      () => servers.revision,
      tuning,
    );
  }

  run<T>(call: (view: View) => Call<T>): Promise<T> {
    return retryOnChange(async () => {
      const view = new PostgresView(this.#servers, this.#loads, await this.#snapshot.get());
      const steps = call(view);
      let step = steps.next();
      while (!step.done) step = steps.next(await step.value);
      await view.confirm();
      return step.value;
    });
  }

  currentVersion(): number {
    return this.#servers.revision;
  }

  /** A commit announced this revision. Reads the snapshot before the next call needs it. */
  onRevision(revision: number): void {
    this.#servers.noteRevision(revision);
    this.#snapshot.get().catch(() => {});
  }

  async #readSnapshot(): Promise<ShelfSnapshot> {
    const { version, rows } = await this.#servers.read(statements.snapshot, []);
    const shelves = rows.map((row) => row.slice(2)) as SnapshotRow[];
    const lastImage = rows[0]?.[1] as number;
    return buildSnapshot({ version, lastImage, documentRevision: version }, shelves);
  }
}
