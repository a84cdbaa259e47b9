/** Removes images, to the trash or for good, and restores them from the trash. */
import { hash } from 'node:crypto';
import type { ChangeLogReader, TrashedImage } from '../catalogue/change-log.ts';
import { fileKeys } from '../catalogue/documents/document.ts';
import type { Kind } from '../catalogue/schemas.ts';
import type {
  CatalogueSnapshot,
  CatalogueWriter,
  ImageRow,
  Lookup,
  RemovedFile,
  SavedEntry,
  SavedImage,
} from '../catalogue/writer.ts';
import { isOurKey, removeJournaled } from '../import/files.ts';
import { inBatches, inParallel } from '../lib/concurrency.ts';
import type { Files, Journal } from '../media/files.ts';
import { removeLocation } from '../media/metadata/read.ts';
import { useOriginal } from '../media/picture.ts';
import { countImages } from './describe.ts';
import { blockNames, EditError, findEntry, namesOf, refuseUnknown } from './entries.ts';
import { describeMissing } from './images.ts';
import { ENTRY_REMOVED, restoreFiles, restoreFromTrash } from './undo-images.ts';

// Removes images: to the trash, or at once and for good with bytes and thumbnails. Their bytes are remembered, so that no
// import adds them again.

const BATCH_SIZE = 500;

export interface Removal {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  /** How many files are read at the same time. */
  concurrency: number;
  now: string;
  reason: string;
  /** The bytes may be imported again. Ids of images that were removed before are accepted, too. */
  allowAgain: boolean;
  isDryRun: boolean;
  /** Whether they can be restored for a while. */
  toTrash: boolean;
  /** Also removes the entry of the target, and blocks its names: imports of folders skip its pictures. */
  blocks?: boolean;
  /** Aborts the removal until it is committed. */
  signal: AbortSignal;
}

/** Images by id, or all images of an entry, which is named by id, name or alias. */
export type RemovalTarget = { ids: string[] } | { kind: Kind; reference: string };

interface RemovalResult {
  /** The ids of the images that were removed. */
  images: string[];
  /** How many of these were not named, but have the same bytes. */
  copies: number;
  /** How many images were removed before and may now be imported again. */
  allowed: number;
  /** The names that were blocked. */
  blocked: string[];
  /** The number of the change. */
  change: number;
  /** Removes the files that no image uses any more, and returns how many. Call it once. */
  removeFiles(): Promise<number>;
}

export async function removeImages(target: RemovalTarget, removal: Removal): Promise<RemovalResult> {
  const otherHashes = removal.allowAgain ? new Map() : await readOtherHashes(target, removal);
  const { files, openWriter, signal, isDryRun } = removal;
  await using writer = await openWriter();
  const entry =
    removal.blocks && 'kind' in target ? await findEntry(writer, target.kind, target.reference) : undefined;
  if (entry) refuseUnknown(entry);
  if (removal.allowAgain && 'ids' in target) await refuseTrashed(writer, target.ids);
  const images: string[] = [];
  const keys = new Set<string>();
  const named = new Set<string>();
  for await (const namedIds of targetIds(target, writer)) {
    for (const id of namedIds) named.add(id);
    const ids = removal.toTrash ? namedIds : await withCopies(writer, namedIds, removal);
    const { removed, former } = removal.toTrash
      ? { removed: await writer.trashImages(ids), former: [] }
      : await writer.takeDownImages(ids);
    images.push(...removed.map(({ id }) => id));
    // The bytes of several images are remembered with the id that was named.
    const rows: ImageRow[] = [...former, ...removed].sort(
      (a, b) => Number(named.has(a.id)) - Number(named.has(b.id)),
    );
    if (removal.allowAgain) await writer.decisions.forgetFiles(rows.map(({ eTag }) => eTag));
    else await rememberRemoved(writer, rows, otherHashes, removal);
    if (removal.toTrash) continue;
    // An import that did not commit may have stored other versions of the pictures.
    const hashes = rows.flatMap(({ id, eTag }) => [eTag, otherHashes.get(id) ?? eTag]);
    for (const key of [...rows.flatMap(fileKeys), ...files.staging.keysOf(hashes)]) keys.add(key);
  }
  const copies = images.filter((id) => !named.has(id)).length;
  const allowed = await allowRemoved(writer, [...named.difference(new Set(images))], removal);
  const blocked = entry ? await blockEntry(writer, entry, removal.now) : [];
  writer.changeLog.describe(describeRemoval(images.length, allowed, blocked, removal));
  const change = writer.changeLog.number;
  const result = { images, copies, allowed, blocked, change, removeFiles: async () => 0 };
  if (isDryRun) return result;
  if (removal.toTrash) {
    signal.throwIfAborted();
    await writer.commit();
    return result;
  }
  const journal = await commitWithJournal(writer, files, [...keys], signal);
  return { ...result, removeFiles: () => removeJournaled(files, journal, [...keys], openWriter) };
}

