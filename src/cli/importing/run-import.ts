/** Opens the sources of an import and runs it. */
import { createReadStream } from 'node:fs';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Rating } from '../../catalogue/types.ts';
import type { Config } from '../../config/config.ts';
import { sqliteDatabase } from '../../config/urls.ts';
import { Prune, type PruneOptions } from '../../import/apply/prune.ts';
import type { ImportSource } from '../../import/prepare/prepare.ts';
import { InvalidRecords, runImport } from '../../import/run.ts';
import { describeOptions } from '../../import/sources/fingerprint.ts';
import {
  countPictures,
  type FolderOptions,
  isPictureName,
  pictureFolder,
} from '../../import/sources/folder.ts';
import { catalogueFile, type Source } from '../../import/sources/source.ts';
import { newId } from '../../lib/random.ts';
import {
  createCatalogue,
  hasCatalogue,
  openFiles,
  openSnapshot,
  openSourceFiles,
} from '../../server/engines.ts';
import { CommandError, UsageError } from '../terminal/errors.ts';
import { noProgress, startProgress } from '../terminal/progress.ts';
import { announceCreated, type Terminal } from '../terminal/terminal.ts';
import { writersFor } from '../writer.ts';
import { describeProblem, ImportReport } from './report.ts';

const STANDARD_INPUT = '-';

export interface ImportFlags {
  dryRun?: boolean;
  keepLocation?: boolean;
  /** Of new pictures without a marker. */
  defaultRating?: Rating;
  quiet?: boolean;
  /** Skips invalid records instead of importing nothing. */
  skipBad?: boolean;
  /** Reads pictures that did not change, too. */
  full?: boolean;
  /** Removes images whose files are gone from the folders. */
  prune?: boolean;
}

interface ImportControl {
  signal: AbortSignal;
  /** With `prune`. */
  confirmPrune: PruneOptions['confirm'];
  readiness?: FolderOptions['readiness'];
  /** Where it was started. */
  origin?: 'import' | 'studio';
  /** How the import is listed. Without it, by its paths. */
  run?: ImportSource;
}

/** Imports all paths or none. Aborting the signal leaves the catalogue unchanged. */
export async function importPaths(
  config: Config,
  paths: string[],
  flags: ImportFlags,
  terminal: Terminal,
  control: ImportControl,
): Promise<ImportReport> {
  // First, because a mistyped path must not create a catalogue.
  const places = await Promise.all(paths.map(findPlace));
  if (flags.prune && !places.some(({ kind }) => kind === 'folder'))
    throw new UsageError('--prune needs a folder of pictures');
  await using target = await openTarget(config, flags.dryRun ?? false, terminal);
  return await importPlaces(target.config, places, flags, terminal, control);
}

async function importPlaces(
  config: Config,
  places: Place[],
  flags: ImportFlags,
  terminal: Terminal,
  {
    signal,
    confirmPrune,
    readiness,
    origin = 'import',
    run = { source: describePlaces(places) },
  }: ImportControl,
): Promise<ImportReport> {
  const { dryRun: isDryRun = false, keepLocation: keepsLocation = false, full: isFull = false } = flags;
  const { defaultRating = 'sfw' } = flags;
  const report = new ImportReport({
    isDryRun,
    keepsLocation,
    defaultRating,
    openSnapshot: () => openSnapshot(config),
  });
  const thumbnailSizes = config.thumbnails;
  await using known = await openSourceFiles(config);
  const folderOptions: FolderOptions = {
    onIgnored: (path) => report.ignored(path),
    signal,
    clock: Date.now,
    readOptions: describeOptions({ keepsLocation, thumbnailSizes }),
    known,
    isFull,
    readiness,
  };
  const sources = places.map((place) => openSource(place, terminal, folderOptions));
  const progress = flags.quiet ? noProgress : startProgress('Importing', await measure(places), terminal);
  const folders = sources.filter(({ isFolder }) => isFolder);
  const prune = flags.prune
    ? new Prune({
        folders: await Promise.all(folders.map(({ folder }) => realpath(folder))),
        openFiles: () => openSourceFiles(config),
        confirm: (candidates) => {
          progress.finish();
          return confirmPrune(candidates);
        },
        onRemoved: (count) => report.pruned(count),
      })
    : undefined;
  if (prune) report.pruned(0);
  try {
    const options = {
      files: openFiles(config),
      defaults: { now: new Date().toISOString(), newId: () => newId(), rating: defaultRating },
      concurrency: 2 * availableParallelism(),
      run,
      thumbnailSizes,
      isDryRun,
      isFull,
      keepsLocation,
      report,
      signal,
      skipsInvalid: flags.skipBad ?? false,
      onProgress: progress.advance,
    };
    report.finish(await runImport(sources, writersFor(config, terminal, origin), options, prune));
    return report;
  } catch (error) {
    if (error instanceof InvalidRecords) {
      const advice = origin === 'import' ? [describeWayOut(error.problems.length, folders.length > 0)] : [];
      throw new CommandError(error.message, ...error.problems.map(describeProblem), ...advice);
    }
    throw signal.aborted ? signal.reason : error;
  } finally {
    progress.finish();
  }
}

