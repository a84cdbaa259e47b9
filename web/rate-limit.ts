/**
 * The service counts all pages of a browser as one client. The API client paces the requests of its own page only,
 * so pages also wait for each other here. Otherwise ten quick reloads would block the visitor for an hour.
 */
import { type Pace, readPace } from '../client/pace.ts';
import { readSetting, saveSetting } from './storage.ts';

/** Bounds the wait, because the stored time may be wrong. */
const MAX_WAIT_MS = 2000;

type Signal = AbortSignal | null | undefined;

/** As the last response announced it. */
let pace: Pace = { wait: 0, interval: 0 };
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
      await sleep(Number(readSetting('next') ?? 0) - Date.now(), init?.signal);
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
  if (!navigator.locks) return task();
  await navigator.locks.request('zukan', signal ? { signal } : {}, task);
}

function sleep(ms: number, signal: Signal): Promise<void> {
  if (!(ms > 0)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(ms, MAX_WAIT_MS));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
