/**
 * Undoes a change: removes what it added, restores what it removed, and gives everything else the fields that it had before.
 * What was changed since stays as it is and is listed; it can be undone later, when the later change was. Undoing is itself a
 * change, which can be undone.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Change, ChangeItem, ItemKind, Kept, UndoResult } from '../catalogue/change-log.ts';
import { imageFields } from '../catalogue/documents/edit-image.ts';
import { KINDS, type Kind } from '../catalogue/schemas.ts';
import type { CatalogueWriter, SavedEntry } from '../catalogue/writer.ts';
import { type BlockedName, type Decisions, nameKey, type RemovedFile } from '../catalogue/writer.ts';
import { cleanAliases, entryDocument } from '../import/plan/entry.ts';
import { checkSavedRecord, type EntryLine } from '../import/records/record.ts';
import type { SiteField } from '../lib/site-texts.ts';
import { nameImages } from './describe.ts';
import { EditError, findNamesake } from './entries.ts';
import { isSame, mergeFields, type Undoing, undoImages } from './undo-images.ts';

interface UndoOptions {
  openWriter: () => Promise<CatalogueWriter>;
  isDryRun: boolean;
  /** Whether it is an error if something has to stay. */
  isStrict: boolean;
  /** Called with the number of images that were looked at, and that of all. */
  onProgress?: (images: number, total: number) => void;
  /** Aborts it until it is committed. */
  signal?: AbortSignal;
}

/** Something of the change was changed since. */
export class ChangedSince extends EditError {
  readonly kept: Kept[];
  constructor(message: string, kept: Kept[]) {
    super(message);
    this.kept = kept;
  }
}

export async function undoChange(number: number, options: UndoOptions): Promise<UndoResult> {
  await using writer = await options.openWriter();
  const { changeLog } = writer;
  const change = await findChange(writer, number);
  const result: UndoResult = {
    change,
    removed: [],
    restored: [],
    changed: [],
    replaced: 0,
    entries: 0,
    kept: [],
  };
  let images = 0;
  const undoing: Undoing = {
    writer,
    change,
    result,
    markUndone: (items) => changeLog.markUndone(change, items),
    async onImages(count) {
      options.signal?.throwIfAborted();
      images += count;
      options.onProgress?.(images, change.added + change.changed + change.removed);
      // The embedded database does its work at once, and others wait.
      await nextTick();
    },
  };
  await changeLog.startUndo(change);
  changeLog.describe(`undo ${number}: ${change.summary}`);
  const others = await readOthers(writer, change);
  const restored = [];
  for (const kind of KINDS) restored.push(...(await restoreEntries(undoing, kind, others.get(kind) ?? [])));
  await undoImages(undoing);
  await restoreDecisions(
    undoing,
    ['blocked', 'removed', 'site'].flatMap((kind) => others.get(kind as ItemKind) ?? []),
  );
  for (const kind of KINDS) await removeCreatedEntries(undoing, kind, others.get(kind) ?? []);
  await restoreAliases(undoing, restored);
  const kept = await nameImages(writer, result.kept);
  if (kept.length > 0 && options.isStrict)
    throw new ChangedSince(`nothing was undone: something of change ${number} was changed since`, kept);
  if (kept.length === 0) await changeLog.closeChange(change);
  // The next import of their folders reads their files again.
  await writer.sourceFiles.forget(result.changed);
  options.signal?.throwIfAborted();
  if (!options.isDryRun) await writer.commit();
  return { ...result, kept };
}

async function findChange({ changeLog }: CatalogueWriter, number: number): Promise<Change> {
  const change = await changeLog.find(number);
  if (!change) throw new EditError(`there is no change ${number}; "zukan history" lists them`);
  if (change.state === 'undone') throw new EditError(`change ${number} is undone already`);
  if (change.state === 'final')
    throw new EditError(
      `change ${number} took images down, which cannot be undone; "zukan remove --allow-again <id>" lets imports add them again`,
    );
  if (change.state === 'forgotten')
    throw new EditError(`change ${number} cannot be undone: it changed too much to be remembered`);
  return change;
}

