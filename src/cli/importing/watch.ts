/** `zukan import --watch` imports folders again whenever something changes in them. */
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import type { GoneImage, PruneOptions } from '../../import/apply/versions.ts';
import type { Readiness } from '../../import/sources/source.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  listenForInterrupt,
  printable,
  printLine,
  printLines,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';
import { describeGone, findDoubt, type ImportFlags, importPaths } from './import.ts';
import { checkFlags } from './options.ts';

/**
 * A file is imported if it looks the same this much later. The first scan after a change waits as long: copying a folder
 * causes many events.
 */
const SETTLE_MS = 2500;
/** Not every file system reports changes. */
const RESCAN_MS = 60_000;

/** Tests pass their own. */
interface Surroundings {
  clock: Clock;
  /** Does not jump when the clock is set. */
  steadyClock: Clock;
  /** Waits, and ends early when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back when something changes in a folder. Returns nothing if the file system does not report changes. */
  watch(folder: string, onChange: () => void): { close(): void } | undefined;
}

const realSurroundings: Surroundings = {
  clock: Date.now,
  steadyClock: () => performance.now(),
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
  watch(folder, onChange) {
    try {
      const watcher = watch(folder, { recursive: true }, onChange);
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  },
};

export async function watchCommand(
  config: Config,
  folders: string[],
  flags: ImportFlags,
  terminal: Terminal,
  surroundings: Surroundings = realSurroundings,
): Promise<void> {
  checkFlags(flags);
  if (flags.dryRun) throw new UsageError('--watch and --dry-run cannot be combined');
  if (flags.strict) throw new UsageError('--watch and --strict cannot be combined');
  for (const folder of folders) await checkFolder(folder);
  using interrupt = listenForInterrupt('interrupted');
  const { signal } = interrupt;
  using changes = watchFolders(folders, surroundings, signal);
  const readyFiles = new ReadyFiles();
  const confirmPrune = pruneCarefully(config, flags, terminal, surroundings.steadyClock);
  printLine(terminal, `watching ${folders.join(', ')}; stop with Ctrl-C`);
  while (!signal.aborted) {
    readyFiles.startScan();
    try {
      const { readiness, readAgain } = readyFiles;
      const run = { signal, confirmPrune, readiness, onHidden: readAgain };
      // One bad file must not keep the others out.
      const options = { ...flags, skipBad: true, quiet: true };
      const report = await importPaths(config, folders, options, terminal, run);
      if (!report.isEmpty)
        printLines(terminal, [
          `${new Date(surroundings.clock()).toISOString()} ${report.headline}`,
          ...report.loweredLines(),
          ...report.invalidLines(),
        ]);
    } catch (error) {
      if (signal.aborted) break;
      // Another command may be writing, or a disk or database may be away for a moment.
      terminal.stderr.write(`zukan: ${printable((error as Error).message)}; trying again\n`);
      readyFiles.forget();
    }
    await changes.next(readyFiles.isWaiting ? SETTLE_MS : RESCAN_MS);
  }
  printLine(terminal, 'stopped watching');
}

async function checkFolder(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isDirectory()) throw new UsageError(`${path}: --watch needs a folder`);
}

/**
 * Nobody is there to ask, so a doubtful removal waits for an import by hand. It is mentioned once. `--yes` was given before
 * a disk was unmounted, so it is not about that.
 */
function pruneCarefully(
  config: Config,
  { yes = false }: ImportFlags,
  terminal: Terminal,
  clock: Clock,
): PruneOptions['confirm'] {
  const grace = new GracePeriod();
  let mentioned = '';
  return async (candidates) => {
    const gone = grace.expired(candidates.gone, clock());
    const isConfirmed = yes && candidates.emptyFolders.length === 0;
    const doubt = isConfirmed ? undefined : await findDoubt(config, { ...candidates, gone });
    if (doubt === undefined) printLines(terminal, describeGone(gone));
    else if (doubt !== mentioned)
      printLine(terminal, `removed nothing: ${doubt} If this is right, import by hand with --prune --yes.`);
    mentioned = doubt ?? '';
    return doubt === undefined ? gone : [];
  };
}

interface Changes extends Disposable {
  /** Waits until something changed since the last call, at most as long as given, or until the signal is aborted. */
  next(maxMs: number): Promise<void>;
}

function watchFolders(folders: string[], { wait, watch }: Surroundings, signal: AbortSignal): Changes {
  let hasChanged = false;
  let wake = () => {};
  const onChange = () => {
    hasChanged = true;
    wake();
  };
  const watchers = folders.map((folder) => watch(folder, onChange));
  return {
    async next(maxMs) {
      const elapsed = new AbortController();
      const either = AbortSignal.any([signal, elapsed.signal]);
      wake = () => elapsed.abort();
      if (!hasChanged) await wait(maxMs, either);
      if (hasChanged) await wait(SETTLE_MS, signal);
      hasChanged = false;
    },
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher?.close();
    },
  };
}

export const GRACE_MS = 10 * 60_000;

/**
 * Since when images have no file. A picture that is moved by copying and deleting, or replaced by a program that synchronises
 * folders, is away for a while, so an image is removed only if no scan found its picture for this long.
 */
class GracePeriod {
  #goneSince = new Map<string, number>();

  /** Those that are gone for long enough. `gone` is all that this scan missed. */
  expired(gone: GoneImage[], now: number): GoneImage[] {
    this.#goneSince = new Map(gone.map(({ id }) => [id, this.#goneSince.get(id) ?? now]));
    return gone.filter(({ id }) => now - (this.#goneSince.get(id) as number) >= GRACE_MS);
  }
}

interface Candidate {
  fingerprint: string;
  wasRead: boolean;
}

/**
 * Which new or changed files are ready to be read. A program may still be writing one: it is ready when two scans in a row
 * find the same fingerprint. A file that was read and could not be imported waits until it changes.
 */
class ReadyFiles {
  #previous = new Map<string, Candidate>();
  #current = new Map<string, Candidate>();
  #isWaiting = false;

  /** Whether the last scan found files that were not ready. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  startScan(): void {
    this.#previous = this.#current;
    this.#current = new Map();
    this.#isWaiting = false;
  }

  /** Whether to read a new or changed file. */
  readonly readiness = (path: string, fingerprint: string): Readiness => {
    const before = this.#previous.get(path);
    const isSame = before?.fingerprint === fingerprint;
    this.#current.set(path, { fingerprint, wasRead: isSame });
    if (isSame) return before.wasRead ? 'failed' : 'ready';
    this.#isWaiting = true;
    return 'settling';
  };

  /** A picture that is private is not imported, and every scan has to say so: to `--prune`, its image is gone. */
  readonly readAgain = (path: string): void => {
    const candidate = this.#current.get(path);
    if (candidate) candidate.wasRead = false;
  };

  /** The last scan failed as a whole: what it read has to be read again. */
  forget(): void {
    for (const candidate of this.#current.values()) candidate.wasRead = false;
    this.#isWaiting = true;
  }
}
