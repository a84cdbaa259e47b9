/** `zukan serve`: listens until SIGTERM or SIGINT. */
import { type App, createApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { createCatalogue } from '../engines.ts';
import { version } from '../version.ts';
import { CommandError } from './errors.ts';
import { type StartedImport, startImport } from './import-on-start.ts';
import { announceCreated } from './terminal.ts';

/** How long running requests may take to finish after the signal. */
const SHUTDOWN_TIMEOUT_MS = 5000;
/** How long idle connections stay open after the signal, for requests that are on their way. */
const IDLE_MS = 500;

export async function serveCommand(config: Config, { demo }: { demo: boolean }): Promise<void> {
  announceCreated(process, await createCatalogue(config));
  if (demo) {
    const { fillWithDemo } = await import('../../demo/fill.ts');
    await fillWithDemo(config);
  }
  const app = await createApp(config);
  let isListening = false;
  let started: StartedImport | undefined;
  const onSignal = async () => {
    // Before that there is nothing to finish, and closing would race with `listen`.
    if (!isListening) process.exit(0);
    await Promise.all([started?.stop(), shutDown(app)]);
    // A connection to a database that hangs would keep the process alive.
    process.exit();
  };
  process.once('SIGTERM', onSignal).once('SIGINT', onSignal);
  // Standard output starts with a few lines for people; the log follows them.
  app.log.level = 'silent';
  const url = await app.listen({ host: config.host, port: config.port }).catch(async (error) => {
    await app.close();
    throw new CommandError(explainListenError(error, config));
  });
  isListening = true;
  const api = `${url}${config.apiPrefixes[0]}`.replace(/\/$/, '');
  console.log(
    [
      `zukan v${version} is serving at ${url}`,
      `Try:  curl '${api}/image/random?limit=1'`,
      `      curl '${api}/stats'`,
    ].join('\n'),
  );
  app.log.level = config.logLevel;
  if (config.importOnStart) started = startImport(config.importOnStart, app.log);
}

/** Waits for running requests, then closes their connections. */
export async function shutDown(app: App, timeoutMs = SHUTDOWN_TIMEOUT_MS): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  await app.close(IDLE_MS);
  clearTimeout(timer);
}

function explainListenError(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE') return `port ${port} is in use; set PORT to another one`;
  if (error.code === 'EACCES') return `no permission to use port ${port}; set PORT to one above 1023`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `this machine has no address ${host}; set HOST`;
  return error.message;
}
