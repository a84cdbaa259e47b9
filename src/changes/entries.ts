/** Changes, merges and removes artists, categories, characters and albums. The caller commits. */
import { parseStored, readDocument, UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import { type ImageEntries, placeImage } from '../catalogue/documents/edit-image.ts';
import { cleanNames, formerNames, isId } from '../catalogue/names.ts';
import type { Kind } from '../catalogue/schemas.ts';
import {
  type CatalogueSnapshot,
  type CatalogueWriter,
  type Lookup,
  MAX_ALBUM_IMAGES,
  nameKey,
  type SavedEntry,
} from '../catalogue/writer.ts';
import { ensureUnknownArtist, loadAlbumImages } from '../import/apply/decisions.ts';
import { cleanAliases, entryDocument, planOrder } from '../import/plan/entry.ts';
import { ExistingEntries } from '../import/plan/existing.ts';
import { checkRecord, checkSavedRecord, checkTexts, type EntryLine } from '../import/records/record.ts';
import { inBatches } from '../lib/concurrency.ts';
import { EditError, findNamesake, loadEntriesOf } from './references.ts';

const BATCH_SIZE = 500;

export interface EntryEdit {
  /** The fields of a record to replace. */
  fields: Record<string, unknown> & { name?: string };
  addAliases: string[];
  removeAliases: string[];
}

/** Returns the entry after the change. A former name stays as an alias. */
export async function editEntry(
  writer: CatalogueWriter,
  entry: SavedEntry,
  { fields, addAliases, removeAliases }: EntryEdit,
): Promise<SavedEntry> {
  const { kind, id, createdAt } = entry;
  const removed = new Set(removeAliases.map((alias) => nameKey(kind, alias)));
  const before = new Set([...entry.aliases, entry.name].map((alias) => nameKey(kind, alias)));
  const unknown = removeAliases.find((alias) => !before.has(nameKey(kind, alias)));
  if (unknown !== undefined) throw new EditError(`the ${kind} "${entry.name}" has no alias "${unknown}"`);
  checkTexts({ ...fields, aliases: addAliases });
  // Imports of folders look for former names without hidden characters.
  const aliases = cleanNames(
    [...entry.aliases, entry.name, ...addAliases].filter((alias) => !removed.has(nameKey(kind, alias))),
  );
  const given = { type: kind, ...JSON.parse(entry.document), createdAt, aliases, ...fields };
  const record = checkSavedRecord(given) as EntryLine;
  const { name } = record;
  const document = entryDocument(record, id, createdAt);
  const namesake = name === entry.name ? undefined : await findNamesake(writer, { kind, id, name, document });
  if (namesake)
    throw new EditError(
      `the ${kind} "${namesake.name}" already exists; use --merge-into to make one of both, or another name`,
    );
  const [taken] = [
    ...(await writer.entriesByName(kind, addAliases)),
    ...(await writer.entriesById(
      kind,
      addAliases.filter(isId).map((alias) => alias.toLowerCase()),
    )),
  ];
  if (taken && taken.id !== id)
    throw new EditError(`the ${kind} "${taken.name}" exists; use --merge-into to make one of both`);
  await refuseBlocked(writer, kind, name === entry.name ? addAliases : [name, ...addAliases]);
  const images = await findOrder(writer, entry, record);
  const after: SavedEntry = {
    ...entry,
    name,
    document,
    aliases: cleanAliases(kind, name, aliases),
    ...(images && { images }),
  };
  if (after.document === entry.document && !images) await writer.saveAliases(after);
  else await writer.saveEntries([after]);
  return after;
}

/** The images that an album gets, if the record has any. */
async function findOrder(
  lookup: Lookup,
  entry: SavedEntry,
  record: EntryLine,
): Promise<string[] | undefined> {
  if (record.type !== 'album' || !record.images) return undefined;
  const existing = new ExistingEntries();
  existing.add([entry]);
  await loadAlbumImages(existing, lookup, [{ ...record, id: entry.id }]);
  return planOrder(record.images, entry.images, existing);
}

async function refuseBlocked(writer: CatalogueWriter, kind: Kind, names: string[]): Promise<void> {
  const [blocked] = await writer.decisions.blockedNames(kind, names);
  if (blocked) throw new EditError(`the name "${blocked.name}" is blocked; unblock it first (--unblock)`);
}

/**
 * Gives the images of one entry to another, and all its names and its id as aliases. Those of an album go behind the others.
 * Returns the number of images.
 */
export async function mergeEntries(
  writer: CatalogueWriter,
  from: SavedEntry,
  into: SavedEntry,
): Promise<number> {
  if (from.id === into.id) throw new EditError(`"${from.name}" cannot be merged into itself`);
  refuseUnknown(from);
  const images = await replaceInImages(writer, from, into);
  await writer.removeEntries([from]);
  const aliases = cleanAliases(into.kind, into.name, [
    ...into.aliases,
    ...namesOf(from),
    ...from.aliases.filter(isId),
    from.id,
  ]);
  const after = { ...into, aliases };
  if (from.images) await saveOrder(writer, after, [...(into.images ?? []), ...from.images]);
  else await writer.saveAliases(after);
  return images;
}

/** Its images lose the entry; those of an artist then belong to "Unknown". Returns the number of images. */
export async function removeEntry(
  writer: CatalogueWriter,
  entry: SavedEntry,
  { block, now }: { block: boolean; now: string },
): Promise<number> {
  refuseUnknown(entry);
  let replacement: SavedEntry | undefined;
  if (entry.kind === 'artist') {
    await ensureUnknownArtist(writer, now);
    [replacement] = await writer.entriesById('artist', [UNKNOWN_ARTIST.id]);
  }
  const images = await replaceInImages(writer, entry, replacement);
  await writer.removeEntries([entry]);
  if (block) await blockNames(writer, entry.kind, namesOf(entry), now);
  return images;
}

/** The names by which imports of folders find the entry. */
export function namesOf({ name, aliases }: SavedEntry): string[] {
  return cleanNames([name, ...formerNames(aliases)]);
}

/** Sets the images of an album, each once. */
export async function saveOrder(writer: CatalogueWriter, album: SavedEntry, images: string[]): Promise<void> {
  const order = [...new Set(images)];
  if (order.length > MAX_ALBUM_IMAGES)
    throw new EditError(`the album "${album.name}" would have more than ${MAX_ALBUM_IMAGES} images`);
  await writer.saveEntries([{ ...album, images: order }]);
}

/** Images of an album go before another one of it, or to its end, in this order. */
export async function moveInAlbum(
  writer: CatalogueWriter,
  album: SavedEntry,
  ids: string[],
  before: string | undefined,
): Promise<void> {
  const { images = [], name } = album;
  const listed = new Set(images);
  const missing = [...ids, ...(before === undefined ? [] : [before])].find((id) => !listed.has(id));
  if (missing !== undefined)
    throw new EditError(`the album "${name}" does not have the image ${missing} any more; look at it again`);
  const moved = new Set(ids);
  if (before !== undefined && moved.has(before)) throw new EditError('images cannot go before themselves');
  const others = images.filter((id) => !moved.has(id));
  const at = before === undefined ? others.length : others.indexOf(before);
  await saveOrder(writer, album, others.toSpliced(at, 0, ...moved));
}

/** The entries of a kind, by name, with the number of their images. */
export async function findEntries(
  snapshot: CatalogueSnapshot,
  kind: Kind,
): Promise<{ entry: SavedEntry; images: number }[]> {
  const counts = await snapshot.imageCounts(kind);
  const entries = await Array.fromAsync(snapshot.entries(kind));
  return entries.map((entry) => ({ entry, images: counts.get(entry.id) ?? 0 }));
}

/** Removes the entries of a kind that no image has, not even one in the trash: restoring it would fail. Returns them. */
export async function removeEmptyEntries(
  writer: CatalogueWriter,
  snapshot: CatalogueSnapshot,
  kind: Kind,
): Promise<SavedEntry[]> {
  const used = new Set<string>([UNKNOWN_ARTIST.id]);
  for await (const { image } of snapshot.changeLog.trash()) {
    const { artist, categories, characters } = readDocument(image.document);
    for (const { id } of [{ id: artist }, ...categories, ...characters]) used.add(id);
  }
  const found = await findEntries(snapshot, kind);
  const empty = found.flatMap(({ entry, images }) =>
    images === 0 && !used.has(entry.id) && !entry.images?.length ? [entry] : [],
  );
  for (const batch of inBatches(empty, BATCH_SIZE)) await writer.removeEntries(batch);
  return empty;
}

/** Imports of folders leave these names out, and no entry can get them. With `skips`, they skip the pictures. */
export async function blockNames(
  writer: CatalogueWriter,
  kind: Kind,
  names: string[],
  now: string,
  { skips = false } = {},
): Promise<void> {
  const checked = names.map((name) => (checkRecord({ type: kind, name }) as EntryLine).name);
  const before = await writer.decisions.blockedNames(kind, names);
  const takenDown = new Set(before.filter((block) => block.skips).map(({ name }) => nameKey(kind, name)));
  // A take-down ends when the name is unblocked, not before.
  const isSkipped = (name: string) => skips || takenDown.has(nameKey(kind, name));
  await writer.decisions.blockNames(
    checked.map((name) => ({ kind, name, blockedAt: now, ...(isSkipped(name) && { skips: true }) })),
  );
}

export function refuseUnknown({ id, name }: SavedEntry): void {
  if (id === UNKNOWN_ARTIST.id)
    throw new EditError(`"${name}" is the artist of all images without one and cannot be removed`);
}

async function replaceInImages(
  writer: CatalogueWriter,
  from: SavedEntry,
  into: SavedEntry | undefined,
): Promise<number> {
  // Images do not mention their albums.
  if (from.images) return from.images.length;
  let images = 0;
  for await (const rows of writer.imagesOn(from.shelf)) {
    const stored = rows.map((row) => ({ row, image: readDocument(row.document) }));
    const entriesOf = await loadEntriesOf(
      writer,
      stored.map(({ image }) => image),
    );
    await writer.saveImages(
      stored.map(({ row, image }) => {
        const { previews } = parseStored(row.document);
        const after = replaceEntry(entriesOf(image), from, into);
        return placeImage(row, image, after, previews, writer.fixedShelves);
      }),
    );
    images += rows.length;
  }
  return images;
}

function replaceEntry(entries: ImageEntries, from: SavedEntry, into: SavedEntry | undefined): ImageEntries {
  const replace = (list: SavedEntry[]) =>
    list.flatMap((entry) => (entry.shelf === from.shelf ? (into ?? []) : entry));
  const [artist = entries.artist] = replace([entries.artist]);
  return { artist, categories: replace(entries.categories), characters: replace(entries.characters) };
}