/** Everything but images: there is not much of it. Those that were undone before are left out. */
async function readOthers(
  { changeLog }: CatalogueWriter,
  { number }: Change,
): Promise<Map<ChangeItem['kind'], ChangeItem[]>> {
  const items: ChangeItem[] = [];
  for await (const batch of changeLog.items(number))
    for (const item of batch) if (item.kind !== 'image' && item.undoneBy === null) items.push(item);
  return Map.groupBy(items, ({ kind }) => kind);
}

/** Restores blocked names, removed pictures and texts of the site, unless somebody decided otherwise since. */
async function restoreDecisions(
  { writer: { decisions, changeLog }, change, result, markUndone }: Undoing,
  items: ChangeItem[],
): Promise<void> {
  const keptImages = new Set(result.kept.map((kept) => kept.id));
  for (const { kind, id, before, after } of items) {
    // Imports still leave out a picture that is not restored.
    if (kind === 'removed' && keptImages.has(((after ?? before) as unknown as RemovedFile).image)) continue;
    const later = await changeLog.laterItems(change, kind, [id]);
    const current = await findDecision(decisions, kind, id);
    if (later.has(id) || !isSame(current ?? null, after)) {
      result.kept.push({ kind, id, reason: 'decided otherwise since' });
      continue;
    }
    if (kind === 'blocked') {
      if (before) await decisions.blockNames([before as unknown as BlockedName]);
      else await decisions.unblockNames(...parseBlocked(id));
    } else if (kind === 'site') await decisions.saveSiteText(id as SiteField, (before?.text as string) ?? '');
    else if (before) await decisions.rememberFiles([before as unknown as RemovedFile]);
    else await decisions.forgetFiles([id]);
    await markUndone([{ kind, id }]);
  }
}

async function findDecision(decisions: Decisions, kind: ItemKind, id: string): Promise<object | undefined> {
  if (kind === 'blocked') return (await decisions.blockedNames(...parseBlocked(id)))[0];
  if (kind === 'removed') return (await decisions.removedFiles([id]))[0];
  const text = await decisions.siteText(id as SiteField);
  return text === '' ? undefined : { text };
}

/** The id of a blocked name is JSON. */
function parseBlocked(id: string): [kind: Kind, names: string[]] {
  const [kind, name] = JSON.parse(id);
  return [kind, [name]];
}

// What undoing a change does to artists, categories, characters and albums.

/** An entry as the log has it. */
type LoggedEntry = Pick<SavedEntry, 'name' | 'createdAt' | 'document' | 'aliases' | 'images'>;

type Fields = Record<string, unknown>;

type Aliases = Pick<SavedEntry, 'kind' | 'id' | 'aliases'>;

/**
 * Creates the entries again that the change removed, and restores the fields of those that it changed. Returns their aliases,
 * which other entries may still have.
 */
async function restoreEntries(undoing: Undoing, kind: Kind, items: ChangeItem[]): Promise<Aliases[]> {
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
      if (await findNamesake(writer, { ...wanted, kind, id })) {
        keep(`another ${kind} has the former name`);
        continue;
      }
      const { name, createdAt, document } = wanted;
      const shelf = current && { shelf: current.shelf };
      const images = wanted.images && { images: await withoutGone(writer, wanted.images) };
      await writer.saveEntries([{ kind, id, name, createdAt, document, ...shelf, aliases: [], ...images }]);
      restored.push({ kind, id, aliases: wanted.aliases });
      if (!current || !isSame(readFields(current), readFields({ ...wanted, ...images }))) result.entries++;
      for (const field of wanted.kept) keep(`${field} changed since`);
      if (wanted.kept.length === 0) await markUndone([{ kind, id }]);
    }
  }
  return restored;
}

/** Call it last. Aliases that another entry has by now stay there. */
async function restoreAliases({ writer }: Undoing, restored: Aliases[]): Promise<void> {
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
async function removeCreatedEntries(undoing: Undoing, kind: Kind, items: ChangeItem[]): Promise<void> {
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
