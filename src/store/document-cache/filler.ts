/**
 * Fills the document cache in the background, newest images first, and follows the changes of imports. It has its own
 * connection and works in short slices, so it may run on a thread that serves requests.
 *
 * The cache has the documents of one revision. After a commit, those that changed are removed, and the rest belongs to the
 * new revision. A revision that does not follow the cache's shows that the database was replaced.
 */

import { locateLists, PLACEHOLDER } from '../../catalogue/documents/document.ts';
import { locatePlaceholders, type Placeholders } from '../../catalogue/documents/image-document.ts';
import type { Document } from '../../catalogue/schemas.ts';
import { type ByteString, toByteString } from '../../lib/byte-string.ts';
import { type Call, type DocumentChanges, type Driver, get, type View } from '../view.ts';
import { CacheMemory, DOCUMENT_WORDS, MAX_DOCUMENT_LENGTH, type Shared, TEXT_WORDS } from './cache.ts';

// Fills the document cache. Only one thread may write to the same memory.

/** How much of the memory addresses may take. */
const MAX_ADDRESS_PART = 1 / 2;
/** How much of the memory texts that images share may take. */
const MAX_SHARED_PART = 1 / 4;
/** Room for the addresses of images that imports will add. */
const SPARE_IMAGES = 100_000;
/** What documents that changed left behind is reclaimed when it is more than this part of the memory. */
const MAX_GARBAGE_PART = 1 / 4;

export class DocumentCacheWriter {
  readonly #memory: CacheMemory;
  /** The numbers of shared texts. */
  readonly #shared = new Map<string, number>();
  #sharedWords = 0;
  #garbageWords = 0;
  /** The number of the last change that the cache has followed; undefined until the first `reset`. */
  revision: number | undefined;

  constructor(memory: ArrayBufferLike) {
    this.#memory = new CacheMemory(memory);
    this.#memory.close();
  }

  /** The highest image number that has room for its address, since the last `reset`. */
  get maxImage(): number {
    return this.#memory.maxImage;
  }

  /** Whether emptying the cache would not make room for the addresses of more images. */
  hasAddressesUpTo(lastImage: number): boolean {
    return Math.min(lastImage, this.#maxAddresses) <= this.maxImage;
  }

  /** Whether emptying the cache would make much room. */
  get isWasteful(): boolean {
    return this.#garbageWords > this.#memory.size * MAX_GARBAGE_PART;
  }

  /** Empties the cache for image numbers up to `lastImage` and somewhat more. */
  reset(lastImage: number, revision: number): void {
    this.#memory.close();
    this.#memory.clear(Math.min(Math.ceil(lastImage * 1.1) + SPARE_IMAGES, this.#maxAddresses));
    this.#shared.clear();
    [this.#sharedWords, this.#garbageWords] = [0, 0];
    this.#open(revision);
  }

  /** Removes documents that changed. The cache returns nothing until the last change is followed. */
  remove(images: number[], revision: number, isLast: boolean): void {
    this.#memory.close();
    for (const image of images) if (this.has(image)) this.#remove(image);
    this.revision = revision;
    if (isLast) this.#open(revision);
  }

  has(image: number): boolean {
    return this.#memory.address(image) !== 0;
  }

  /** Returns whether there was room. */
  add(image: number, document: Document): boolean {
    const bytes = toByteString(document);
    // Images that it cannot hold must not keep it from caching others.
    if (image > this.maxImage || bytes.length > MAX_DOCUMENT_LENGTH) return true;
    // Shared texts are a part of the document's length, and have a word each before them.
    const maxBytes = (DOCUMENT_WORDS + 6 * TEXT_WORDS) * 4 + bytes.length;
    if (this.#memory.used + Math.ceil(maxBytes / 4) > this.#memory.endFor(this.maxImage)) return false;
    this.#memory.setAddress(image, this.#addShared(bytes));
    this.#memory.count++;
    return true;
  }

  /** Stores the lists and the artist apart, or the document whole if there is no room left for shared texts. */
  #addShared(document: ByteString): number {
    const placeholders = locatePlaceholders(document);
    const { end, expires } = placeholders;
    const lists = locateLists(document);
    const [artistDetails = '', ...others] = document.slice(end + 1).split(PLACEHOLDER);
    const categories = this.#share(document.slice(lists.start, lists.middle));
    const characters = this.#share(document.slice(lists.middle, lists.end));
    const artist = this.#share(artistDetails);
    if (categories === 0 || characters === 0 || artist === 0) return this.#append(document, placeholders);
    const json = document.slice(0, lists.start) + document.slice(lists.end, end);
    return this.#append(
      [json, ...others].join(PLACEHOLDER),
      // What follows the lists moves to their place.
      { ...placeholders, expires: expires - (lists.end - lists.start), end: json.length },
      { position: lists.start, categories, characters, artist },
    );
  }

  /** The same number for equal texts; 0 if the shared texts have used up their memory. */
  #share(text: ByteString): number {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const number = this.#shared.size + 1;
    const memory = this.#memory;
    if (!memory.hasTextAddress(number) || this.#sharedWords > memory.size * MAX_SHARED_PART) return 0;
    const address = memory.used;
    memory.used = memory.writeText(address, text);
    memory.setTextAddress(number, address);
    this.#sharedWords += memory.used - address;
    // A slice would keep the whole document in memory; a joined string does not.
    this.#shared.set([text, ''].join(''), number);
    return number;
  }

  #append(text: ByteString, placeholders: Placeholders, shared?: Shared): number {
    const address = this.#memory.used;
    this.#memory.used = this.#memory.writeDocument(address, text, placeholders, shared);
    return address;
  }

  #remove(image: number): void {
    const length = this.#memory.lengthAt(this.#memory.address(image));
    this.#garbageWords += DOCUMENT_WORDS + Math.ceil(length / 4);
    this.#memory.setAddress(image, 0);
    this.#memory.count--;
  }

  get #maxAddresses(): number {
    return Math.floor(this.#memory.size * MAX_ADDRESS_PART);
  }

  #open(revision: number): void {
    this.revision = revision;
    this.#memory.revision = revision;
    this.#memory.open();
  }
}

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
