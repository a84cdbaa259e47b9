/** Opens the sources of an import and runs it. */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { SourceFileReader } from '../catalogue/source-files.ts';
import type { Rating } from '../catalogue/types.ts';
import type { Config } from '../config/config.ts';
import { createCatalogue, openFiles, openSnapshot, openSourceFiles } from '../engines.ts';
import { describeOptions } from '../import/fingerprint.ts';
import { countPictures, type FolderOptions, isPictureName, pictureFolder } from '../import/folder.ts';
import { newId } from '../import/id.ts';
import { Prune, type PruneOptions } from '../import/prune.ts';
import { InvalidRecords, runImport } from '../import/run.ts';
import { catalogueFile, type Source } from '../import/source.ts';
import { CommandError, UsageError } from './errors.ts';
import { noProgress, startProgress } from './progress.ts';
import { describeProblem, ImportReport } from './report.ts';
import { announceCreated, type Terminal } from './terminal.ts';
import { writersFor } from './writer.ts';

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

export interface ImportRun {
  signal: AbortSignal;
  /** With `prune`. */
  confirmPrune: PruneOptions['confirm'];
  isReady?: FolderOptions['isReady'];
}

/** Imports all paths or none. Aborting the signal leaves the catalogue unchanged. */
export async function importPaths(
  config: Config,
  paths: string[],
  flags: ImportFlags,
  terminal: Terminal,
  { signal, confirmPrune, isReady }: ImportRun,
): Promise<ImportReport> {
  const { dryRun: isDryRun = false, keepLocation: keepsLocation = false, full: isFull = false } = flags;
  const { defaultRating = 'sfw' } = flags;
  const report = new ImportReport({
    isDryRun,
    keepsLocation,
    defaultRating,
    openSnapshot: () => openSnapshot(config),
  });
  const ladder = config.thumbnails;
  let known: SourceFileReader;
  const folderOptions: FolderOptions = {
    onIgnored: (path) => report.ignored(path),
    signal,
    clock: Date.now,
    readOptions: describeOptions({ keepsLocation, ladder }),
    findKnown: async (folder, files) => {
      const found = await known.find(folder, files);
      return isFull ? found.map((file) => ({ ...file, fingerprint: '' })) : found;
    },
    isReady,
  };
  const opened = await Promise.all(
    paths.map((path) => openSource(path, terminal, folderOptions, flags.quiet)),
  );
  const sources = opened.map(({ source }) => source);
  // Not before the paths are known to be right.
  announceCreated(terminal, await createCatalogue(config));
  await using reader = await openSourceFiles(config);
  known = reader;
  const sizes = opened.map(({ size }) => size);
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const progress = flags.quiet ? noProgress : startProgress('Importing', total, terminal);
  const folders = sources.filter(({ isFolder }) => isFolder);
  if (flags.prune && folders.length === 0) throw new UsageError('--prune needs a folder of pictures');
  const prune = flags.prune
    ? new Prune({
        folders: await Promise.all(folders.map(({ folder }) => realpath(folder))),
        openFiles: () => openSourceFiles(config),
        confirm: (...gone) => {
          progress.finish();
          return confirmPrune(...gone);
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
      ...{ ladder, isDryRun, keepsLocation, report, signal },
      skipsInvalid: flags.skipBad ?? false,
      onProgress: progress.advance,
    };
    report.invalid(await runImport(sources, writersFor(config, terminal), options, prune));
    return report;
  } catch (error) {
    if (error instanceof InvalidRecords)
      throw new CommandError(error.message, ...error.problems.map(describeProblem));
    throw signal.aborted ? signal.reason : error;
  } finally {
    progress.finish();
  }
}

/** `size` is undefined if it is not known. The signal also ends a stream that waits for input. */
async function openSource(
  path: string,
  { stdin }: Terminal,
  options: FolderOptions,
  isQuiet = false,
): Promise<{ source: Source; size: number | undefined }> {
  const { signal } = options;
  if (path === STANDARD_INPUT) {
    const open = () => addAbortSignal(signal, stdin);
    return { source: catalogueFile('standard input', process.cwd(), open), size: undefined };
  }
  const facts = await stat(path).catch(() => {
    throw new CommandError(`${path}: no such file or folder`);
  });
  if (facts.isDirectory())
    return { source: pictureFolder(path, options), size: isQuiet ? undefined : await countPictures(path) };
  if (!facts.isFile()) throw new CommandError(`${path}: is neither a file nor a folder`);
  if (isPictureName(path))
    throw new CommandError(`${path}: is a picture; import its folder, or a catalogue file that names it`);
  const open = () => createReadStream(path, { signal });
  return { source: catalogueFile(path, dirname(path), open), size: facts.size };
}
