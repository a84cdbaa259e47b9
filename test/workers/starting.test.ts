/** While threads start, a connection is refused or served. None is accepted and then reset. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createCatalogue } from '../../src/server/engines.ts';
import { WorkerPool } from '../../src/server/workers/pool.ts';
import { freePort } from '../support/servers/redis.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor } from '../support/zukan/service.ts';

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
/** Leaves the processor to the threads that start. */
const PAUSE_MS = 5;
/** Sent after all threads listen. */
const FURTHER_ROUNDS = 20;

/** Sends a request on a connection of its own. Returns the first line of the response, or the code of an error. */
async function tryRequest(port: number): Promise<string> {
  try {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    socket.write(REQUEST);
    const text: string[] = await socket.toArray();
    return text.join('').split('\r\n')[0] || 'nothing';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

test('no connection is reset once the first has been served', async (t) => {
  const port = await freePort();
  const config = configFor(temporaryFolder(), { WORKERS: '3', CACHE_MB: '1', PORT: String(port) });
  await createCatalogue(config);
  const pool = new WorkerPool(config);
  t.after(() => pool.close());
  let isStarted = false;
  const starting = pool.start().then(() => {
    isStarted = true;
  });
  const outcomes: string[] = [];
  for (let further = 0; further < FURTHER_ROUNDS; further += Number(isStarted)) {
    outcomes.push(...(await Promise.all([1, 2, 3, 4, 5].map(() => tryRequest(port)))));
    await setTimeout(PAUSE_MS);
  }
  await starting;
  const sinceFirst = outcomes.slice(outcomes.indexOf('HTTP/1.1 200 OK'));
  assert.ok(sinceFirst.length >= 5 * (FURTHER_ROUNDS - 1));
  assert.deepEqual([...new Set(sinceFirst)], ['HTTP/1.1 200 OK']);
});
