/** `zukan undo`: undoes a change. `zukan imports` lists those that are imports. */

import type { Change } from '../../catalogue/change-log.ts';
import { ChangedSince, undoChange } from '../../changes/undo.ts';
import type { Kept, UndoResult } from '../../changes/undoing.ts';
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { list } from '../importing/list.ts';
import { CommandError, listenForInterrupt } from '../terminal/errors.ts';
import { startProgress } from '../terminal/interaction.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count, formatTable } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { describeSubject, parseNumber } from './history.ts';

const MAX_IMPORTS = 100;
const header = ['id', 'time', 'added', 'changed', 'removed', 'entries', 'state', 'source'];

export interface UndoFlags {
  dryRun: boolean;
  strict?: boolean;
}

export async function undoCommand(
  config: Config,
  text: string,
  { dryRun: isDryRun, strict: isStrict = false }: UndoFlags,
  terminal: Terminal,
): Promise<void> {
  const number = parseNumber(text);
  using interrupt = listenForInterrupt('interrupted; nothing was changed');
  const { signal } = interrupt;
  const openWriter = writersFor(config, terminal);
  let progress: ReturnType<typeof startProgress> | undefined;
  const onProgress = (done: number, total: number) => {
    progress ??= startProgress('Undoing', total, terminal);
    progress.advance(done);
  };
  let result: UndoResult;
  try {
    result = await undoChange(number, { openWriter, isDryRun, isStrict, signal, onProgress });
  } catch (error) {
    if (!(error instanceof ChangedSince)) throw error;
    throw new CommandError(error.message, ...list('changed since', error.kept.map(describeKept)));
  } finally {
    progress?.finish();
  }
  const done = describeResult(result);
  if (isDryRun)
    printLine(terminal, `dry run, nothing was changed; undoing change ${number} would result in: ${done}`);
  else printLine(terminal, `undid change ${number}: ${done}`);
  printLines(terminal, list('kept', result.kept.map(describeKept)));
}

export async function listImports(
  config: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const imports = await snapshot.changeLog.list({ limit: MAX_IMPORTS, isImport: true });
  if (json) printLine(terminal, JSON.stringify(imports.map(view)));
  else if (imports.length === 0) printLine(terminal, 'no import is recorded');
  else printLines(terminal, formatTable(header, imports.map(toRow)));
}

function view({ number: id, at, source, origin, added, changed, removed, entries, state }: Change) {
  return { id, at, source, origin, added, changed, removed, entries, state };
}

function toRow(change: Change): string[] {
  const { id, at, added, changed, removed, entries, state, source } = view(change);
  const numbers = [added, changed, removed, entries].map(String);
  return [String(id), at, ...numbers, state === 'done' ? '' : state, source || 'added in the studio'];
}

function describeResult({ removed, restored, changed, entries }: UndoResult): string {
  const parts = [
    ...(removed.length > 0 ? [`${count(removed.length, 'image')} moved to the trash`] : []),
    ...(restored.length > 0 ? [`${count(restored.length, 'image')} restored`] : []),
    ...(changed.length > 0 ? [`${count(changed.length, 'image')} changed back`] : []),
    ...(entries > 0 ? [`${entries} ${entries === 1 ? 'entry' : 'entries'} changed back`] : []),
  ];
  return parts.join(', ') || 'nothing left to change';
}

function describeKept({ reason, ...subject }: Kept): string {
  return `${describeSubject(subject)}: ${reason}`;
}
