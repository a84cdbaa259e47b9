/** What undoing a change does to artists, categories, characters and albums. */

import type { ChangeItem } from '../catalogue/change-log.ts';
import { imageFields } from '../catalogue/documents/edit-image.ts';
import type { Kind } from '../catalogue/types.ts';
import type { CatalogueWriter, SavedEntry } from '../catalogue/writer.ts';
import { cleanAliases, entryDocument } from '../import/plan/entry.ts';
import { checkSavedRecord, type EntryLine } from '../import/records/record.ts';
import { nameKey } from '../store/contract/decisions.ts';
import { isSame, mergeFields, type Undoing } from './undoing.ts';

/** An entry as the log has it. */
interface LoggedEntry {
  name: string;
  createdAt: string;
  document: string;
  aliases: string[];
  /** Of an album. */
  images?: string[];
}

type Fields = Record<string, unknown>;

interface Aliases {
  kind: Kind;
  id: string;
  aliases: string[];
}

/**
 * Creates the entries again that the change removed, and restores the fields of those that it changed. Returns their aliases,
 * which other entries may still have.
 */
export async function restoreEntries(undoing: Undoing, kind: Kind, items: ChangeItem[]): Promise<Aliases[]> {
  const { writer, change, result, markUndone } = undoing;
  const later = await writer.changeLog.laterItems(
    change,
    kind,
    items.map(({ id }) => id),
  );
  const restored: Aliases[] = [];
  for (const { id, before, after } of items) {
    if (!before) continue;
    const former = before as unknown as LoggedEntry;
    const [current] = await writer.entriesById(kind, [id]);
    const keep = (reason: string) =>
      result.kept.push({ kind, id, name: current?.name ?? former.name, reason });
    if (current && !after) keep('exists again');
    else if (!current && after) keep('removed since');
    else {
      const wanted = current
        ? mergeEntry(current, former, after as unknown as LoggedEntry, later.get(id) ?? [])
        : { ...former, kept: [] };
      if (await isNameTaken(writer, kind, id, wanted)) {
        keep(`another ${kind} has the former name`);
        continue;
      }
      const { name, createdAt, document } = wanted;
      const shelf = current && { shelf: current.shelf };
      const images = wanted.images && { images: await withoutGone(writer, wanted.images) };
      await writer.saveEntries([{ kind, id, name, createdAt, document, ...shelf, aliases: [], ...images }]);
      restored.push({ kind, id, aliases: wanted.aliases });
      result.entries++;
      for (const field of wanted.kept) keep(`${field} changed since`);
      if (wanted.kept.length === 0) await markUndone([{ kind, id }]);
    }
  }
  return restored;
}

/** Call it last. Aliases that another entry has by now stay there. */
export async function restoreAliases({ writer }: Undoing, restored: Aliases[]): Promise<void> {
  for (const { kind, id, aliases } of restored) {
    const [entry] = await writer.entriesById(kind, [id]);
    const free = await withoutTaken(writer, kind, id, aliases);
    if (entry && free.length > 0) await writer.saveAliases({ ...entry, aliases: free });
  }
}

/** The current entry with the former fields, but for those that were changed since. */
function mergeEntry(current: SavedEntry, before: LoggedEntry, after: LoggedEntry, later: ChangeItem[]) {
  const { kind, id } = current;
  const { fields, kept } = mergeFields({
    now: readFields(current),
    before: readFields(before),
    after: readFields(after),
    later: later.map((item) => ({
      before: readFields(item.before as LoggedEntry | null),
      after: readFields(item.after as LoggedEntry | null),
    })),
  });
  const { aliases, createdAt, images } = fields as Pick<LoggedEntry, 'aliases' | 'createdAt' | 'images'>;
  const record = checkSavedRecord({ type: kind, ...fields }) as EntryLine;
  return {
    name: record.name,
    createdAt,
    document: entryDocument(record, id, createdAt),
    aliases: cleanAliases(kind, record.name, aliases),
    ...(images && { images }),
    kept,
  };
}

