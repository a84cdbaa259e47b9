/** `zukan import`: adds to the catalogue, or updates it, from catalogue files and folders of pictures. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Config } from '../config/config.ts';
import { openFiles, openWriter } from '../engines.ts';
import { countPictures, pictureFolder } from '../import/folder.ts';
import { newId } from '../import/id.ts';
import { ImportRefused, runImport } from '../import/run.ts';
import { catalogueFile, type Source } from '../import/source.ts';
import { CommandError } from './errors.ts';
import { noProgress, startProgress } from './progress.ts';
import { ImportReport, type Summary } from './report.ts';

const STANDARD_INPUT = '-';

export interface ImportFlags {
  dryRun?: boolean;
  quiet?: boolean;
}

export async function importCommand(config: Config, paths: string[], flags: ImportFlags): Promise<void> {
  const report = await importPaths(config, paths, flags);
  if (flags.dryRun) console.log('nothing was changed; an import would make it:');
  console.log([...report.lines(), ...report.records].join('\n'));
}

/** For those who only want to know how many. */
export async function importFiles(config: Config, paths: string[]): Promise<Summary> {
  return (await importPaths(config, paths, { quiet: true })).summary;
}

/** All of the paths or nothing. An interrupt (Ctrl-C) leaves the catalogue as it was. */
async function importPaths(config: Config, paths: string[], { dryRun = false, quiet = false }: ImportFlags) {
  const interrupt = new AbortController();
  const report = new ImportReport(dryRun);
  const sources: Source[] = [];
  let total: number | undefined = 0;
  for (const path of paths) {
    const { source, weight } = await sourceOf(path, interrupt.signal, report);
    sources.push(source);
    total = total === undefined || weight === undefined ? undefined : total + weight;
  }
  const onSignal = () => {
    interrupt.abort(new CommandError('interrupted; nothing was imported'));
    forget();
  };
  // Once: a second signal ends the program whatever it does.
  const forget = () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const progress = quiet ? noProgress : startProgress('Importing', total);
  try {
    await runImport(sources, () => openWriter(config), {
      files: openFiles(config),
      fresh: { now: new Date().toISOString(), newId: () => newId() },
      parallel: 2 * availableParallelism(),
      isRehearsal: dryRun,
      onProgress: progress.advance,
      report,
      signal: interrupt.signal,
    });
    return report;
  } catch (error) {
    if (error instanceof ImportRefused) throw new CommandError(listProblems(error));
    throw interrupt.signal.aborted ? interrupt.signal.reason : error;
  } finally {
    progress.finish();
    forget();
  }
}

/** The signal ends its stream too, which may be waiting for what never comes. */
async function sourceOf(
  path: string,
  signal: AbortSignal,
  report: ImportReport,
): Promise<{ source: Source; weight: number | undefined }> {
  if (path === STANDARD_INPUT) {
    const open = () => addAbortSignal(signal, process.stdin);
    return { source: catalogueFile('standard input', process.cwd(), open), weight: undefined };
  }
  const facts = await stat(path).catch(() => {
    throw new CommandError(`${path}: no such file or folder`);
  });
  if (facts.isDirectory())
    return {
      source: pictureFolder(path, (ignored) => report.ignored(ignored)),
      weight: await countPictures(path),
    };
  if (!facts.isFile()) throw new CommandError(`${path}: is neither a catalogue file nor a folder`);
  const open = () => createReadStream(path, { signal });
  return { source: catalogueFile(path, dirname(path), open), weight: facts.size };
}

function listProblems({ problems, message }: ImportRefused): string {
  return [message, ...problems.map(({ where, reason }) => `${where}: ${reason}`)].join('\n');
}
