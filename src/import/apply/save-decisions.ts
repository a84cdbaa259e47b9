/** Saves the records of a catalogue file about what an operator removed or blocked. */
import type { Decisions } from '../../store/contract/decisions.ts';
import type { DecisionLine } from '../sources/lines.ts';
import type { ImportListener } from './save.ts';

export async function saveDecisions(
  records: DecisionLine[],
  decisions: Decisions,
  now: string,
  report: ImportListener,
): Promise<void> {
  for (const record of records) report.record(record, await saveDecision(record, decisions, now));
}

async function saveDecision(
  record: DecisionLine,
  decisions: Decisions,
  now: string,
): Promise<'added' | 'updated' | 'unchanged'> {
  const at = record.createdAt;
  if (record.type === 'blocked') {
    const { kind, name } = record;
    const [before] = await decisions.blockedNames(kind, [name]);
    const after = { kind, name, blockedAt: at ?? before?.blockedAt ?? now };
    await decisions.blockNames([after]);
    return compare(before, after);
  }
  const { hash, image, reason = '' } = record;
  const [before] = await decisions.removedFiles([hash]);
  const after = { hash, image, removedAt: at ?? before?.removedAt ?? now, reason };
  await decisions.rememberFiles([after]);
  return compare(before, after);
}

function compare<T extends object>(before: T | undefined, after: T): 'added' | 'updated' | 'unchanged' {
  if (!before) return 'added';
  const names = Object.keys(after) as (keyof T)[];
  return names.every((name) => before[name] === after[name]) ? 'unchanged' : 'updated';
}