/** Allowing imports to add a picture again must not delete it from the trash. */
async function refuseTrashed(lookup: Lookup, ids: string[]): Promise<void> {
  const { images, trashed } = await lookup.findImageIds(ids);
  for (const id of trashed.difference(images))
    throw new EditError(
      `nothing was removed: image ${id} is in the trash; "zukan trash --restore ${id}" restores it`,
    );
}

function describeRemoval(images: number, allowed: number, blocked: string[], { toTrash }: Removal): string {
  const names = blocked.length > 0 ? `, block ${blocked.join(', ')}` : '';
  if (images === 0 && names === '') return `allow ${countImages(allowed)} again`;
  return toTrash ? `move ${countImages(images)} to the trash` : `take down ${countImages(images)}${names}`;
}

/** Returns its names. They are free, so an entry that gets one later was added on purpose. */
async function blockEntry(writer: CatalogueWriter, entry: SavedEntry, now: string): Promise<string[]> {
  const names = namesOf(entry);
  await writer.removeEntries([entry]);
  await blockNames(writer, entry.kind, names, now, { skips: true });
  return names;
}

async function* targetIds(target: RemovalTarget, lookup: Lookup): AsyncGenerator<string[], void> {
  if ('ids' in target) {
    yield* inBatches(target.ids, BATCH_SIZE);
    return;
  }
  const { shelf } = await findEntry(lookup, target.kind, target.reference);
  for await (const rows of lookup.imagesOn(shelf)) yield rows.map(({ id }) => id);
}

/**
 * Adds the images with the same bytes, now or in a former file: nothing with the bytes of a picture that was taken down stays
 * public, or in the trash. If imports may add the bytes again, images that nobody named stay.
 */
async function withCopies(
  { imagesById, imagesByETag, findImageIds, changeLog }: Lookup & { changeLog: ChangeLogReader },
  ids: string[],
  { allowAgain = false } = {},
): Promise<string[]> {
  const rows = [...(await imagesById(ids)), ...(await changeLog.trashed(ids)).map(({ image }) => image)];
  const hashes = [...new Set(rows.map(({ eTag }) => eTag))];
  const present = allowAgain ? [] : await imagesByETag(hashes);
  const trashed = (await changeLog.trashedBytes(hashes)).filter(({ kind }) => kind === 'image');
  const trashedIds = new Set(trashed.map(({ image }) => image.id));
  // One that was imported again may have other bytes by now.
  const { images } = await findImageIds([...trashedIds]);
  return [...new Set([...ids, ...present.map(({ id }) => id), ...trashedIds.difference(images)])];
}

/** How many images a take-down removes, also from the trash. */
export async function countTakeDown(
  target: RemovalTarget,
  snapshot: CatalogueSnapshot,
  removal: Pick<Removal, 'allowAgain'>,
): Promise<number> {
  const found = new Set<string>();
  for await (const ids of targetIds(target, snapshot)) {
    const { images, trashed } = await snapshot.findImageIds(await withCopies(snapshot, ids, removal));
    for (const id of images.union(trashed)) found.add(id);
  }
  return found.size;
}

export async function rememberRemoved(
  { decisions }: CatalogueWriter,
  rows: ImageRow[],
  otherHashes: Map<string, string>,
  { now, reason }: Pick<Removal, 'now' | 'reason'>,
): Promise<void> {
  const remembered = rows.flatMap(({ id, eTag }): RemovedFile[] => {
    const hashes = [eTag, otherHashes.get(id)].filter((hash) => hash !== undefined);
    return [...new Set(hashes)].map((hash) => ({ hash, image: id, removedAt: now, reason }));
  });
  await decisions.rememberFiles([...new Map(remembered.map((file) => [file.hash, file])).values()]);
}

/** Returns how many of the images, which do not exist, were removed before and are now allowed. */
async function allowRemoved(
  { decisions }: CatalogueWriter,
  ids: string[],
  { allowAgain }: Removal,
): Promise<number> {
  if (ids.length === 0) return 0;
  const removed = allowAgain ? await decisions.removedFilesOf(ids) : [];
  const known = new Set(removed.map(({ image }) => image));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new EditError(`nothing was removed: ${describeMissing(unknown)}`);
  await decisions.forgetFiles(removed.map(({ hash }) => hash));
  return ids.length;
}

/** The hashes that pictures stored with a location have without it, by image id. Read before the lock is taken. */
export async function readOtherHashes(
  target: RemovalTarget,
  removal: Pick<Removal, 'files' | 'openSnapshot' | 'concurrency' | 'signal'>,
): Promise<Map<string, string>> {
  const { files, openSnapshot, concurrency, signal } = removal;
  const hashes = new Map<string, string>();
  await using snapshot = await openSnapshot();
  for await (const ids of targetIds(target, snapshot))
    await inParallel(await snapshot.imagesById(await withCopies(snapshot, ids)), concurrency, async (row) => {
      signal.throwIfAborted();
      const other = await hashWithoutLocation(files, row);
      if (other !== undefined) hashes.set(row.id, other);
    });
  return hashes;
}

