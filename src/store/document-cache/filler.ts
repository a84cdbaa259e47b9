/**
 * Fills the document cache in the background, newest images first, and follows the changes of imports. It has its own
 * connection and works in short slices, so it may run on a thread that serves requests.
 *
 * The cache has the documents of one revision. After a commit, those that changed are removed, and the rest belongs to the
 * new revision. A revision that does not follow the cache's shows that the database was replaced.
 */
import { locateLists, PLACEHOLDER } from '../../catalogue/documents/document.ts';
import {
  type ByteString,
  locatePlaceholders,
  toByteString,
} from '../../catalogue/documents/image-document.ts';
import type { Document } from '../../catalogue/schemas.ts';
import { type Call, type DocumentChanges, type Driver, get, type View } from '../view.ts';
import {
  addressIndex,
  COUNT,
  DOCUMENT_WORDS,
  EPOCH,
  firstAddress,
  GENERATION,
  isOpen,
  MAX_DOCUMENT_LENGTH,
  MAX_IMAGE,
  REVISION,
  REVISION_HIGH,
  TEXT_ADDRESSES,
  TEXT_WORDS,
  USED_WORDS,
} from './cache.ts';

// Fills the document cache. Only one thread may write to the same memory.

/** Of the memory, for addresses. */
const MAX_ADDRESS_PART = 1 / 2;
/** Of the memory, for texts that images share. */
const MAX_SHARED_PART = 1 / 4;
/** Room for the addresses of images that imports will add. */
const SPARE_IMAGES = 100_000;
/** What documents that changed left behind is reclaimed when it is more than this part of the memory. */
const MAX_GARBAGE_PART = 1 / 4;

export class DocumentCacheWriter {
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;
  /** The numbers of shared texts. */
  readonly #shared = new Map<string, number>();
  #sharedWords = 0;
  #garbageWords = 0;
  #usedWords = 0;
  /** The number of the last change that the cache has followed; undefined until the first `reset`. */
  revision: number | undefined;

  constructor(memory: ArrayBufferLike) {
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
    this.#close();
  }

  /** The highest image number that has room for its address, since the last `reset`. */
  get maxImage(): number {
    return this.#words[MAX_IMAGE] as number;
  }

  /** Whether emptying the cache would not make room for the addresses of more images. */
  hasAddressesUpTo(lastImage: number): boolean {
    return Math.min(lastImage, this.#maxAddresses) <= this.maxImage;
  }

  /** Whether emptying the cache would make much room. */
  get isWasteful(): boolean {
    return this.#garbageWords > this.#words.length * MAX_GARBAGE_PART;
  }

  /** Empties the cache for image numbers up to `lastImage` and somewhat more. */
  reset(lastImage: number, revision: number): void {
    this.#close();
    const words = this.#words;
    const maxImage = Math.min(Math.ceil(lastImage * 1.1) + SPARE_IMAGES, this.#maxAddresses);
    words.fill(0, addressIndex(words, maxImage));
    (words[GENERATION] as number)++;
    words[MAX_IMAGE] = maxImage;
    words[COUNT] = 0;
    this.#shared.clear();
    [this.#sharedWords, this.#garbageWords] = [0, 0];
    this.#use(firstAddress(words));
    this.#open(revision);
  }

  /** Removes documents that changed. The cache returns nothing until the last change is followed. */
  remove(images: number[], revision: number, isLast: boolean): void {
    this.#close();
    for (const image of images) if (this.has(image)) this.#remove(image);
    this.revision = revision;
    if (isLast) this.#open(revision);
  }

  has(image: number): boolean {
    return image <= this.maxImage && this.#words[addressIndex(this.#words, image)] !== 0;
  }

  /** Returns whether there was room. */
  add(image: number, document: Document): boolean {
    const bytes = toByteString(document);
    // Images that it cannot hold must not keep it from caching others.
    if (image > this.maxImage || bytes.length > MAX_DOCUMENT_LENGTH) return true;
    const end = addressIndex(this.#words, this.maxImage);
    // Shared texts are a part of the document's length, and have a word each before them.
    const maxBytes = (DOCUMENT_WORDS + 6 * TEXT_WORDS) * 4 + bytes.length;
    if (this.#usedWords + Math.ceil(maxBytes / 4) > end) return false;
    const address = this.#addShared(bytes);
    this.#words[addressIndex(this.#words, image)] = address;
    (this.#words[COUNT] as number)++;
    return true;
  }

  /** Stores the lists and the artist apart, or the document whole if there is no room left for shared texts. */
  #addShared(document: ByteString): number {
    const { fileName, key, linkEnd, expires, end } = locatePlaceholders(document);
    const lists = locateLists(document);
    const [artistDetails = '', ...others] = document.slice(end + 1).split(PLACEHOLDER);
    const categories = this.#share(document.slice(lists.start, lists.middle));
    const characters = this.#share(document.slice(lists.middle, lists.end));
    const artist = this.#share(artistDetails);
    if (categories === 0 || characters === 0 || artist === 0)
      return this.#append(document, [
        ...[end, fileName * 2 ** 16 + key, linkEnd * 2 ** 16 + expires, 0, 0, 0],
      ]);
    const json = document.slice(0, lists.start) + document.slice(lists.end, end);
    return this.#append([json, ...others].join(PLACEHOLDER), [
      lists.start * 2 ** 16 + json.length,
      fileName * 2 ** 16 + key,
      linkEnd * 2 ** 16 + expires - (lists.end - lists.start),
      ...[categories, characters, artist],
    ]);
  }

  /** The same number for equal texts; 0 if the shared texts have used up their memory. */
  #share(text: ByteString): number {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const number = this.#shared.size + 1;
    const hasAddress = TEXT_ADDRESSES + number < firstAddress(this.#words);
    if (!hasAddress || this.#sharedWords > this.#words.length * MAX_SHARED_PART) return 0;
    const address = this.#append(text, []);
    this.#words[TEXT_ADDRESSES + number] = address;
    this.#sharedWords += this.#usedWords - address;
    // A slice would keep the whole document in memory; a joined string does not.
    this.#shared.set([text, ''].join(''), number);
    return number;
  }

  #append(text: ByteString, header: number[]): number {
    const address = this.#usedWords;
    const start = address + TEXT_WORDS + header.length;
    this.#bytes.write(text, start * 4, 'latin1');
    this.#words[address] = text.length;
    this.#words.set(header, address + TEXT_WORDS);
    this.#use(start + Math.ceil(text.length / 4));
    return address;
  }

  #remove(image: number): void {
    const index = addressIndex(this.#words, image);
    const length = this.#words[this.#words[index] as number] as number;
    this.#garbageWords += DOCUMENT_WORDS + Math.ceil(length / 4);
    this.#words[index] = 0;
    (this.#words[COUNT] as number)--;
  }

  get #maxAddresses(): number {
    return Math.floor(this.#words.length * MAX_ADDRESS_PART);
  }

  #use(words: number): void {
    this.#usedWords = words;
    Atomics.store(this.#words, USED_WORDS, words);
  }

  #close(): void {
    if (isOpen(Atomics.load(this.#words, EPOCH))) Atomics.add(this.#words, EPOCH, 1);
  }

  #open(revision: number): void {
    this.revision = revision;
    this.#words[REVISION] = revision;
    this.#words[REVISION_HIGH] = Math.floor(revision / 2 ** 32);
    if (!isOpen(Atomics.load(this.#words, EPOCH))) Atomics.add(this.#words, EPOCH, 1);
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
