/** What reverting an import does to artists, categories and characters, and to blocked names and removed pictures. */

import { entryVersion } from '../catalogue/documents/edit-image.ts';
import type { Kind } from '../catalogue/types.ts';
import { describeFile, describeName, type FormerEntry } from '../import/apply/import-record.ts';
import { inBatches } from '../lib/parallel.ts';
import { type BlockedName, nameKey, type RemovedFile } from '../store/contract/decisions.ts';
import type { ImportChange } from '../store/contract/import-runs.ts';
import type { CatalogueWriter, SavedEntry } from '../store/contract/writer.ts';

const BATCH_SIZE = 500;

/** Something that stays as it is. */
export interface Kept {
  kind: 'image' | Kind;
  id: string;
  /** Of an entry. */
  name?: string;
  reason: string;
}

/** Removes the entries that the import created and that no image uses. Returns how many. */
export async function removeCreatedEntries(
  writer: CatalogueWriter,
  kind: Kind,
  changes: ImportChange[],
  kept: Kept[],
): Promise<number> {
  const created = changes.filter(({ before }) => before === null);
  let removed = 0;
  for await (const { entry } of unchangedEntries(writer, kind, created, kept)) {
    const { done } = await writer.imagesOn(entry.shelf)[Symbol.asyncIterator]().next();
    if (!done) continue;
    await writer.removeEntries([entry]);
    removed++;
  }
  return removed;
}

/** Restores the entries that the import changed. Returns how many. */
export async function restoreEntries(
  writer: CatalogueWriter,
  kind: Kind,
  changes: ImportChange[],
  kept: Kept[],
): Promise<number> {
  const existed = changes.filter(({ before }) => before !== null);
  const restored: FormerEntry[] = [];
  for await (const { entry, before } of unchangedEntries(writer, kind, existed, kept)) {
    const former: FormerEntry = JSON.parse(before as string);
    if (await isNameTaken(writer, entry, former)) {
      kept.push({ kind, id: entry.id, name: entry.name, reason: `another ${kind} has the former name` });
      continue;
    }
    // First without aliases, because two entries may have exchanged some.
    await writer.saveEntries([{ ...former, shelf: entry.shelf, aliases: [] }]);
    restored.push(former);
  }
  for (const { id, aliases } of restored) {
    const [entry] = await writer.entriesById(kind, [id]);
    const owners = await writer.entriesByAlias(kind, aliases);
    const taken = new Set(owners.flatMap((owner) => owner.aliases.map((alias) => nameKey(kind, alias))));
    const free = aliases.filter((alias) => !taken.has(nameKey(kind, alias)));
    if (entry && free.length > 0) await writer.saveAliases({ ...entry, aliases: free });
  }
  return restored.length;
}

async function isNameTaken(
  writer: CatalogueWriter,
  { kind, id, name }: SavedEntry,
  former: FormerEntry,
): Promise<boolean> {
  if (nameKey(kind, name) === nameKey(kind, former.name)) return false;
  return (await writer.entriesByName(kind, [former.name])).some((entry) => entry.id !== id);
}

/** The entries that are as the import left them. The others are kept; those that were removed since are not missed. */
async function* unchangedEntries(
  writer: CatalogueWriter,
  kind: Kind,
  changes: ImportChange[],
  kept: Kept[],
): AsyncGenerator<{ entry: SavedEntry; before: string | null }, void> {
  for (const batch of inBatches(changes, BATCH_SIZE)) {
    const byId = new Map(batch.map((change) => [change.id, change]));
    for (const entry of await writer.entriesById(kind, [...byId.keys()])) {
      const { before, after } = byId.get(entry.id) as ImportChange;
      if (entryVersion(entry) === after) yield { entry, before };
      else kept.push({ kind, id: entry.id, name: entry.name, reason: 'changed since' });
    }
  }
}

/** Restores blocked names and removed pictures, unless somebody decided otherwise since. */
export async function revertDecisions(
  { decisions }: CatalogueWriter,
  changes: ImportChange[],
): Promise<void> {
  for (const { kind, id, before, after } of changes)
    if (kind === 'blocked') {
      const [ofKind, name] = JSON.parse(id) as [Kind, string];
      const [current] = await decisions.blockedNames(ofKind, [name]);
      if (!current || describeName(current) !== after) continue;
      if (before) await decisions.blockNames([JSON.parse(before) as BlockedName]);
      else await decisions.unblockNames(ofKind, [name]);
    } else {
      const [current] = await decisions.removedFiles([id]);
      if (!current || describeFile(current) !== after) continue;
      if (before) await decisions.rememberFiles([JSON.parse(before) as RemovedFile]);
      else await decisions.forgetFiles([id]);
    }
}
