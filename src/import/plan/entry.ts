/** Plans an artist, category or character: which row to save, given the stored entries that it may be. Pure. */
import { fold } from '../../catalogue/fold.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { Entry, SavedEntry } from '../../catalogue/writer.ts';
import { nameIdentity } from '../batch.ts';
import { RecordError } from '../problems.ts';
import type { EntryLine } from '../record.ts';
import type { NewRecordDefaults, Outcome } from './outcome.ts';

export function planEntry(
  record: EntryLine,
  candidates: SavedEntry[],
  defaults: NewRecordDefaults,
): Outcome<Entry> {
  if (record.isImplicit && candidates.length > 0) return { outcome: 'unchanged' };
  const existing = findExisting(record, candidates);
  const id = existing?.id ?? record.id ?? defaults.newId();
  const createdAt = record.createdAt ?? existing?.createdAt ?? defaults.now;
  const entry: Entry = {
    kind: record.type,
    id,
    name: record.name,
    createdAt,
    document: entryDocument(record, id, createdAt),
  };
  if (!existing) return { outcome: 'added', row: entry };
  if (existing.document === entry.document && existing.createdAt === createdAt)
    return { outcome: 'unchanged' };
  const formerIdentities = [nameIdentity(existing.kind, existing.name), existing.id];
  return { outcome: 'updated', row: { ...entry, shelf: existing.shelf }, formerIdentities };
}

/** An entry is identified by its id or, without one, by its name and what goes with it. */
function findExisting(record: EntryLine, candidates: SavedEntry[]): SavedEntry | undefined {
  const sameName = candidates.filter(
    (entry) => naturalKey(entry.document, entry.kind) === naturalKey(record, record.type),
  );
  if (record.id === undefined) {
    if (sameName.length > 1)
      throw new RecordError(
        `${sameName.length} ${record.type}s match this record; add the "id" of one of them`,
      );
    return sameName[0];
  }
  const taken = record.type === 'category' && sameName.find((entry) => entry.id !== record.id);
  if (taken) throw new RecordError(`the category "${record.name}" already exists with the id ${taken.id}`);
  return candidates.find((entry) => entry.id === record.id);
}

function naturalKey(record: string | EntryLine, kind: Kind): string {
  const { name, url, source }: { name: string; url?: string; source?: string } =
    typeof record === 'string' ? JSON.parse(record) : record;
  if (kind === 'category') return fold(name);
  return JSON.stringify([name, (kind === 'artist' ? url : source) ?? '']);
}

function entryDocument(record: EntryLine, id: string, createdAt: string): string {
  const { name } = record;
  switch (record.type) {
    case 'artist':
      return JSON.stringify({ id, name, url: record.url ?? '' });
    case 'category':
      return JSON.stringify({
        id,
        name,
        description: record.description ?? '',
        nsfw: record.nsfw ?? false,
        createdAt,
      });
    case 'character': {
      const { description = '', source = '', gender = '', ages = [] } = record;
      const { birth_date = '', nationality = '', occupations = [] } = record;
      const about = { description, source, gender, ages, birth_date, nationality, occupations };
      return JSON.stringify({ id, name, ...about, createdAt });
    }
  }
}
