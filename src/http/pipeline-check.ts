/** Whether this Node lets us limit pipelining, which depends on a part of Node that is not documented (see pipeline.ts). */
import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from './logger.ts';
import { limitPipeline, MAX_WAITING, oneAtATime } from './pipeline.ts';

const { createServer } = process.getBuiltinModule('node:http');

export async function warnAboutPipelining(log: Logger): Promise<void> {
  if (await isPipeliningLimited()) return;
  const { version } = process;
  log.warn({ version }, 'this Node does not let zukan limit pipelined requests; use another version of Node');
}

/** Sends more requests than may wait to a server without a port, and counts those that Node parsed. */
export async function isPipeliningLimited(): Promise<boolean> {
  const server = createServer();
  let parsed = 0;
  server.on('connection', limitPipeline);
  server.on('request', () => parsed++);
  server.on(
    'request',
    oneAtATime(() => {}),
  );
  const [client, connection] = duplexPair();
  server.emit('connection', connection);
  const requests = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2 * MAX_WAITING);
  await new Promise((resolve) => client.write(requests, resolve));
  await setImmediate();
  connection.destroy();
  client.destroy();
  return parsed === 1 + MAX_WAITING;
}
