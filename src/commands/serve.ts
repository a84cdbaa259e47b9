/** `zukan serve`: listens until it is told to stop. */
import { createApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { version } from '../version.ts';
import { CommandError } from './errors.ts';

/** How long running requests may take to finish once the server is told to stop. */
const GRACE_MS = 5000;

export async function serveCommand(config: Config, { demo }: { demo: boolean }): Promise<void> {
  if (demo) {
    const { fillWithDemo } = await import('../../demo/fill.ts');
    await fillWithDemo(config);
  }
  const app = await createApp(config);
  let isListening = false;
  const stop = async () => {
    // Who is told to stop before it listens has nothing to finish; closing now would race with the listening.
    if (!isListening) process.exit(0);
    setTimeout(() => app.server.closeAllConnections(), GRACE_MS).unref();
    await app.close();
    // Nothing is left to do, even if a connection to a server that hangs is still there.
    process.exit();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  // The first lines on standard output are for people; the log begins after them.
  app.log.level = 'silent';
  const address = await app.listen({ host: config.host, port: config.port }).catch(async (error) => {
    await app.close();
    throw new CommandError(explain(error, config));
  });
  isListening = true;
  const api = `${address}${config.apiPrefixes[0]}`;
  console.log(
    [
      `zukan v${version} is serving at ${address}`,
      `Try:  curl '${api}/image/random?limit=1'`,
      `      curl '${api}/stats'`,
    ].join('\n'),
  );
  app.log.level = config.logLevel;
}

function explain(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE') return `port ${port} is in use; set PORT to another one`;
  if (error.code === 'EACCES') return `port ${port} may not be used; set PORT to one above 1023`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `this machine has no address ${host}; set HOST`;
  return error.message;
}
