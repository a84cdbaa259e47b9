/** `zukan studio`: a web page to look after the catalogue, for the operator, or with --remote for people who sign in. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { isLoopbackName } from '../../access/clients.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/random.ts';
import { siteReader } from '../../lib/site-texts.ts';
import {
  disksOf,
  openFiles,
  openSnapshot,
  openSourceFiles,
  openStore,
  openThumbnailMaker,
  requireOwnFiles,
  userName,
} from '../../server/engines.ts';
import { LocalAccess, newSecret } from '../../studio/access.ts';
import {
  MAX_NAME_LENGTH,
  MAX_PASSWORD_BYTES,
  MIN_PASSWORD_LENGTH,
  normaliseName,
  peopleReader,
  readPeople,
  removePerson,
  setPassword,
} from '../../studio/passwords.ts';
import { RemoteAccess, type RemoteAccessOptions } from '../../studio/remote-access.ts';
import { readPage } from '../../studio/requests.ts';
import { createStudioServer, type TlsFiles } from '../../studio/server.ts';
import { createStudio } from '../../studio/studio.ts';
import { importFolder } from '../importing/import.ts';
import { checkFiles } from '../maintenance/check.ts';
import {
  ask,
  CommandError,
  isInteractive,
  listenForInterrupt,
  printLine,
  type Terminal,
  UsageError,
  warnOn,
} from '../terminal/terminal.ts';
import { openForChange } from '../writer.ts';

interface StudioFlags {
  host: string;
  port?: number;
  remote: boolean;
  certificate?: string;
  key?: string;
}

interface StudioOptions {
  host: string;
  /** Undefined: the usual one of the catalogue if it is free, because browsers keep what is not saved by address. */
  port: number | undefined;
  warn?: (problem: string) => void;
  /** People sign in. Without TLS, a trusted proxy must speak HTTPS. */
  remote?: Pick<RemoteAccessOptions, 'onEvent' | 'maxFormMs'> & { tls?: TlsFiles | undefined; clock?: Clock };
}

interface RunningStudio extends AsyncDisposable {
  /** With a new secret, unless people sign in. */
  newAddress(): string;
}

/** Runs until SIGINT (Ctrl-C) or SIGTERM. */
export async function studioCommand(config: Config, flags: StudioFlags, terminal: Terminal): Promise<void> {
  const { host, port } = flags;
  const remote = flags.remote ? prepareRemote(config, flags, terminal) : undefined;
  if (!remote && (flags.certificate ?? flags.key) !== undefined)
    throw new UsageError('--certificate and --key are for --remote');
  using interrupt = listenForInterrupt('interrupted');
  const interrupted = once(interrupt.signal, 'abort');
  await using studio = await startStudio(config, {
    host,
    port,
    warn: warnOn(terminal),
    ...(remote && { remote }),
  });
  const address = studio.newAddress();
  if (remote) {
    printLine(terminal, `zukan studio: ${address}${remote.tls ? '' : ', for the proxy'}`);
    printLine(terminal, 'People sign in with their name and password. Press Ctrl-C to stop.');
    await interrupted;
    return;
  }
  if (!isLoopbackName(host))
    terminal.stderr.write(
      `warning: everyone who can reach ${host} can connect, and the network can read what you do, because the\n` +
        'connection is not encrypted; --remote, or an SSH tunnel to the default host, is safer\n',
    );
  printLine(terminal, `zukan studio: ${address}`);
  printLine(terminal, 'The address works once. Press Enter for a new one, Ctrl-C to stop.');
  await using _page = await openInBrowser(address);
  terminal.stdin.on('data', () => printLine(terminal, `zukan studio: ${studio.newAddress()}`));
  await interrupted;
  terminal.stdin.destroy();
}

/** Refuses to serve what nobody could use, or everybody could read. */
function prepareRemote(
  { dataDir, trustedProxies }: Config,
  { certificate, key }: StudioFlags,
  terminal: Terminal,
): NonNullable<StudioOptions['remote']> {
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError('--certificate and --key belong together: give both');
  if (certificate === undefined && trustedProxies.rules.length === 0)
    throw new UsageError(
      '--remote needs HTTPS: give --certificate and --key, or run it behind a proxy that speaks HTTPS, and set',
      'TRUSTED_PROXIES to the address of the proxy',
    );
  if (readPeople(dataDir).length === 0)
    throw new CommandError('nobody could sign in yet; set a password with "zukan studio password <name>"');
  const onEvent = (text: string) => printLine(terminal, `${new Date().toISOString()} ${text}`);
  if (certificate === undefined || key === undefined) return { onEvent };
  const tls = { cert: readPem(certificate, '--certificate'), key: readPem(key, '--key') };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new CommandError(`${certificate} and ${key} cannot be used: ${(error as Error).message}`);
  }
  return { onEvent, tls };
}

