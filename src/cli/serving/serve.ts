/** `zukan serve`: listens until SIGTERM or SIGINT. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Config, LogLevel } from '../../config/config.ts';
import { version } from '../../lib/version.ts';
import { type App, createApp, logWarnings, shutDown } from '../../server/app.ts';
import { canBeChanged, createCatalogue, migrateCatalogue, openSnapshot } from '../../server/engines.ts';
import { announceMigration } from '../migrating.ts';
import { announceCreated, CommandError, silentTerminal, UsageError } from '../terminal/terminal.ts';

interface Stoppable {
  stop(): Promise<void>;
}

/** The server, in this thread or in several others. */
interface Server extends Stoppable {
  workers: number;
  listen(): Promise<string>;
  /** Standard output starts with a few lines for people; the log follows them. */
  startLog(level: LogLevel): void;
  log: App['log'];
}

interface ServeFlags {
  demo: boolean;
  /** Follows the folder of IMPORT_ON_START. */
  watch: boolean;
  /** These two win over the settings. An empty host would be every address of the machine. */
  host?: string;
  port?: number;
}

/** `settingsFile` was read for the settings, and the import that it starts reads it again. */
export async function serveCommand(
  settings: Config,
  { demo, watch, host, port }: ServeFlags,
  settingsFile?: string,
): Promise<void> {
  const config = { ...settings, host: host || settings.host, port: port ?? settings.port };
  if (watch && !config.importOnStart)
    throw new UsageError('--watch needs a folder to follow; set IMPORT_ON_START');
  const isWritable = await canBeChanged(config);
  if (isWritable) {
    await migrateCatalogue(config, announceMigration(process));
    announceCreated(process, await createCatalogue(config));
  }
  if (demo) await fillWithDemo(config);
  const server = (config.workers > 1 && (await serveInThreads(config))) || (await serveHere(config));
  let isListening = false;
  const started: Stoppable[] = [];
  const onSignal = async () => {
    // Before that there is nothing to finish, and closing would race with `listen`.
    if (!isListening) process.exit(0);
    await Promise.all([...started, server].map((part) => part.stop()));
    // A connection to a database that hangs would keep the process alive.
    process.exit();
  };
  process.once('SIGTERM', onSignal).once('SIGINT', onSignal);
  const url = await server.listen().catch(async (error) => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    await server.stop();
    throw new CommandError(explainListenError(error, config));
  });
  isListening = true;
  const api = `${url}${config.apiPrefixes[0]}`.replace(/\/$/, '');
  console.log(
    [
      `zukan v${version} is serving at ${url}`,
      // Double quotes, because cmd passes single ones on.
      `Try:  curl "${api}/image/random?limit=1"`,
      `      curl "${api}/stats"`,
    ].join('\n'),
  );
  server.startLog(config.logLevel);
  if (!isWritable) server.log.warn({}, 'primary unavailable; serving what a replica has, without tokens');
  await logWarnings(config, server.log);
  if (server.workers < config.workers)
    server.log.warn({}, 'this system cannot share a port between threads; serving with one worker');
  if (config.importOnStart)
    started.push(startImport(config.importOnStart, importFlags(config, watch, settingsFile), server.log));
}

async function serveHere(config: Config): Promise<Server> {
  const app = await createApp({ ...config, logLevel: 'silent' });
  return {
    log: app.log,
    workers: 1,
    listen: () => app.listen({ host: config.host, port: config.port }),
    startLog(level) {
      app.log.level = level;
    },
    stop: () => shutDown(app),
  };
}

/** Returns undefined if the system does not support it. */
async function serveInThreads(config: Config): Promise<Server | undefined> {
  const { canSharePorts, WorkerPool } = await import('../../server/workers/pool.ts');
  if (!(await canSharePorts(config.host))) return undefined;
  const pool = new WorkerPool(config);
  return {
    log: pool.log,
    workers: config.workers,
    listen: () => pool.start(),
    startLog: (level) => pool.setLogLevel(level),
    stop: () => pool.close(),
  };
}

function explainListenError(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE') return `port ${port} is in use; choose another one with --port or PORT`;
  if (error.code === 'EACCES')
    return `no permission to use port ${port}; choose one above 1023 with --port or PORT`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `this machine has no address ${host}; choose another one with --host or HOST`;
  return error.message;
}

// IMPORT_ON_START: imports while the server already serves, in a process of its own so that no request waits.

/** Bad files are skipped and listed: one of them must not keep the others from the site. */
function importFlags({ importOptions }: Config, watch: boolean, settingsFile: string | undefined): string[] {
  const settings = settingsFile === undefined ? [] : ['--settings', settingsFile];
  return [...settings, ...(watch ? ['--watch'] : []), '--skip-bad', ...importOptions];
}

/** `path` is a folder or a catalogue file. If the import fails, the server serves what it has. */
function startImport(path: string, flags: string[], log: App['log']): Stoppable {
  let isStopping = false;
  // Its output goes to standard error, because standard output is the log.
  const child = spawn(process.execPath, [process.argv[1] as string, 'import', ...flags, '--', path], {
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  let leftOut: unknown;
  child.once('message', (problems) => {
    leftOut = problems;
  });
  const ended = once(child, 'exit').then(([status]) => {
    if (isStopping) return;
    if (status === 0) log.info({ path }, 'import finished');
    else if (leftOut) log.warn({ path, leftOut }, 'import finished, but left something out');
    else log.error({ path, status }, 'import failed; its output says why');
  });
  return {
    /** Interrupts the import, which leaves the catalogue as it was, and waits until it has ended. */
    async stop() {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

// `zukan serve --demo`: restores the demo into an empty catalogue. It is a backup that zukan comes with.

const folder = join(import.meta.dirname, '../../../demo');

/** All of it or nothing, so the next start makes up for one that was interrupted. */
export async function fillWithDemo(config: Config): Promise<void> {
  if (!(await isEmpty(config))) return;
  // Loading it takes 0.2 s of CPU time, which later starts need not spend.
  const { restoreCommand } = await import('../moving/copies.ts');
  const terminal = { ...silentTerminal, stderr: process.stderr };
  await restoreCommand(() => config, folder, { check: false, quiet: true }, terminal).catch(async (error) => {
    // Another instance, or an import, was faster.
    if (await isEmpty(config)) throw error;
  });
}

async function isEmpty(config: Config): Promise<boolean> {
  await using snapshot = await openSnapshot(config);
  return await snapshot.isEmpty();
}
