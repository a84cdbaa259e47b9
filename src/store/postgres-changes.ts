/** Hearing of changes: every commit announces its revision, and whoever serves listens. */
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { settings } from './postgres-connection.ts';

export const CHANNEL = 'zukan_revision';
/** How long after a lost connection a new one is tried. */
const RETRY_MS = 500;

/**
 * Calls back with each revision. While the connection is lost nothing is heard; each answer tells its revision too, so
 * that is only later, not wrong.
 */
export function listen(url: string, onRevision: (revision: number) => void): { close(): Promise<void> } {
  const stopped = new AbortController();
  const listening = (async () => {
    while (!stopped.signal.aborted) {
      await listenOnce(url, onRevision, stopped.signal).catch(() => {});
      await setTimeout(RETRY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  })();
  return {
    async close() {
      stopped.abort();
      await listening;
    },
  };
}

/** Resolves when the connection is lost. */
async function listenOnce(url: string, onRevision: (revision: number) => void, signal: AbortSignal) {
  const client = new pg.Client({ ...settings(url), connectionTimeoutMillis: 5000 });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  const stop = () => void client.end();
  client.on('error', stop);
  client.on('notification', ({ payload }) => onRevision(Number(payload)));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await ended;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end();
  }
}
