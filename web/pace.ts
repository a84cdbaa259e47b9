/**
 * The rate limit counts all pages of a browser as one client, and every visit too. The client that a page has knows of its
 * own calls only; here pages wait for each other, so that pressing reload ten times shuts nobody out.
 */
import { keep, kept } from './kept.ts';

/** Nobody has to wait longer for the next call; what was kept may say anything. */
const LONGEST_MS = 2000;

type Signal = AbortSignal | null | undefined;

export const pacedFetch: typeof fetch = (input, init) =>
  new Promise((resolve, reject) => {
    const turn = async () => {
      await pause(Number(kept('next') ?? 0) - Date.now(), init?.signal);
      const response = await fetch(input, init);
      resolve(response);
      const ms = Number(response.headers.get('X-RateLimit-Reset') ?? 0) * 1000;
      // The next visit reads this. Pages that are open now may see it too late, so the turn ends only then.
      keep('next', String(Date.now() + ms));
      await pause(ms, undefined);
    };
    alone(init?.signal, turn).catch(reject);
  });

/** One page at a time, where the browser can tell (it does so on secure origins). */
async function alone(signal: Signal, turn: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return turn();
  await navigator.locks.request('zukan', signal ? { signal } : {}, turn);
}

function pause(ms: number, signal: Signal): Promise<void> {
  if (!(ms > 0)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(ms, LONGEST_MS));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