function readFields(entry: LoggedEntry | null): Fields {
  if (!entry) return {};
  const { document, createdAt, aliases, images } = entry;
  return { ...JSON.parse(document), createdAt, aliases, ...(images && { images }) };
}

/** Images that were deleted for good do not come back. */
async function withoutGone(writer: CatalogueWriter, ids: string[]): Promise<string[]> {
  const { images, trashed } = await writer.findImageIds(ids);
  return ids.filter((id) => images.has(id) || trashed.has(id));
}

/** A name belongs to one category, artist or album, and to one character of a work. */
async function isNameTaken(
  writer: CatalogueWriter,
  kind: Kind,
  id: string,
  { name, document }: Pick<LoggedEntry, 'name' | 'document'>,
): Promise<boolean> {
  const others = (await writer.entriesByName(kind, [name])).filter((entry) => entry.id !== id);
  const sourceOf = (text: string) => JSON.parse(text).source;
  return others.some((entry) => kind !== 'character' || sourceOf(entry.document) === sourceOf(document));
}

async function withoutTaken(
  writer: CatalogueWriter,
  kind: Kind,
  id: string,
  aliases: string[],
): Promise<string[]> {
  const owners = (await writer.entriesByAlias(kind, aliases)).filter((owner) => owner.id !== id);
  const taken = new Set(owners.flatMap((owner) => owner.aliases.map((alias) => nameKey(kind, alias))));
  return aliases.filter((alias) => !taken.has(nameKey(kind, alias)));
}

/**
 * The ids of entries that images may get again: when a later change is undone, or an image is restored from the trash.
 */
async function findNeeded({ writer, change }: Undoing): Promise<Set<string>> {
  const needed = new Set<string>();
  const add = (fields: Fields | null) => {
    for (const field of ['artist', 'categories', 'characters'])
      for (const id of [fields?.[field] ?? []].flat() as string[]) needed.add(id);
  };
  /** Undoing their removal brings these back, even if an undo put them into the trash again. */
  const removed = new Set<string>();
  for await (const { id, before, after } of writer.changeLog.laterImages(change)) {
    add(before);
    add(after);
    if (after === null) removed.add(id);
  }
  const { number: undo } = writer.changeLog;
  for await (const { image, isByUndo, change: by } of writer.changeLog.trash())
    if ((!isByUndo && by !== undo) || removed.has(image.id)) add(imageFields(image));
  return needed;
}

/** Removes the entries that the change created, unless images use them. */
export async function removeCreatedEntries(undoing: Undoing, kind: Kind, items: ChangeItem[]): Promise<void> {
  const { writer, result, markUndone } = undoing;
  const created = items.filter(({ before }) => before === null);
  const needed = created.length > 0 ? await findNeeded(undoing) : new Set();
  const later = await writer.changeLog.laterItems(
    undoing.change,
    kind,
    created.map(({ id }) => id),
  );
  for (const { id, after } of created) {
    const [entry] = await writer.entriesById(kind, [id]);
    const logged = after as unknown as LoggedEntry;
    const keep = (reason: string) => result.kept.push({ kind, id, name: entry?.name ?? logged.name, reason });
    if (!entry) {
      const isRemoved = (await writer.changeLog.removedEntries(kind, [id])).has(id);
      if (isRemoved) keep('removed since');
      continue;
    }
    const { name, document, aliases, images } = logged;
    const current = [entry.name, entry.document, entry.aliases.toSorted(), entry.images?.toSorted()];
    const { done: hasNoImages } = await writer.imagesOn(entry.shelf)[Symbol.asyncIterator]().next();
    // An album goes with its order, and its images stay.
    const isUsed = kind !== 'album' && (!hasNoImages || needed.has(id));
    const isChanged = !isSame(current, [name, document, aliases, images?.toSorted()]);
    if (isChanged || (kind === 'album' && later.has(id))) keep('changed since');
    else if (isUsed) keep('other images use it');
    else {
      await writer.removeEntries([entry]);
      result.entries++;
      await markUndone([{ kind, id }]);
    }
  }
}
