/** `zukan import`: adds to the catalogue, or updates it, from catalogue files. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { filesOf, writerOf } from '../engines.ts';
import { ImportRefused, runImport, type Source, type Summary } from '../import/run.ts';
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
  const onSignal = () => interrupt.abort(new CommandError('interrupted; nothing was imported'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = startProgress('Importing', total);
  try {
    return await runImport(paths.map(sourceOf), writerOf(config), {
      files: filesOf(config),
      fresh: { now: new Date().toISOString(), newId: randomUUID },
      parallel: availableParallelism(),
      onProgress: progress.advance,
      signal: interrupt.signal,
    });
  } catch (error) {
    throw error instanceof ImportRefused ? new CommandError(listProblems(error)) : error;
  } finally {
    progress.finish();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function sourceOf(path: string): Source {
  return path === STANDARD_INPUT
    ? { name: 'standard input', folder: process.cwd(), chunks: process.stdin }
    : { name: path, folder: dirname(path), chunks: createReadStream(path) };
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