function readPem(path: string, option: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError(`${option} ${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export async function startStudio(
  config: Config,
  { host, port, remote, warn = () => {} }: StudioOptions,
): Promise<RunningStudio> {
  await requireOwnFiles(config);
  const store = await openStore(config);
  const files = openFiles(config);
  const studio = createStudio({
    catalogue: store.catalogue,
    files,
    thumbnails: openThumbnailMaker(config, files),
    openSnapshot: () => openSnapshot(config),
    openSourceFiles: () => openSourceFiles(config),
    lastBackup: () => store.lastBackup(),
    disks: () => disksOf(config),
    site: siteReader(config.site, () => store.catalogue.siteTexts),
    openWriter: (user, onWait) => openForChange(config, { origin: 'studio', user }, { onWait, warn }),
    localUser: userName(),
    warn,
    thumbnailSizes: config.thumbnails,
    importFolder: (folder, continues, user) => importFolder(config, folder, continues, user),
    checkFiles: async (onImage) => (await checkFiles(config, files, onImage)).problems,
    concurrency: 2 * availableParallelism(),
    clock: Date.now,
    newId: () => newId(),
  });
  const local = new LocalAccess(host, newSecret);
  const access = remote
    ? new RemoteAccess({
        ...{ clock: Date.now, ...remote, newSecret },
        hasTls: remote.tls !== undefined,
        trustedProxies: config.trustedProxies,
        people: peopleReader(config.dataDir),
      })
    : local;
  const { server, listen } = createStudioServer(access, studio, remote?.tls);
  const usual = port ?? (await findUsualPort(config));
  const first = listen({ host, port: usual });
  const at = await (port === undefined ? first.catch(() => listen({ host, port: 0 })) : first).catch(
    async (error) => {
      await store[Symbol.asyncDispose]();
      throw new CommandError(
        `cannot listen on ${host}:${usual}: ${error.message}; choose another --port or --host`,
      );
    },
  );
  // So that the browser need not wait for it. It reports what is wrong.
  readPage().catch(() => {});
  const name = at.family === 'IPv6' ? `[${at.address}]` : at.address;
  const origin = `${remote?.tls ? 'https' : 'http'}://${name}:${at.port}`;
  return {
    newAddress: () => (remote ? `${origin}/` : `${origin}/open?secret=${local.issueSecret()}`),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Below those that Linux gives to outgoing connections. */
async function findUsualPort(config: Config): Promise<number> {
  await using snapshot = await openSnapshot(config);
  return 0x4000 + (hash('sha256', (await snapshot.identity()) ?? '', 'buffer').readUInt16BE() % 0x4000);
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

// `zukan studio password`: who may sign in to a remote studio.

const nameSyntax = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@-]*$/u;

/** The password is never an argument: every user of the machine can see those. */
export async function passwordCommand(
  { dataDir }: Config,
  givenName: string,
  { remove }: { remove: boolean },
  terminal: Terminal,
): Promise<void> {
  const name = normaliseName(givenName);
  if (!nameSyntax.test(name) || name.length > MAX_NAME_LENGTH)
    throw new UsageError(
      `${givenName}: a name has up to ${MAX_NAME_LENGTH} letters, digits, spaces and . _ @ -, and begins with a letter or digit`,
    );
  if (remove) {
    if (!(await removePerson(dataDir, name))) throw new CommandError(`nobody is called ${name}`);
    printLine(terminal, `removed ${name}; their sessions have ended`);
    return;
  }
  const password = isInteractive(terminal) ? await askTwice(terminal) : await readFirstLine(terminal);
  if ([...password].length < MIN_PASSWORD_LENGTH)
    throw new CommandError(`the password is too short: it needs at least ${MIN_PASSWORD_LENGTH} characters`);
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    throw new CommandError(`the password is too long: it may have at most ${MAX_PASSWORD_BYTES} bytes`);
  await setPassword(dataDir, name, password);
  printLine(terminal, `set the password of ${name}; sessions with another one have ended`);
}

async function askTwice(terminal: Terminal): Promise<string> {
  const [password, again] = [await askHidden('Password: '), await askHidden('Again: ')];
  if (password !== again) throw new CommandError('the two passwords are not the same; nothing was changed');
  return password;

  async function askHidden(question: string): Promise<string> {
    const answer = await ask(question, terminal, { isHidden: true });
    if (answer === undefined) throw new CommandError('interrupted; nothing was changed');
    return answer;
  }
}

async function readFirstLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.includes('\n') || text.length > MAX_PASSWORD_BYTES) break;
  }
  return text.split(/\r?\n/, 1)[0] as string;
}
