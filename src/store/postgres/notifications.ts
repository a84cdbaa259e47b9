/** Hearing of changes: every commit announces its revision, and whoever serves listens. */
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { breakOff, disconnect, settings } from './connection.ts';

export const CHANNEL = 'zukan_revision';
/** How long after a lost connection a new one is tried. */
const RETRY_MS = 500;
/** How often it is made sure that the connection is not lost. */
const HEARTBEAT_MS = 15_000;
const TIMEOUT_MS = 5000;

/**
 * Calls back with each revision that is announced. While the connection is lost nothing is heard; each answer tells its
 * revision too, so that is only later, not wrong.
 */
export function listen(url: string, onRevision: (revision: number) => void): { close(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (time: number) => setTimeout(time, undefined, { signal, ref: false }).catch(() => {});
  const listening = (async () => {
    while (!signal.aborted) {
      await listenOnce(url, onRevision, signal, pause).catch(() => {});
      await pause(RETRY_MS);
    }
  })();
  return {
    async close() {
      stopped.abort();
      await listening;
    },
  };
}

/** Ends, or fails, when the connection is lost. */
async function listenOnce(
  url: string,
  onRevision: (revision: number) => void,
  signal: AbortSignal,
  pause: (time: number) => Promise<void>,
): Promise<void> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const client = new pg.Client({ ...settings(url), ...timeouts });
  const lost = new Promise<void>((resolve) => client.once('error', resolve).once('end', resolve));
  client.on('error', () => {});
  // Even in the middle of connecting.
  const stop = () => breakOff(client);
  signal.addEventListener('abort', stop, { once: true });
  client.on('notification', ({ payload }) => onRevision(Number(payload)));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    while (!signal.aborted) {
      const isLost = await Promise.race([lost.then(() => true), pause(HEARTBEAT_MS)]);
      if (isLost) return;
      await client.query('select 1');
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await disconnect(client);
  }
}
