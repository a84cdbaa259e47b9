/** json-server with the defaults of its command line, except logging. Runs in its own process. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';

interface JsonServer {
  create(): { use(handler: unknown): void; listen(port: number, host: string, done: () => void): Server };
  defaults(options: { logger: boolean }): unknown;
  router(file: string): unknown;
}

// The package has no types.
const jsonServer: JsonServer = createRequire(import.meta.url)('json-server');
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router(process.argv[2] ?? ''));
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(`http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => process.exit(0));
