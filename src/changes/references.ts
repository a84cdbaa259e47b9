/** What changes have in common: their error, their transaction, and the entries that an operator names. */
import type { StoredImage } from '../catalogue/documents/document.ts';
import type { ImageEntries, LoggedImage } from '../catalogue/documents/edit-image.ts';
import type { Kind } from '../catalogue/schemas.ts';
import { nearNames } from '../catalogue/search/name-words.ts';
import type { CatalogueWriter, Lookup, SavedEntry } from '../catalogue/writer.ts';
import { nameKey } from '../catalogue/writer.ts';
import { loadAlbumImages, loadEntries } from '../import/apply/decisions.ts';
import { planEntry } from '../import/plan/entry.ts';
import { ExistingEntries, type NewRecordDefaults } from '../import/plan/existing.ts';
import { checkRecord, type EntryLine } from '../import/records/record.ts';

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