export async function hashWithoutLocation(files: Files, row: SavedImage): Promise<string | undefined> {
  if (!isOurKey(row.key)) return undefined;
  try {
    return await useOriginal(files, row.key, (bytes) => {
      const cleaned = removeLocation(bytes, row.mimetype);
      return cleaned === bytes ? undefined : hash('sha256', cleaned);
    });
  } catch {
    // A damaged file can still be removed, and a take-down does not wait for a storage that is unavailable.
    return undefined;
  }
}

async function commitWithJournal(
  writer: CatalogueWriter,
  files: Files,
  keys: string[],
  signal: AbortSignal,
): Promise<Journal> {
  const journal = await files.startJournal();
  let isAborted: boolean;
  try {
    await Promise.all(keys.map((key) => journal.add(key)));
    // A signal during the commit is too late.
    isAborted = signal.aborted;
    if (!isAborted) await writer.commit();
  } catch (error) {
    // Whether the commit succeeded may be unknown. The next command looks up which files are unused.
    await journal.abandon();
    throw error;
  }
  if (!isAborted) return journal;
  await journal.finish();
  throw signal.reason;
}

// The trash: removed images stay there for a while, not served and not listed, and can be restored with all their fields.

/** Puts images back into the catalogue, and gives those that are there their last former file. All of them, or none. */
export async function restoreTrashed(
  writer: CatalogueWriter,
  ids: string[],
  now = new Date().toISOString(),
): Promise<void> {
  let files = 0;
  for (const batch of inBatches(ids, BATCH_SIZE)) {
    const trashed = await writer.changeLog.trashed(batch);
    // An image that was imported and removed again is there twice, the last one last.
    const last = (wanted: TrashedImage['kind']) =>
      new Map(trashed.filter(({ kind }) => kind === wanted).map((row) => [row.image.id, row]));
    const byId = last('image');
    const former = last('file');
    const present = await writer.imagesById(batch.filter((id) => !byId.has(id) && former.has(id)));
    const withFile = new Map(present.map(({ id }) => [id, former.get(id) as TrashedImage]));
    await restoreFiles(writer, present, withFile, now);
    files += present.length;
    const missing = new Set(batch).difference(byId).difference(withFile);
    if (missing.size > 0)
      throw new EditError(
        `nothing was restored: the trash has no image ${[...missing].slice(0, 10).join(', ')}, and no former file of it`,
      );
    const { restored, kept } = await restoreFromTrash(writer, [...byId.values()]);
    for (const [id, reason] of kept) {
      const { change } = byId.get(id) ?? {};
      const advice =
        reason === ENTRY_REMOVED ? `; undoing change ${change} restores it with what it needs` : '';
      throw new EditError(`nothing was restored: image ${id}: ${reason}${advice}`);
    }
    // Imports may add their pictures again.
    const removed = await writer.decisions.removedFilesOf(restored);
    await writer.decisions.forgetFiles(removed.map(({ hash }) => hash));
  }
  const of = files === ids.length ? 'the former file of ' : '';
  writer.changeLog.describe(`restore ${of}${countImages(ids.length)} from the trash`);
}

/**
 * Deletes for good what the trash has: what was removed before a time, or by changes up to one. Returns how many rows and
 * files.
 */
export async function emptyTrash(
  { before, upTo = Number.POSITIVE_INFINITY }: { before?: string; upTo?: number },
  { files, openWriter, signal }: Pick<Removal, 'files' | 'openWriter' | 'signal'>,
): Promise<{ images: number; files: number }> {
  let rows: TrashedImage[];
  let keys: string[];
  let journal: Awaited<ReturnType<typeof commitWithJournal>>;
  {
    await using writer = await openWriter();
    rows = (await writer.changeLog.trashBefore(before)).filter(({ change }) => change <= upTo);
    if (rows.length === 0) return { images: 0, files: 0 };
    await writer.changeLog.takeFromTrash(rows);
    const removed = await writer.decisions.removedFilesOf(rows.map(({ image }) => image.id));
    const hashes = [...rows.map(({ image }) => image.eTag), ...removed.map(({ hash }) => hash)];
    // An import that did not commit may have stored other versions of the pictures.
    const staged = files.staging.keysOf(hashes);
    keys = [...new Set([...rows.flatMap(({ image }) => fileKeys(image)), ...staged])];
    journal = await commitWithJournal(writer, files, keys, signal);
  }
  return { images: rows.length, files: await removeJournaled(files, journal, keys, openWriter) };
}
