/** `zukan import`: adds to the catalogue, or updates it, from catalogue files. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Config } from '../config.ts';
import { filesOf, writerOf } from '../engines.ts';
import { ImportRefused, runImport, type Source } from '../import/run.ts';
import type { Summary } from '../import/save.ts';
import { CommandError } from './failure.ts';
import { startProgress } from './progress.ts';

const STANDARD_INPUT = '-';

export async function importCommand(config: Config, paths: string[]): Promise<void> {
  const summary = await importFiles(config, paths);
  console.log(`${summary.added} added, ${summary.updated} updated, ${summary.unchanged} unchanged`);
}

/** All of the files or nothing. An interrupt (Ctrl-C) leaves the catalogue as it was. */
export async function importFiles(config: Config, paths: string[]): Promise<Summary> {
  const sizes = await Promise.all(paths.map(sizeOf));
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const interrupt = new AbortController();
  const onSignal = () => {
    interrupt.abort(new CommandError('interrupted; nothing was imported'));
    forget();
  };
  // Once: a second signal ends the program whatever it does.
  const forget = () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const progress = startProgress('Importing', total);
  try {
    const sources = paths.map((path) => sourceOf(path, interrupt.signal));
    return await runImport(sources, writerOf(config), {
      files: filesOf(config),
      fresh: { now: new Date().toISOString(), newId: randomUUID },
      parallel: availableParallelism(),
      onProgress: progress.advance,
      signal: interrupt.signal,
    });
  } catch (error) {
    if (error instanceof ImportRefused) throw new CommandError(listProblems(error));
    throw interrupt.signal.aborted ? interrupt.signal.reason : error;
  } finally {
    progress.finish();
    forget();
  }
}

/** The signal ends its stream too, which may be waiting for what never comes. */
function sourceOf(path: string, signal: AbortSignal): Source {
  if (path === STANDARD_INPUT)
    return {
      name: 'standard input',
      folder: process.cwd(),
      open: () => addAbortSignal(signal, process.stdin),
    };
  return { name: path, folder: dirname(path), open: () => createReadStream(path, { signal }) };
}

async function sizeOf(path: string): Promise<number | undefined> {
  if (path === STANDARD_INPUT) return undefined;
  const facts = await stat(path).catch(() => {
    throw new CommandError(`${path}: no such file`);
  });
  if (!facts.isFile()) throw new CommandError(`${path}: is not a catalogue file`);
  return facts.size;
}

function listProblems({ problems, message }: ImportRefused): string {
  const lines = problems.map(({ source, line, reason }) => `${source}:${line}: ${reason}`);
  return [message, ...lines].join('\n');
}
