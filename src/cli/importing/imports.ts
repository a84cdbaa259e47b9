/** `zukan imports`: lists the last imports, and reverts one. */

import type { Kept } from '../../changes/revert-entries.ts';
import { type RevertResult, revertImport } from '../../changes/revert-import.ts';
import type { Config } from '../../config/config.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import type { ImportRun } from '../../store/contract/import-runs.ts';
import { CommandError, listenForInterrupt, UsageError } from '../terminal/errors.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count, formatTable } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { list } from './report.ts';

const header = ['id', 'time', 'added', 'changed', 'removed', 'entries', 'state', 'source'];

export async function listImports(
  config: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const runs = await snapshot.importRuns();
  if (json) {
    const visible = runs.map(({ firstImage, lastImage, changes, ...run }) => run);
    printLine(terminal, JSON.stringify(visible));
  } else if (runs.length === 0) printLine(terminal, 'no import is recorded');
  else printLines(terminal, formatTable(header, runs.map(toRow)));
}

function toRow({ id, at, added, changed, removed, entries, state, ...run }: ImportRun): string[] {
  const source = run.origin === 'studio' ? 'added in the studio' : run.source;
  const numbers = [added, changed, removed, entries].map(String);
  return [String(id), at, ...numbers, state === 'revertible' ? '' : state, source];
}

export async function revertCommand(
  config: Config,
  id: string,
  { dryRun: isDryRun }: { dryRun: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!/^[1-9]\d{0,8}$/.test(id)) throw new UsageError(`${id}: must be the id of an import`);
  // After the commit the signal has no effect, so that the files are removed too.
  using interrupt = listenForInterrupt('interrupted; nothing was changed');
  const result = await revertImport(Number(id), {
    files: openFiles(config),
    openWriter: writersFor(config, terminal),
    isDryRun,
    isStrict: false,
    signal: interrupt.signal,
  });
  const files = await result.removeFiles().catch((error) => {
    throw new CommandError(
      `reverted import ${id}, but did not remove the files: ${error.message}; "zukan check --repair" removes them`,
    );
  });
  const done = describeResult(result);
  if (isDryRun)
    printLine(terminal, `dry run, nothing was changed; reverting import ${id} would result in: ${done}`);
  else printLine(terminal, `reverted import ${id}: ${done}, ${count(files, 'file')} removed`);
  printLines(terminal, list('kept', result.kept.map(describeKept)));
  if (result.run.removed > 0)
    printLine(terminal, `${count(result.run.removed, 'image')} that it removed cannot be restored`);
}

function describeResult({ removed, restored, entries }: RevertResult): string {
  return [
    `${count(removed.length, 'image')} removed`,
    `${count(restored.length, 'image')} restored`,
    `${entries} ${entries === 1 ? 'entry' : 'entries'} removed or restored`,
  ].join(', ');
}

function describeKept({ kind, id, name, reason }: Kept): string {
  return `${kind} ${name ?? id}: ${reason}`;
}
