/** Threads that read the document cache while it changes. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { composeDocument, dimensions } from '../../src/catalogue/documents/document.ts';
import { ImageDocument } from '../../src/catalogue/documents/image-document.ts';
import { NO_DETAILS } from '../../src/catalogue/schemas.ts';
import { DocumentCache, REVISION } from '../../src/store/document-cache/cache.ts';

export const IMAGES = 60;
/** A revision changes every image whose number has the same remainder. */
const PERIOD = 7;

export const isChangedIn = (revision: number, image: number): boolean => (revision - image) % PERIOD === 0;

/** The document of an image after a revision. */
export function documentAt(revision: number, image: number): string {
  const change = revision - ((((revision - image) % PERIOD) + PERIOD) % PERIOD);
  const text = `${change} of ${image} ${change % 2 === 0 ? '図鑑' : ''}`.repeat(1 + (image % 3));
  return composeDocument(
    {
      id: '40000000-0000-4000-8000-000000000001',
      artist: '20000000-0000-4000-8000-000000000001',
      source: { name: text, url: 'https://example.org/' },
      nsfw: 'sfw',
      createdAt: '2026-01-01T00:00:00.000Z',

      ...NO_DETAILS,
      meta: { eTag: 'e', size: 5, mimetype: 'image/png', color: '#000000', dimens: dimensions(3, 2) },
    },
    'ab/cd.png',
    JSON.stringify({ id: '20000000-0000-4000-8000-000000000001', name: `artist ${change}`, url: '' }),
    [],
    [JSON.stringify({ name: `character ${change}` })],
  );
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
  const words = new Uint32Array(memory);
  const images = Array.from({ length: IMAGES }, (_, index) => index + 1);
  const signLink = () => ({ url: 'url', expires: 'later' });
  while (Atomics.load(counts, 2) === 0) {
    const revision = Atomics.load(words, REVISION);
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
