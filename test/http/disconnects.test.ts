/** Clients that request a file and disconnect before it is sent. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { countOpenFiles } from '../support/checks/open-files.ts';
import { atDepth } from '../support/depth.ts';
import { until } from '../support/until.ts';
import { filesFolder, startKnownService } from '../support/zukan/service.ts';

test('clients that disconnect leave no file open', async () => {
  const service = await startKnownService();
  const [{ url }] = (await service.get('/api/image/random?limit=1')).json.data;
  const { port, pathname, search } = new URL(url);
  // Node reports a file that the garbage collector had to close as an uncaught exception.
  const uncaught: unknown[] = [];
  const record = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', record);
  for (let client = 0; client < atDepth(60, 400); client++) {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: here\r\n\r\n`);
    // Disconnects at every stage of the request: the server runs on the same event loop.
    for (let tick = 0; tick < client % 20; tick++) await nextTick();
    socket.resetAndDestroy();
  }
  await until('all files are closed', () => countOpenFiles(filesFolder(service.config)) === 0);
  process.off('uncaughtException', record);
  assert.deepEqual(uncaught, []);
  assert.equal((await service.get(pathname + search)).status, 200);
});
