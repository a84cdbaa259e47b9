/**
 * The rate limit counts all pages of a browser as one client, and every visit too. The client that a page has knows of its
 * own calls only; here pages wait for each other, so that pressing reload ten times shuts nobody out.
 */
import { keep, kept } from './kept.ts';

/** Nobody has to wait longer for the next call; what was kept may say anything. */
const LONGEST_MS = 2000;

export const pacedFetch: typeof fetch = (input, init) =>
  alone(init?.signal, async () => {
    await pause(Number(kept('next') ?? 0) - Date.now(), init?.signal);
    const response = await fetch(input, init);
    const seconds = Number(response.headers.get('X-RateLimit-Reset') ?? 0);
    keep('next', String(Date.now() + seconds * 1000));
    return response;
  });

/** One page at a time, where the browser can tell (it does so on secure origins). */
function alone<T>(signal: AbortSignal | null | undefined, work: () => Promise<T>): Promise<T> {
  if (!navigator.locks) return work();
  return navigator.locks.request('zukan', signal ? { signal } : {}, work) as Promise<T>;
}

function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  if (!(ms > 0)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(ms, LONGEST_MS));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
