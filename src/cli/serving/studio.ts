/** `zukan studio`: a web page to look after the catalogue, for the operator alone. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { newId } from '../../lib/random.ts';
import { openFiles, openSnapshot, openStore, openThumbnailMaker } from '../../server/engines.ts';
import { newSecret } from '../../studio/access.ts';
import { LocalAccess } from '../../studio/local-access.ts';
import { createStudioServer } from '../../studio/server.ts';
import { createStudio } from '../../studio/studio.ts';
import { importFolder } from '../importing/import.ts';
import { CommandError } from '../terminal/errors.ts';
import { parsePort } from '../terminal/options.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { openForChange } from '../writer.ts';

export interface StudioFlags {
  host: string;
  port: string;
}

export const LOOPBACK = '127.0.0.1';

export interface RunningStudio extends AsyncDisposable {
  /** With a new secret. */
  newAddress(): string;
}

/** Runs until SIGINT (Ctrl-C) or SIGTERM. */
export async function studioCommand(config: Config, flags: StudioFlags, terminal: Terminal): Promise<void> {
  const port = parsePort(flags.port);
  const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await using studio = await startStudio(config, { host: flags.host, port });
  const address = studio.newAddress();
  if (flags.host !== LOOPBACK)
    terminal.stderr.write(
      `warning: everyone who can reach ${flags.host} can connect, and the network can read what you do, because the\n` +
        'connection is not encrypted; an SSH tunnel to the default host is safer\n',
    );
  printLine(terminal, `zukan studio: ${address}`);
  printLine(terminal, 'The address works once. Press Enter for a new one, Ctrl-C to stop.');
  await using _page = await openInBrowser(address);
  terminal.stdin.on('data', () => printLine(terminal, `zukan studio: ${studio.newAddress()}`));
  await interrupted;
  terminal.stdin.destroy();
}

export async function startStudio(
  config: Config,
  { host, port }: { host: string; port: number },
): Promise<RunningStudio> {
  const store = await openStore(config);
  const files = openFiles(config);
  const studio = createStudio({
    catalogue: store.catalogue,
    files,
    thumbnails: openThumbnailMaker(config, files),
    openSnapshot: () => openSnapshot(config),
    openWriter: (user, onWait) => openForChange(config, { origin: 'studio', user }, onWait),
    thumbnailSizes: config.thumbnails,
    importFolder: (folder, continues, user) => importFolder(config, folder, continues, user),
    concurrency: 2 * availableParallelism(),
    clock: Date.now,
    newId: () => newId(),
  });
  const access = new LocalAccess(host, newSecret);
  const { server, listen } = createStudioServer(access, studio);
  const at = await listen({ host, port }).catch(async (error) => {
    await store[Symbol.asyncDispose]();
    throw new CommandError(
      `cannot listen on ${host}:${port}: ${error.message}; choose another --port or --host`,
    );
  });
  const name = at.family === 'IPv6' ? `[${at.address}]` : at.address;
  return {
    newAddress: () => `http://${name}:${at.port}/open?secret=${access.issueSecret()}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Through a file that only we can read: every user of the machine can see the arguments of a program. */
async function openInBrowser(address: string): Promise<AsyncDisposable> {
  const { platform, env } = process;
  const hasDisplay = platform === 'darwin' || platform === 'win32' || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!hasDisplay) return { [Symbol.asyncDispose]: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'zukan-studio-'));
  const page = join(folder, 'studio.html');
  const refresh = `<meta http-equiv="refresh" content="0;url=${address}">`;
  await writeFile(page, `<!doctype html><title>zukan studio</title>${refresh}\n`, { mode: 0o600 });
  const openers: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const [program = '', ...parameters] = openers[platform] ?? ['xdg-open'];
  // Without a browser, the operator still has the printed address.
  spawn(program, [...parameters, page], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
  return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
