/** `zukan import`: adds or updates records from catalogue files and folders of pictures. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Rating } from '../catalogue/types.ts';
import type { Config } from '../config/config.ts';
import { openFiles, openSnapshot } from '../engines.ts';
import { countPictures, pictureFolder } from '../import/folder.ts';
import { newId } from '../import/id.ts';
import type { Problem } from '../import/problems.ts';
import { InvalidRecords, runImport } from '../import/run.ts';
import { catalogueFile, type Source } from '../import/source.ts';
import { CommandError } from './errors.ts';
import { listenForInterrupt } from './interrupt.ts';
import { noProgress, startProgress } from './progress.ts';
import { ImportReport, type Summary } from './report.ts';
import { printLine, printLines, type Terminal } from './terminal.ts';
import { writersFor } from './writer.ts';

const STANDARD_INPUT = '-';

export interface ImportFlags {
  dryRun?: boolean;
  keepLocation?: boolean;
  defaultRating?: Rating;
  quiet?: boolean;
}

export async function importCommand(
  config: Config,
  paths: string[],
  flags: ImportFlags,
  terminal: Terminal,
): Promise<void> {
  const report = await importPaths(config, paths, flags, terminal);
  if (flags.dryRun) printLine(terminal, 'dry run, nothing was changed; this import would result in:');
  printLines(terminal, [...(await report.lines()), ...report.records]);
}

/** Imports without printing anything. */
export async function importFiles(config: Config, paths: string[]): Promise<Summary> {
  return (await importPaths(config, paths, { quiet: true }, process)).summary;
}

/** The same, of one folder, with what the command would print. */
export async function importFolder(config: Config, folder: string): Promise<Summary & { notes: string[] }> {
  const report = await importPaths(config, [folder], { quiet: true }, process);
  return { ...report.summary, notes: await report.lines() };
}

/** Imports all paths or none. An interrupt (Ctrl-C) leaves the catalogue unchanged. */
async function importPaths(
  config: Config,
  paths: string[],
  { dryRun = false, quiet = false, keepLocation = false, defaultRating = 'sfw' }: ImportFlags,
  terminal: Terminal,
) {
  using interrupt = listenForInterrupt('interrupted; nothing was imported');
  const report = new ImportReport(dryRun, keepLocation, defaultRating, () => openSnapshot(config));
  const sources: Source[] = [];
  let total: number | undefined = 0;
  for (const path of paths) {
    const { source, size } = await openSource(path, terminal, interrupt.signal, report);
    sources.push(source);
    total = total === undefined || size === undefined ? undefined : total + size;
  }
  const progress = quiet ? noProgress : startProgress('Importing', total, terminal);
  try {
    await runImport(sources, writersFor(config, terminal), {
      files: openFiles(config),
      defaults: { now: new Date().toISOString(), newId: () => newId(), rating: defaultRating },
      concurrency: 2 * availableParallelism(),
      ladder: config.thumbnails,
      isDryRun: dryRun,
      keepsLocation: keepLocation,
      onProgress: progress.advance,
      report,
      signal: interrupt.signal,
    });
    return report;
  } catch (error) {
    if (error instanceof InvalidRecords)
      throw new CommandError(error.message, ...error.problems.map(describeProblem));
    throw interrupt.signal.aborted ? interrupt.signal.reason : error;
  } finally {
    progress.finish();
  }
}

/** `size` is undefined if it is not known. The signal also ends a stream that waits for input. */
async function openSource(
  path: string,
  { stdin }: Terminal,
  signal: AbortSignal,
  report: ImportReport,
): Promise<{ source: Source; size: number | undefined }> {
  if (path === STANDARD_INPUT) {
    const open = () => addAbortSignal(signal, stdin);
    return { source: catalogueFile('standard input', process.cwd(), open), size: undefined };
  }
  const facts = await stat(path).catch(() => {
    throw new CommandError(`${path}: no such file or folder`);
  });
  if (facts.isDirectory())
    return {
      source: pictureFolder(path, (ignored) => report.ignored(ignored), signal),
      size: await countPictures(path),
    };
  if (!facts.isFile()) throw new CommandError(`${path}: is neither a file nor a folder`);
  const open = () => createReadStream(path, { signal });
  return { source: catalogueFile(path, dirname(path), open), size: facts.size };
}

function describeProblem({ label, reason }: Problem): string {
  return `${label}: ${reason}`;
}
