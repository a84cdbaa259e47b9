/** Finds, creates, changes, merges and removes artists, categories, characters and albums, and what all changes have in common. */
import {
  parseStored,
  readDocument,
  type StoredImage,
  UNKNOWN_ARTIST,
} from '../catalogue/documents/document.ts';
import { type ImageEntries, type LoggedImage, placeImage } from '../catalogue/documents/edit-image.ts';
import { cleanNames, formerNames, isId } from '../catalogue/names.ts';
import type { Kind } from '../catalogue/schemas.ts';
import { nearNames } from '../catalogue/search/name-words.ts';
import {
  type CatalogueSnapshot,
  type CatalogueWriter,
  type Lookup,
  MAX_ALBUM_IMAGES,
  nameKey,
  type SavedEntry,
} from '../catalogue/writer.ts';
import { ensureUnknownArtist, loadAlbumImages, loadEntries } from '../import/apply/decisions.ts';
import { cleanAliases, entryDocument, planEntry, planOrder } from '../import/plan/entry.ts';
import { ExistingEntries, type NewRecordDefaults } from '../import/plan/existing.ts';
import { checkRecord, checkSavedRecord, checkTexts, type EntryLine } from '../import/records/record.ts';
import { inBatches } from '../lib/concurrency.ts';

/** `advice` is added to the error if there is none. */
export async function findEntry(
  lookup: Lookup,
  kind: Kind,
  reference: string,
  advice = '',
): Promise<SavedEntry> {
  const found = await matchEntries(lookup, kind, reference);
  if (found.length > 1)
    throw new EditError(
      `${found.length} ${kind}s are called "${reference}": ${found.map(({ id }) => id).join(', ')}; name one by its id`,
    );
  if (found[0]) return found[0];
  const near = nearNames(reference, await lookup.entryNames(kind)).map((name) => `"${name}"`);
  const suggestion = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  throw new EditError(`there is no ${kind} "${reference}"${suggestion}${advice}`);
}

/** Those that the reference may mean. */
export async function matchEntries(lookup: Lookup, kind: Kind, reference: string): Promise<SavedEntry[]> {
  const existing = new ExistingEntries();
  await loadEntries(existing, lookup, kind, [reference]);
  return existing.matching(kind, reference);
}

/** Another entry that has the name: it belongs to one category, artist or album, and to one character of a work. */
export async function findNamesake(
  lookup: Lookup,
  { kind, id, name, document }: Pick<SavedEntry, 'kind' | 'id' | 'name' | 'document'>,
): Promise<SavedEntry | undefined> {
  const workOf = (text: string) => JSON.parse(text).source;
  return (await lookup.entriesByName(kind, [name])).find(
    (entry) => entry.id !== id && (kind !== 'character' || workOf(entry.document) === workOf(document)),
  );
}

/** Finds an entry, or creates it if `defaults` are given. */
export async function findOrCreate(
  writer: CatalogueWriter,
  kind: Kind,
  reference: string,
  defaults: NewRecordDefaults | undefined,
): Promise<SavedEntry> {
  if (defaults && (await matchEntries(writer, kind, reference)).length === 0)
    await createEntry(writer, { type: kind, name: reference } as EntryLine, defaults);
  return findEntry(writer, kind, reference, ' (--create creates it)');
}

/** The fields are validated like those of a record in a catalogue file. */
export async function createEntry(
  writer: CatalogueWriter,
  fields: EntryLine,
  defaults: NewRecordDefaults,
): Promise<SavedEntry> {
  const record = checkRecord({ ...fields }) as EntryLine;
  const existing = new ExistingEntries();
  await loadEntries(existing, writer, record.type, [record.name]);
  refuseExisting(record, existing);
  if (record.type === 'album') await loadAlbumImages(existing, writer, [record]);
  const planned = planEntry(record, existing, defaults);
  if (planned.outcome !== 'added') throw new EditError(`the ${record.type} "${record.name}" already exists`);
  await writer.saveEntries([planned.row]);
  const [created] = await writer.entriesById(record.type, [planned.row.id]);
  return created as SavedEntry;
}

/** Only characters share a name, if they come from different works. */
function refuseExisting(record: EntryLine, existing: ExistingEntries): void {
  const { type, name } = record;
  const source = record.type === 'character' ? record.source : undefined;
  const [taken] = existing
    .matching(type, name)
    .filter(({ document }) => !source || JSON.parse(document).source === source);
  if (taken && nameKey(type, taken.name) !== nameKey(type, name))
    throw new EditError(
      `"${name}" is an alias of the ${type} "${taken.name}"; remove it there first (--remove-alias)`,
    );
  const advice = type === 'character' ? '; give the --source of another work' : '';
  if (taken) throw new EditError(`the ${type} "${taken.name}" already exists${advice}`);
}

/** Loads the entries of images, and returns what finds those of one. */
export async function loadEntriesOf(
  lookup: Lookup,
  images: StoredImage[],
): Promise<(image: StoredImage) => ImageEntries> {
  const idsOf = ({ artist, categories, characters }: StoredImage): EntryIds => {
    const ids = (entries: { id: string }[]) => entries.map(({ id }) => id);
    return { artist, categories: ids(categories), characters: ids(characters) };
  };
  const find = await entryFinder(lookup, images.map(idsOf));
  return (image) => {
    const entries = find(idsOf(image));
    if (!entries) throw new EditError(`an image refers to an entry that does not exist; run "zukan check"`);
    return entries;
  };
}

/** The entries of an image, by id. */
type EntryIds = Pick<LoggedImage, 'artist' | 'categories' | 'characters'>;

/** Finds the entries of images. Undefined if one of them does not exist. */
export async function entryFinder(
  lookup: Lookup,
  images: EntryIds[],
): Promise<(image: EntryIds) => ImageEntries | undefined> {
  const ids = images.flatMap(({ artist, categories, characters }) => [artist, ...categories, ...characters]);
  const found = await lookup.entriesById(['artist', 'category', 'character'], [...new Set(ids)]);
  const byId = new Map(found.map((entry) => [entry.kind + entry.id, entry]));
  return (image) => {
    const artist = byId.get(`artist${image.artist}`);
    const entries = {
      categories: image.categories.flatMap((id) => byId.get(`category${id}`) ?? []),
      characters: image.characters.flatMap((id) => byId.get(`character${id}`) ?? []),
    };
    const isComplete =
      entries.categories.length === image.categories.length &&
      entries.characters.length === image.characters.length;
    return artist && isComplete ? { artist, ...entries } : undefined;
  };
}

/** An edit cannot be made. The message says why and what to do. */
export class EditError extends Error {}

/** Runs the work under the write lock, and commits. If it fails, or for a dry run, nothing changes. */
export async function changeCatalogue<T>(
  openWriter: () => Promise<CatalogueWriter>,
  isDryRun: boolean,
  work: (writer: CatalogueWriter) => Promise<T>,
): Promise<T> {
  await using writer = await openWriter();
  const result = await work(writer);
  if (!isDryRun) await writer.commit();
  return result;
}

// The caller commits.

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
