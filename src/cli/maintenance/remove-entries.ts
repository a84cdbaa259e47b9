/** `zukan entry --remove` and `--remove-empty`: removes entries, as one change. */
import { text } from 'node:stream/consumers';
import type { Kind } from '../../catalogue/types.ts';
import type { SavedEntry } from '../../catalogue/writer.ts';
import { removeEmptyEntries, removeEntry } from '../../changes/entries.ts';
import { findEntry } from '../../changes/references.ts';
import { changeCatalogue } from '../../changes/transaction.ts';
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { list } from '../importing/list.ts';
import { UsageError } from '../terminal/errors.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';

interface RemovalFlags {
  block?: boolean;
  dryRun?: boolean;
}

/** If one of them does not exist, none is removed. */
export async function removeEntriesCommand(
  config: Config,
  kind: Kind,
  references: string[],
  { block = false, dryRun = false }: RemovalFlags,
  terminal: Terminal,
): Promise<void> {
  const names = await readNames(references, terminal);
  if (names.length === 0)
    throw new UsageError(`name the ${kind} to remove, or several; - reads standard input`);
  const now = new Date().toISOString();
  const lines = await changeCatalogue(writersFor(config, terminal), dryRun, async (writer) => {
    const entries = new Map<string, SavedEntry>();
    for (const name of names) {
      const entry = await findEntry(writer, kind, name);
      entries.set(entry.id, entry);
    }
    const removed: string[] = [];
    for (const entry of entries.values()) {
      const images = await removeEntry(writer, entry, { block, now });
      const blocked = block ? ', and blocked its name' : '';
      removed.push(`removed the ${kind} "${entry.name}" from ${count(images, 'image')}${blocked}`);
    }
    const [only] = removed;
    writer.changeLog.describe(
      removed.length === 1 && only ? only : `removed ${countEntries(kind, removed.length)}`,
    );
    return removed;
  });
  const start = 'dry run, nothing was changed; this would result in:';
  if (lines.length === 1) printLines(terminal, [dryRun ? `${start} ${lines[0]}` : (lines[0] as string)]);
  else printLines(terminal, dryRun ? [start, ...lines] : lines);
}

export async function removeEmptyCommand(
  config: Config,
  kind: Kind,
  { dryRun = false }: RemovalFlags,
  terminal: Terminal,
): Promise<void> {
  const removed = await changeCatalogue(writersFor(config, terminal), dryRun, async (writer) => {
    // The writer has the lock, so the catalogue stays as the snapshot shows it.
    await using snapshot = await openSnapshot(config);
    const entries = await removeEmptyEntries(writer, snapshot, kind);
    writer.changeLog.describe(`removed ${countEntries(kind, entries.length)} that no image has`);
    return entries;
  });
  const what = `${countEntries(kind, removed.length)} that no image has`;
  const title = dryRun ? `dry run, nothing was changed; would remove ${what}` : `removed ${what}`;
  const names = removed.map(({ name }) => name);
  printLines(terminal, names.length === 0 ? [title] : list(title, names));
}

function countEntries(kind: Kind, number: number): string {
  return number === 1 ? `1 ${kind}` : `${number} ${kind === 'category' ? 'categories' : `${kind}s`}`;
}

/** `-` reads names or ids from standard input, one per line. */
async function readNames(references: string[], { stdin }: Pick<Terminal, 'stdin'>): Promise<string[]> {
  const names: string[] = [];
  for (const reference of references)
    if (reference === '-') for (const line of (await text(stdin)).split(/\r?\n/)) names.push(line.trim());
    else names.push(reference);
  return [...new Set(names.filter(Boolean))];
}
