/** Clients that ask for a file and go away before it comes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startKnownService } from '../support/service.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('leave no file open: one that is found open as garbage would end the process', async () => {
  const service = await startKnownService();
  const [{ url }] = (await service.get('/api/image/random?limit=1')).json.data;
  const { port, pathname, search } = new URL(url);
  const thrown: unknown[] = [];
  const note = (error: unknown) => thrown.push(error);
  process.on('uncaughtException', note);
  for (let client = 0; client < 60; client++) {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: here\r\n\r\n`);
    await pause((client % 10) / 4);
    socket.resetAndDestroy();
  }
  await pause(100);
  collectGarbage();
  await pause(50);
  process.off('uncaughtException', note);
  assert.deepEqual(thrown, []);
  assert.equal((await service.get(pathname + search)).status, 200);
});
