/**
 * Fills the document cache in the background, newest images first, and follows the changes of imports. It has its own
 * connection, and works in short slices, so it may run on a thread that serves requests.
 *
 * The cache has the documents of one revision. After a commit, those that changed are removed, and the rest belongs to the
 * new revision. A revision that is not a successor of the cache's shows that the database was replaced.
 */
import { DocumentCacheWriter } from '../shared/document-cache-writer.ts';
import { listen } from './notifications.ts';
import { Servers, type ServersOptions } from './servers.ts';
import { statements } from './statements.ts';

const DOCUMENTS_PER_SLICE = 50;
const CHANGES_PER_STATEMENT = 5000;
/** Images that are cached already. */
const SKIPPED_PER_SLICE = 100_000;
/** Between slices. Timers run at most once per turn of the event loop, however many requests it handles. */
const PAUSE_MS = 1;
/** How often to look for changes whose notification was lost. */
const POLL_MS = 1000;
const MAX_INT = 2 ** 31 - 1;

export class DocumentFiller implements AsyncDisposable {
  readonly #url: string;
  readonly #servers: Servers;
  readonly #cache: DocumentCacheWriter;
  readonly #documentsPerSlice: number;
  /** The highest image number that has not been looked at since the catalogue changed. */
  #next = 0;
  #isClosing = false;
  #wake = () => {};
  #listening: { close(): Promise<void> } | undefined;

  constructor(options: ServersOptions, memory: ArrayBufferLike, documentsPerSlice = DOCUMENTS_PER_SLICE) {
    this.#url = options.url;
    this.#servers = new Servers({ ...options, connections: 1 });
    this.#cache = new DocumentCacheWriter(memory);
    this.#documentsPerSlice = documentsPerSlice;
  }

  /** Fills the cache until the filler is disposed of. */
  start(): void {
    this.#listening = listen({
      url: this.#url,
      onRevision: (revision) => {
        this.#servers.noteRevision(revision);
        this.#wake();
      },
    });
    void this.#run();
  }

  /** Returns whether the cache is as full as it gets until the catalogue changes. */
  async runSlice(): Promise<boolean> {
    const { numbers, next } = this.#findMissing();
    const { version, rows } = await this.#servers.read(statements.documents, [numbers]);
    if (version !== this.#cache.revision) await this.#followChanges();
    else this.#next = this.#addDocuments(rows as [number, number | null, string][]) ? next : 0;
    // A commit that was announced meanwhile has not been followed yet.
    return this.#next === 0 && this.#servers.revision === this.#cache.revision;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    await Promise.all([this.#listening?.close(), this.#servers.close()]);
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      // Requests report a database that is unavailable.
      const isDone = await this.runSlice().catch(() => true);
      await this.#pause(isDone ? POLL_MS : PAUSE_MS);
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isClosing) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, milliseconds).unref();
    await promise;
    clearTimeout(timer);
  }

  /** The numbers of the next images that are not cached, and where to continue. */
  #findMissing(): { numbers: number[]; next: number } {
    const numbers: number[] = [];
    let [next, skipped] = [this.#next, 0];
    for (; next > 0 && numbers.length < this.#documentsPerSlice && skipped < SKIPPED_PER_SLICE; next--) {
      if (this.#cache.has(next)) skipped++;
      else numbers.push(next);
    }
    return { numbers, next };
  }

  /** Returns whether there was room. */
  #addDocuments(rows: [number, number | null, string][]): boolean {
    const hasRoom = rows.every(([, image, document]) => image === null || this.#cache.add(image, document));
    // Makes the next slice empty the cache.
    if (!hasRoom && this.#cache.isWasteful) this.#cache.revision = undefined;
    return hasRoom;
  }

  /** Makes the documents in the cache those of the current revision. */
  async #followChanges(): Promise<void> {
    const { revision = 0 } = this.#cache;
    const changed: number[] = [];
    let version: number | undefined;
    for (let last = [revision, MAX_INT]; ; ) {
      const read = await this.#servers.read(statements.changedDocuments, [
        ...[revision, ...last],
        CHANGES_PER_STATEMENT,
      ]);
      version ??= read.version;
      if (version !== read.version) return;
      const [, lastImage, isSuccessor] = read.rows[0] as [number, number, boolean];
      this.#next = lastImage;
      if (!isSuccessor || !this.#cache.hasAddressesUpTo(lastImage))
        return this.#cache.reset(lastImage, version);
      const changes = read.rows.map((row) => row.slice(3) as [number, number | null]);
      for (const [, image] of changes) if (image !== null) changed.push(image);
      if (changes.length < CHANGES_PER_STATEMENT) break;
      last = changes.at(-1) as number[];
    }
    this.#cache.remove(changed, version, true);
  }
}
