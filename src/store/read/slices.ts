/** Long work between other requests: rows of the catalogue a slice at a time, and slices of the processor for many clients. */
import type { Caller } from '../../catalogue/catalogue.ts';
import type { Document } from '../../catalogue/schemas.ts';
import { SearchTooLong } from '../../catalogue/search/scan.ts';
import type { TermRange } from '../../catalogue/search/words.ts';
import { yieldToEventLoop } from '../../lib/concurrency.ts';
import { Unavailable } from '../../lib/metrics.ts';
import type { Tuning } from '../../lib/tuning.ts';
import {
  type Answer,
  type Driver,
  expectVersion,
  get,
  type ListName,
  type Lists,
  type SlicedList,
  type TermBlock,
  type View,
} from '../view.ts';

// Shares the processor between long jobs of many clients. A job computes in slices of a few milliseconds, one slice per tick
// of the event loop. The next slice goes to the job with the least work, expected or done so far, in coarse steps, and among
// those to the client that used least recently: a cheap job overtakes expensive ones, and asking more often gains nothing.

/** Jobs that run or wait. When there are more, the client with most of them, or else the worst job, loses one. */
const MAX_JOBS = 32;
const MAX_WAIT_MS = 10_000;
const SLICE_MS = 5;
/** Jobs with less work than this, about 25 ms, are equally cheap. */
export const CHEAP_WORK = 2_500_000;
/** After this time, the work of a client counts half. */
const HALF_LIFE_MS = 10_000;
const MAX_CLIENTS = 10_000;

/** Records work, in units of about ten nanoseconds. Returns a promise to wait for if the slice is over. */
export type Spend = (work: number) => Promise<void> | undefined;

interface Job {
  client: string;
  expected: number;
  work: number;
  startedAt: number;
  /** Starts the next slice; undefined while the job computes or waits for something else. */
  resume: (() => void) | undefined;
  reject: (error: unknown) => void;
}

interface QueueOptions {
  /** In milliseconds; any origin. */
  clock?: () => number;
  nextTick?: () => Promise<void>;
  maxJobs?: number;
}

export class FairQueue {
  readonly #clock: () => number;
  readonly #nextTick: () => Promise<void>;
  readonly #maxJobs: number;
  /** Oldest first. A client's first job runs; its others wait for that one. */
  readonly #jobs = new Set<Job>();
  /** Recent work by client. The oldest entry is evicted first. */
  readonly #usage = new Map<string, { work: number; at: number }>();
  #isScheduled = false;
  #sliceStartedAt = 0;

  constructor(options: QueueOptions = {}) {
    const { clock = () => performance.now(), nextTick = yieldToEventLoop, maxJobs = MAX_JOBS } = options;
    this.#maxJobs = maxJobs;
    this.#clock = clock;
    this.#nextTick = nextTick;
  }

