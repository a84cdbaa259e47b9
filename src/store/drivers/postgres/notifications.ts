/** Change notifications: every commit announces its revision, and every server process listens. */
import { setTimeout } from 'node:timers/promises';
import { Client, clientSettings, disconnect } from './connection.ts';

export const CHANNEL = 'zukan_revision';

export interface ListenOptions {
  url: string;
  onRevision: (revision: number) => void;
  /** How long after a lost connection to reconnect. */
  retryMs?: number;
  /** How often to check that the connection still works. */
  heartbeatMs?: number;
  /** How long the server may take to respond. */
  timeoutMs?: number;
}

const defaults = { retryMs: 500, heartbeatMs: 15_000, timeoutMs: 5000 };

/**
 * Listens until closed, and reconnects when the connection is lost. Revisions announced in between are missed; since
 * every query also returns its revision, changes are then noticed later, but never overlooked.
 */
export function listen(options: ListenOptions): { close(): Promise<void> } {
  const settings = { ...defaults, ...options };
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = (async () => {
    while (!signal.aborted) {
      await listenOnce(settings, signal).catch(() => {});
      await pause(settings.retryMs, signal);
    }
  })();
  return {
    async close() {
      stopping.abort();
      await listening;
    },
  };
}

/** Returns or throws when the connection is lost. */
async function listenOnce(
  { url, onRevision, heartbeatMs, timeoutMs }: Required<ListenOptions>,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client({ ...clientSettings(url, timeoutMs), query_timeout: timeoutMs });
  const lost = new Promise<void>((resolve) => client.once('error', resolve).once('end', resolve));
  client.on('error', () => {});
  const abort = () => client.destroy();
  signal.addEventListener('abort', abort, { once: true });
  client.on('notification', ({ payload }) => onRevision(Number(payload)));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    while (!signal.aborted) {
      const isLost = await Promise.race([lost.then(() => true), pause(heartbeatMs, signal)]);
      if (isLost) return;
      await client.query('select 1');
    }
  } finally {
    signal.removeEventListener('abort', abort);
    await disconnect(client);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}