function describeWayOut(problems: number, hasFolder: boolean): string {
  const [them, those] = problems === 1 ? ['it', 'it'] : ['these', 'them'];
  const advice = `fix ${them}, or skip ${those} with --skip-bad`;
  return hasFolder ? `${advice}; the pictures that were read are kept for the next attempt` : advice;
}

function describePlaces(places: Place[]): string {
  return places.map((place) => (place.kind === 'stdin' ? 'standard input' : resolve(place.path))).join(', ');
}

/** A path of the command line. `size` is that of a catalogue file. */
type Place =
  | { kind: 'stdin' }
  | { kind: 'folder'; path: string }
  | { kind: 'file'; path: string; size: number };

async function findPlace(path: string): Promise<Place> {
  if (path === STANDARD_INPUT) return { kind: 'stdin' };
  const facts = await stat(path).catch(() => {
    throw new CommandError(`${path}: no such file or folder`);
  });
  if (facts.isDirectory()) return { kind: 'folder', path };
  if (!facts.isFile()) throw new CommandError(`${path}: is neither a file nor a folder`);
  if (isPictureName(path))
    throw new CommandError(`${path}: is a picture; import its folder, or a catalogue file that names it`);
  return { kind: 'file', path, size: facts.size };
}

/** The signal also ends a stream that waits for input. */
function openSource(place: Place, { stdin }: Terminal, options: FolderOptions): Source {
  const { signal } = options;
  if (place.kind === 'stdin')
    return catalogueFile('standard input', process.cwd(), () => addAbortSignal(signal, stdin));
  if (place.kind === 'folder') return pictureFolder(place.path, options);
  const open = () => createReadStream(place.path, { signal });
  return catalogueFile(place.path, dirname(place.path), open);
}

/** The sum of bytes of catalogue files and of pictures in folders. Undefined if it is not known. */
async function measure(places: Place[]): Promise<number | undefined> {
  let total = 0;
  for (const place of places) {
    if (place.kind === 'stdin') return undefined;
    total += place.kind === 'file' ? place.size : await countPictures(place.path);
  }
  return total;
}

/** The catalogue that an import changes, or that a dry run only reads. */
interface ImportTarget extends AsyncDisposable {
  config: Config;
}

/** Creates a catalogue if there is none. A dry run leaves nothing behind, so it gets a temporary one instead. */
async function openTarget(
  config: Config,
  isDryRun: boolean,
  terminal: Pick<Terminal, 'stderr'>,
): Promise<ImportTarget> {
  if (!isDryRun) announceCreated(terminal, await createCatalogue(config));
  else if (!(await hasCatalogue(config))) return createTemporary(config);
  return { config, async [Symbol.asyncDispose]() {} };
}

async function createTemporary(config: Config): Promise<ImportTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-dry-run-'));
  const temporary: Config = { ...config, database: sqliteDatabase(join(folder, 'zukan.db')) };
  await createCatalogue(temporary);
  return {
    config: temporary,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
