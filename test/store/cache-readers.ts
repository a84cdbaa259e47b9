/** Threads that read the document cache while it changes. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ImageDocument } from '../../src/catalogue/documents/image-document.ts';
import { CacheMemory, DocumentCache } from '../../src/store/document-cache/cache.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { documentWith } from '../support/catalogues/document.ts';

export const IMAGES = 60;
/** A revision changes every image whose number has the same remainder. */
const PERIOD = 7;

export const isChangedIn = (revision: number, image: number): boolean => (revision - image) % PERIOD === 0;

/** The document of an image after a revision. */
export function documentAt(revision: number, image: number): string {
  const change = revision - ((((revision - image) % PERIOD) + PERIOD) % PERIOD);
  const text = `${change} of ${image} ${change % 2 === 0 ? '図鑑' : ''}`.repeat(1 + (image % 3));
  return documentWith({
    source: text,
    artist: { id: uuid(2, 1), name: `artist ${change}`, url: '' },
    characters: [{ name: `character ${change}` }],
  });
}

export interface Readers {
  /** How many documents the threads have found, and those that were wrong. */
  counts: Int32Array<SharedArrayBuffer>;
  stop(): Promise<void>;
}

export function startReaders(memory: SharedArrayBuffer, threads: number): Readers {
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL(import.meta.url), { workerData: { memory, counts } }),
  );
  return {
    counts,
    async stop() {
      const ended = workers.map((worker) => once(worker, 'exit'));
      Atomics.store(counts, 2, 1);
      await Promise.all(ended);
    },
  };
}

function read({ memory, counts }: { memory: SharedArrayBuffer; counts: Readers['counts'] }): void {
  const cache = new DocumentCache(memory);
  const current = new CacheMemory(memory);
  const images = Array.from({ length: IMAGES }, (_, index) => index + 1);
  const signLink = () => ({ url: 'url', expires: 'later' });
  while (Atomics.load(counts, 2) === 0) {
    const { revision } = current;
    cache.get(images, revision).forEach((document, index) => {
      if (!document) return;
      const expected = new ImageDocument(documentAt(revision, index + 1));
      const isRight = document.withLink(signLink, ['artist']) === expected.withLink(signLink, ['artist']);
      Atomics.add(counts, isRight ? 0 : 1, 1);
    });
  }
  parentPort?.postMessage('done');
}

if (!isMainThread) read(workerData);
