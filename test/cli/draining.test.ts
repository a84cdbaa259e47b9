/** Stopping under load: idle connections are closed soon, and no request that was accepted is reset. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createApp, shutDown } from '../../src/server/app.ts';
import { writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { startPacedLoad } from '../support/zukan/paced-load.ts';
import { configFor } from '../support/zukan/service.ts';

const folder = temporaryFolder();
const config = configFor(folder);
/** Far longer than the test may take: the timeout must not be what ends a shutdown. */
const NEVER_MS = 600_000;
const IDLE_MS = 20_000;
const request = 'GET /api/stats HTTP/1.1\r\nHost: x\r\n\r\n';

before(async () => {
  await importFiles(config, [await writeKnownCatalogue(folder)]);
});

async function start() {
  const app = await createApp(config);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const open = () => connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
  return { app, origin, open };
}

test('closes a connection that becomes idle after the signal', async () => {
  const { app, open } = await start();
  const arrived = once(app.server, 'request');
  const socket = open();
  socket.write(request);
  await arrived;
  // The request was accepted before the signal, so its response does not tell the client to close.
  const [[response]] = await Promise.all([once(socket, 'data'), shutDown(app, NEVER_MS)]);
  assert.match(response, /^HTTP\/1\.1 200 /);
});

test('an idle connection gets a response to one more request, and is told to close', async () => {
  const { app, open } = await start();
  const socket = open();
  socket.write(request);
  await once(socket, 'data');
  const stopped = app.close(IDLE_MS);
  await until('it accepts no connections', () => !app.server.listening);
  socket.write(request);
  const [response] = await once(socket, 'data');
  assert.match(response, /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i);
  await once(socket, 'close');
  await stopped;
});

test('responds on all connections that the system has accepted', async () => {
  const { app, open } = await start();
  const sockets = Array.from({ length: 50 }, open);
  const responses = sockets.map(async (socket) => {
    socket.write(request);
    return (await once(socket, 'data'))[0];
  });
  // Time for the system to accept all of them, but for the server to accept a few.
  await setImmediate();
  await shutDown(app, NEVER_MS);
  for (const response of await Promise.all(responses)) assert.match(response, /^HTTP\/1\.1 200 /);
});

test('stops under a paced load reset no request', async () => {
  const total = new Map<string, number>();
  for (let stop = 0; stop < atDepth(2, 5); stop++) {
    const { app, origin } = await start();
    const load = startPacedLoad(`${origin}/api/stats`);
    await until('requests are served', () => load.answered() > 10 + stop);
    // Longer than the half second of a server: the client may be late on a busy machine.
    await app.close(IDLE_MS);
    for (const [outcome, count] of await load.stop()) total.set(outcome, (total.get(outcome) ?? 0) + count);
  }
  const { 200: served = 0, ECONNREFUSED: refused = 0, ...others } = Object.fromEntries(total);
  assert.deepEqual(others, {}, `${served} served, ${refused} refused`);
});
