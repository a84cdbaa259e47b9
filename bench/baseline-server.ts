/**
 * The baseline: a bare `node:http` server that sends a constant body of the given size. Runs in its own process, with as many
 * threads on the same port as are asked for.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

async function listen(bytes: number, port: number, reusePort: boolean): Promise<number> {
  const body = Buffer.alloc(bytes, 'x');
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen({ host: '127.0.0.1', port, reusePort });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

if (isMainThread) {
  const [bytes = 0, threads = 1] = process.argv.slice(2).map(Number);
  const port = await listen(bytes, 0, threads > 1);
  for (let thread = 1; thread < threads; thread++)
    await once(new Worker(new URL(import.meta.url), { workerData: { bytes, port } }), 'message');
  console.log(`http://127.0.0.1:${port}`);
  process.once('SIGTERM', () => process.exit(0));
} else {
  await listen(workerData.bytes, workerData.port, true);
  parentPort?.postMessage('listening');
}
