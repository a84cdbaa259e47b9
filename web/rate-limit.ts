/**
 * The service counts all pages of a browser as one client. The API client paces the requests of its own page only,
 * so pages also wait for each other here. Otherwise ten quick reloads would block the visitor for an hour.
 */
import { type Pace, readPace } from '../client/pace.ts';
import { readSetting, saveSetting } from './storage.ts';

/** Bounds the wait, because the stored time may be wrong. */
const MAX_WAIT_MS = 2000;
/** The longest time that a request uses up. After that, another page may send one even if the first has no response yet. */
const LEASE_MS = 1000;
const POLL_MS = 50;

type Signal = AbortSignal | null | undefined;

/** As the last response announced it. */
let pace: Pace = { wait: 0, interval: 0, refusals: 0 };
let early: { url: string; response: Promise<Response> } | undefined;

/** Sends a request whose response is for the next call of `rateLimitedFetch` with the same URL. */
export function fetchEarly(url: string): void {
  early = { url, response: send(url) };
  // A failure is for that call, too.
  early.response.catch(() => {});
}

export const rateLimitedFetch: typeof fetch = (input, init) => {
  const { url, response } = early ?? {};
  early = undefined;
  return response && url === input ? response : send(input, init);
};

const send: typeof fetch = (input, init) =>
  new Promise((resolve, reject) => {
    const task = async () => {
      await sleep(readWait(), init?.signal);
      try {
        const response = await fetch(input, init);
        resolve(response);
        pace = readPace(response.headers);
      } catch (error) {
        reject(error);
        // The service may have counted an aborted request.
        pace = { ...pace, wait: pace.interval };
      }
      // Pages opened later read this. Other open pages may see it too late, so the lock is held until then.
      saveSetting('next', String(Date.now() + pace.wait));
      await sleep(pace.wait, undefined);
    };
    withLock(init?.signal, task).catch(reject);
  });

/** Browsers offer locks between pages on secure origins only. */
async function withLock(signal: Signal, task: () => Promise<void>): Promise<void> {
  if (navigator.locks) await navigator.locks.request('zukan', signal ? { signal } : {}, task);
  else await withLease(signal, task);
}

/** What pages on plain HTTP use instead of a lock. It ends by itself, because its page may be closed. */
async function withLease(signal: Signal, task: () => Promise<void>): Promise<void> {
  const owner = Math.random();
  const end = () => Date.now() + readWait() + LEASE_MS;
  while (!(await changeLease((until) => until <= Date.now() && end(), owner))) await sleep(POLL_MS, signal);
  try {
    await task();
  } finally {
    await changeLease((_, isOwn) => isOwn && 0, owner);
  }
}

/**
 * Sets when the lease ends, unless `change` returns false, and tells whether it did. A transaction of IndexedDB excludes those
 * of other pages; local storage would show them old values. True without a database: a browser may deny it.
 */
async function changeLease(
  change: (until: number, isOwn: boolean) => number | false,
  owner: number,
): Promise<boolean> {
  try {
    const database = await openDatabase();
    const store = database.transaction('lease', 'readwrite').objectStore('lease');
    const { until, owner: last } = (await settle(store.get(0))) ?? { until: 0 };
    // A lease that ends later than one begun now is of a clock that was wrong.
    const isWrong = until > Date.now() + MAX_WAIT_MS + LEASE_MS;
    const next = change(isWrong ? 0 : until, last === owner);
    if (next !== false) await settle(store.put({ until: next, owner }, 0));
    return next !== false;
  } catch {
    return true;
  }
}

let database: Promise<IDBDatabase> | undefined;

function openDatabase(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('zukan');
    request.onupgradeneeded = () => request.result.createObjectStore('lease');
    settle(request).then(resolve, reject);
    // Some browsers never answer, and the page must not wait for that.
    setTimeout(() => reject(new Error('the database does not answer')), MAX_WAIT_MS);
  });
  return database;
}

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** How long the last response of any page asked to wait. */
function readWait(): number {
  const wait = Number(readSetting('next') ?? 0) - Date.now();
  return wait > 0 ? Math.min(wait, MAX_WAIT_MS) : 0;
}

async function sleep(ms: number, signal: Signal): Promise<void> {
  if (!(ms > 0)) return;
  if (signal?.aborted) throw signal.reason;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const end = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_WAIT_MS));
    signal?.addEventListener('abort', abort);
  });
}