  /**
   * `expected` is the work that the job takes at least, if known. Throws Unavailable if the queue is full or the job waits too
   * long, and the signal's reason when it is aborted.
   */
  async run<T>(
    { client, signal }: Caller,
    expected: number,
    compute: (spend: Spend) => T | Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const job: Job = { client, expected, work: 0, startedAt: this.#clock(), resume: undefined, reject };
    const abort = () => this.#end(job, signal.reason);
    signal.addEventListener('abort', abort);
    this.#jobs.add(job);
    if (this.#jobs.size > this.#maxJobs) this.#end(this.#findVictim(), new Unavailable('too many jobs wait'));
    const work = async () => {
      await this.#waitForSlice(job);
      return compute((work) => this.#spend(job, work));
    };
    try {
      return await Promise.race([ended, work()]);
    } finally {
      this.#jobs.delete(job);
      this.#schedule();
      signal.removeEventListener('abort', abort);
    }
  }

  #spend(job: Job, work: number): Promise<void> | undefined {
    job.work += work;
    this.#charge(job.client, work);
    const isOver = !this.#jobs.has(job) || this.#clock() - this.#sliceStartedAt >= SLICE_MS;
    return isOver ? this.#waitForSlice(job) : undefined;
  }

  /** Never resolves if the job has ended. */
  #waitForSlice(job: Job): Promise<void> {
    return new Promise((resolve) => {
      job.resume = resolve;
      this.#schedule();
    });
  }

  #end(job: Job, error: unknown): void {
    this.#jobs.delete(job);
    job.reject(error);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#jobs.size === 0) return;
    this.#isScheduled = true;
    this.#nextTick().then(() => {
      this.#isScheduled = false;
      this.#startSlice();
    });
  }

  #startSlice(): void {
    const now = this.#clock();
    for (const job of this.#jobs)
      if (now - job.startedAt > MAX_WAIT_MS) this.#end(job, new Unavailable('a job waited too long'));
    const clients = new Set<string>();
    const total = ({ expected, work }: Job) => Math.max(expected, work);
    let best: Job | undefined;
    for (const job of this.#jobs) {
      if (job.resume && !clients.has(job.client) && (!best || this.#compare(job, best, total) < 0))
        best = job;
      clients.add(job.client);
    }
    if (!best) return;
    const { resume } = best;
    best.resume = undefined;
    this.#sliceStartedAt = now;
    resume?.();
    this.#schedule();
  }

  /** Negative if the first job goes first. */
  #compare(a: Job, b: Job, measure: (job: Job) => number): number {
    return (
      stepOf(measure(a)) - stepOf(measure(b)) ||
      this.#recentWork(a.client) - this.#recentWork(b.client) ||
      a.expected - b.expected
    );
  }

  /**
   * The newest job of the client that has most; if no client has two, the one that was expected to be most expensive. What a
   * job has done so far does not count, or none would finish under load.
   */
  #findVictim(): Job {
    const byClient = Map.groupBy(this.#jobs, ({ client }) => client);
    const most = Math.max(...Array.from(byClient.values(), ({ length }) => length));
    const candidates = [...byClient.values()].filter(({ length }) => length === most);
    return candidates
      .map((jobs) => jobs.at(-1) as Job)
      .reduce((worst, job) => (this.#compare(job, worst, ({ expected }) => expected) >= 0 ? job : worst));
  }

  #recentWork(client: string): number {
    const usage = this.#usage.get(client);
    return usage ? usage.work * 2 ** ((usage.at - this.#clock()) / HALF_LIFE_MS) : 0;
  }

  #charge(client: string, work: number): void {
    const recent = this.#recentWork(client);
    this.#usage.delete(client);
    this.#usage.set(client, { work: recent + work, at: this.#clock() });
    if (this.#usage.size > MAX_CLIENTS) this.#usage.delete(this.#usage.keys().next().value as string);
  }
}

/** Each step is twice as long as the one before. */
function stepOf(work: number): number {
  return Math.floor(Math.log2(1 + work / CHEAP_WORK));
}

// Reading long rows of the catalogue a slice at a time, between other requests.

/** Some items, and the version of the catalogue that they belong to. */
export interface Slice<T> {
  version: number;
  items: T[];
}

/** What caches need that hold whole rows. */
export interface SliceReader {
  sizeOf(name: SlicedList): number;
  list<Name extends ListName>(name: Name, ...parameters: Lists[Name][0]): Promise<Slice<Lists[Name][1]>>;
  /** The documents of those of the images that have one. */
  documents(images: number[]): Promise<Slice<[image: number, document: Document]>>;
  currentVersion(): number | Promise<number>;
}

export function createSliceReader(driver: Driver, { maxItemsPerSlice }: Tuning): SliceReader {
  const readSlice = <T>(read: (view: View) => Answer<T[]>) =>
    driver.run<Slice<T>>(function* (view) {
      return { version: view.snapshot.version, items: yield* get(read(view)) };
    });
  return {
    sizeOf: (name) => Math.min(driver.sliceSizes[name], maxItemsPerSlice),
    list: (name, ...parameters) => readSlice((view) => view.list(name, ...parameters)),
    documents: (images) => readSlice((view) => view.wholeDocuments(images)),
    currentVersion: () => driver.currentVersion(),
  };
}

/**
 * Reads a whole list in slices, each of which follows the last item of the one before. Returns its version. Throws CatalogueChanged
 * if there are several, or if it is not the given one.
 */
export async function readAll<Name extends SlicedList>(
  reader: SliceReader,
  name: Name,
  after: (last: Lists[Name][1] | undefined, size: number) => Lists[Name][0],
  onItem: (item: Lists[Name][1]) => void,
  expected?: number,
): Promise<number> {
  const size = reader.sizeOf(name);
  let version = expected;
  for (let last: Lists[Name][1] | undefined; ; await yieldToEventLoop()) {
    const slice = await reader.list(name, ...after(last, size));
    version ??= slice.version;
    expectVersion(slice.version, version);
    slice.items.forEach(onItem);
    last = slice.items.at(-1);
    if (slice.items.length < size) return version;
  }
}

/** Bounds how long it takes to read the words that begin with a few letters. */
const MAX_TERM_BLOCKS = 50_000;

/** Reads the blocks of all terms of a range, and returns how many they are. Throws CatalogueChanged if they are not of this version. */
export async function readTerms(
  reader: SliceReader,
  { from, to }: TermRange,
  version: number,
  onBlock: (block: TermBlock) => void,
): Promise<number> {
  let count = 0;
  await readAll(
    reader,
    'termBlocks',
    ([term, block] = [from, -1, ''], size) => {
      if (count >= MAX_TERM_BLOCKS) throw new SearchTooLong();
      return [term, block, to, size];
    },
    (block) => {
      count++;
      onBlock(block);
    },
    version,
  );
  return count;
}
