/** Threads that use one rate limiter in shared memory. The time is a sequence that they share: each decision takes the next. */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { MemoryLimiter } from '../../../src/access/limits/memory.ts';
import type { Decision } from '../../../src/access/rate.ts';

export interface Load {
  memory: SharedArrayBuffer;
  perSecond: number;
  /** Increasing times. The threads stop when they are used up. */
  times: Float64Array<SharedArrayBuffer>;
  /** The index of the next time. */
  next: Int32Array<SharedArrayBuffer>;
  clients: string[];
  /**
   * Each time so many decisions were made, the thread that makes the next one sleeps while it holds the lock, and then waits
   * until another thread has made one.
   */
  sleepEvery: number;
  /** The thread with this number dies instead of reading the time, while it holds the lock. */
  dies?: number;
}

export interface Record {
  /** The index of its time. */
  index: number;
  thread: number;
  client: string;
  decision: Decision;
}

/** Runs threads 1 to `count`, and returns what they decided, in the order of time. */
export async function runThreads(count: number, load: Load): Promise<Record[]> {
  const threads = Array.from(
    { length: count },
    (_, index) => new Worker(new URL(import.meta.url), { workerData: { thread: index + 1, load } }),
  );
  const records: Record[] = [];
  for (const thread of threads) thread.on('message', (some: Record[]) => records.push(...some));
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  return records.sort((a, b) => a.index - b.index);
}

async function hammer({ thread, load }: { thread: number; load: Load }): Promise<void> {
  const { times, next, clients } = load;
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  let index = 0;
  const clock = () => {
    if (load.dies === thread) process.exit();
    index = Atomics.add(next, 0, 1);
    Atomics.notify(next, 0);
    if (index % load.sleepEvery === 0) Atomics.wait(sleep, 0, 0, 1);
    return times[index] ?? (times.at(-1) as number);
  };
  const limiter = new MemoryLimiter(load.perSecond, clock, load.memory, thread);
  const records: Record[] = [];
  for (let turn = thread; ; turn++) {
    const client = clients[turn % clients.length] as string;
    const decision = await limiter.decide(client);
    if (index >= times.length) break;
    records.push({ index, thread, client, decision });
    if (index % load.sleepEvery === 0) Atomics.wait(next, 0, index + 1);
  }
  parentPort?.postMessage(records);
}

if (!isMainThread) await hammer(workerData);
