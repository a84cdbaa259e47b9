/**
 * Fills the document cache in the background, newest images first, and follows the changes of imports. It has its own
 * connection and works in short slices, so it may run on a thread that serves requests.
 *
 * The cache has the documents of one revision. After a commit, those that changed are removed, and the rest belongs to the
 * new revision. A revision that does not follow the cache's shows that the database was replaced.
 */
import { DocumentCacheWriter } from './document-cache/filler.ts';
import { type Call, type DocumentChanges, type Driver, get, type View } from './view.ts';

/** Takes about half a millisecond. */
const DOCUMENTS_PER_SLICE = 40;
const CHANGES_PER_SLICE = 1000;
/** Images that are cached already. */
const SKIPPED_PER_SLICE = 100_000;
/** Between slices. Timers run at most once per turn of the event loop, however many requests it handles. */
const PAUSE_MS = 1;

export class DocumentFiller implements Disposable {
  readonly #driver: Driver;
  readonly #cache: DocumentCacheWriter;
  readonly #documentsPerSlice: number;
  #version: number | undefined;
  /** The highest image number that has not been looked at since the catalogue changed. */
  #next = 0;
  /** How far the changes since the cache's revision were followed, if there were too many for one slice. */
  #followed: DocumentChanges['next'];
  #isClosing = false;
  #isWoken = false;
  #endPause = () => {};

  constructor(driver: Driver, memory: ArrayBufferLike, documentsPerSlice = DOCUMENTS_PER_SLICE) {
    this.#driver = driver;
    this.#cache = new DocumentCacheWriter(memory);
    this.#documentsPerSlice = documentsPerSlice;
  }

  /** Fills the cache until the filler is disposed of. Looks for changes at least this often. */
  async run(pollMs: number): Promise<void> {
    while (!this.#isClosing) {
      // Requests report a damaged file, or a database that is unavailable.
      const isDone = await this.runSlice().catch(() => true);
      await this.#pause(isDone ? pollMs : PAUSE_MS);
    }
  }

  /** Makes the filler look for changes now. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Returns whether the cache is as full as it gets until the catalogue changes. */
  runSlice(): Promise<boolean> {
    return this.#driver.run((view) => this.#runOn(view));
  }

  [Symbol.dispose](): void {
    this.#isClosing = true;
    this.#endPause();
  }

  async #pause(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, milliseconds).unref();
    if (this.#isClosing || this.#isWoken) resolve();
    await promise;
    this.#isWoken = false;
    clearTimeout(timer);
  }

  *#runOn(view: View): Call<boolean> {
    if (view.snapshot.version !== this.#version) {
      yield* this.#follow(view);
      return false;
    }
    const { images, next } = this.#findMissing();
    const documents = yield* get(view.wholeDocuments(images));
    const hasRoom = documents.every(([image, document]) => this.#cache.add(image, document));
    if (hasRoom) this.#next = next;
    else if (this.#cache.isWasteful) this.#startOver(view);
    else this.#next = 0;
    return this.#next === 0;
  }

  /** Removes some documents that changed. After the last of them, the cache has those of the view. */
  *#follow(view: View): Call<void> {
    const { revision } = this.#cache;
    if (revision === undefined || !this.#cache.hasAddressesUpTo(view.snapshot.lastImage))
      return this.#startOver(view);
    const changes = yield* get(view.documentChanges(revision, this.#followed, CHANGES_PER_SLICE));
    if (!changes.isSuccessor) return this.#startOver(view);
    this.#followed = changes.next;
    if (changes.next) return this.#cache.remove(changes.images, revision, false);
    this.#cache.remove(changes.images, view.snapshot.documentRevision, true);
    this.#startAt(view);
  }

  #startOver({ snapshot }: View): void {
    this.#cache.reset(snapshot.lastImage, snapshot.documentRevision);
    this.#startAt({ snapshot });
  }

  #startAt({ snapshot }: Pick<View, 'snapshot'>): void {
    this.#followed = undefined;
    this.#version = snapshot.version;
    this.#next = snapshot.lastImage;
  }

  /** The numbers of the next images that are not cached, and where to continue. */
  #findMissing(): { images: number[]; next: number } {
    const images: number[] = [];
    let [next, skipped] = [this.#next, 0];
    for (; next > 0 && images.length < this.#documentsPerSlice && skipped < SKIPPED_PER_SLICE; next--) {
      if (this.#cache.has(next)) skipped++;
      else images.push(next);
    }
    return { images, next };
  }
}
