/** Plans an artist, category, character or album: which row to save, given the stored entries that it may be. Pure. */
import { cleanNames, normaliseName } from '../../catalogue/names.ts';
import { readArtistRights } from '../../catalogue/rights.ts';
import {
  type Entry,
  MAX_ALBUM_IMAGES,
  nameKey,
  type SavedEntry,
  type SourceFile,
} from '../../catalogue/writer.ts';
import { RecordError } from '../records/lines.ts';
import type { EntryLine } from '../records/record.ts';
import { type ExistingEntries, type NewRecordDefaults, nameIdentity, type Outcome } from './existing.ts';

export function planEntry(
  record: EntryLine,
  entries: ExistingEntries,
  defaults: NewRecordDefaults,
): Outcome<Entry> {
  const { type: kind } = record;
  if (record.isImplicit && entries.matching(kind, record.name).length > 0) return { outcome: 'unchanged' };
  const { entry: existing, isByAlias } = findExisting(record, entries);
  // An entry that is found by an alias keeps its name.
  const name = existing && isByAlias ? existing.name : record.name;
  const isNewName = !existing || nameKey(kind, existing.name) !== nameKey(kind, name);
  if (isNewName && entries.blockOf(kind, name))
    throw new RecordError(
      `the ${kind} "${name}" is blocked; "zukan entry ${kind} '${name}' --unblock" lifts the block`,
    );
  const id = existing?.id ?? record.id ?? defaults.newId();
  const createdAt = record.createdAt ?? existing?.createdAt ?? defaults.now;
  const aliases = planAliases({ ...record, name }, existing);
  // Files of older versions have none.
  const rights = existing && kind === 'artist' ? readArtistRights(existing.document) : {};
  const document = entryDocument({ ...rights, ...record, name }, id, createdAt);
  const given = record.type === 'album' ? record.images : undefined;
  const images = given && planOrder(given, existing?.images, entries);
  const lists = { ...(aliases && { aliases }), ...(images && { images }) };
  const entry: Entry = { kind, id, name, createdAt, document, ...lists };
  if (!existing) return { outcome: 'added', row: entry };
  if (existing.document === document && existing.createdAt === createdAt && !aliases && !images)
    return { outcome: 'unchanged' };
  const formerIdentities = [nameIdentity(kind, existing.name), existing.id];
  return { outcome: 'updated', row: { ...entry, shelf: existing.shelf }, formerIdentities };
}

/** An entry is identified by its id or, without one, by its name and what goes with it, or by an alias. */
function findExisting(
  record: EntryLine,
  entries: ExistingEntries,
): { entry: SavedEntry | undefined; isByAlias?: boolean } {
  const { type: kind, name } = record;
  const sameName = entries.withName(kind, name);
  if (record.id !== undefined) {
    const taken = kind === 'category' && sameName.find((entry) => entry.id !== record.id);
    if (taken)
      throw new RecordError(
        `the category "${name}" already exists with the id ${taken.id}; to make one of both, replace the id ${record.id} with that one in the whole file`,
      );
    return { entry: entries.withId(kind, record.id) };
  }
  const same = narrow(record, sameName);
  if (same.length > 1)
    throw new RecordError(`${same.length} ${kind}s match this record; add the "id" of one of them`);
  if (sameName.length > 0) return { entry: same[0] };
  const aliased = entries.withAlias(kind, name);
  const source = aliased && sourceOf(aliased);
  const isOther = source && sourceOf(record) && source !== sourceOf(record);
  return { entry: isOther ? undefined : aliased, isByAlias: true };
}

/** Of several artists with one name, the one with the URL of the record. Characters need the same source in any case. */
function narrow(record: EntryLine, sameName: SavedEntry[]): SavedEntry[] {
  if (record.type === 'character') return sameName.filter((entry) => sourceOf(entry) === sourceOf(record));
  if (record.type !== 'artist' || sameName.length === 1) return sameName;
  const sameUrl = sameName.filter(({ document }) => JSON.parse(document).url === (record.url ?? ''));
  return sameUrl.length > 0 ? sameUrl : sameName;
}

/** The work that a character comes from. */
function sourceOf(entry: SavedEntry | EntryLine): string {
  const { source }: { source?: string } = 'document' in entry ? JSON.parse(entry.document) : entry;
  return source ?? '';
}

/** The aliases after the change, or undefined if they stay. Without `aliases` in the record, a former name becomes one. */
function planAliases({ type: kind, name, aliases }: EntryLine, existing?: SavedEntry): string[] | undefined {
  const before = existing?.aliases ?? [];
  const after = cleanAliases(
    kind,
    name,
    aliases ?? [...before, ...cleanNames(existing ? [existing.name] : [])],
  );
  return after.join('\n') === before.join('\n') ? undefined : after;
}

/**
 * The images of an album after the change, or undefined if they stay. Nobody sees those in the trash: if they are not named,
 * they stay, behind the others.
 */
export function planOrder(
  given: string[],
  before: string[] = [],
  { images, trashedImages }: Pick<ExistingEntries, 'images' | 'trashedImages'>,
): string[] | undefined {
  const named = new Set(given);
  const unknown = given.find((id) => !images.has(id) && !trashedImages.has(id));
  if (unknown !== undefined) throw new RecordError(`there is no image "${unknown}"`);
  const isSeen = (id: string) => images.has(id) || named.has(id);
  if ([...named].join() === before.filter(isSeen).join()) return undefined;
  const after = [...named, ...before.filter((id) => !isSeen(id))];
  if (after.length > MAX_ALBUM_IMAGES)
    throw new RecordError(`an album has at most ${MAX_ALBUM_IMAGES} images`);
  return after;
}

/** Each alias once, in the order in which both databases sort names, and none that is the name. */
export function cleanAliases(kind: Entry['kind'], name: string, aliases: string[]): string[] {
  const byKey = new Map(aliases.map((alias) => [nameKey(kind, alias), normaliseName(alias)]));
  byKey.delete(nameKey(kind, name));
  return [...byKey.values()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

export function entryDocument(record: EntryLine, id: string, createdAt: string): string {
  const { name } = record;
  switch (record.type) {
    case 'artist': {
      // Last, and only if they are stated (rights.ts).
      const { url = '', licence, credit } = record;
      return JSON.stringify({ id, name, url, licence: licence || undefined, credit: credit || undefined });
    }
    case 'category': {
      const { description = '', nsfw = false } = record;
      return JSON.stringify({ id, name, description, nsfw, createdAt });
    }
    case 'album':
      return JSON.stringify({ id, name, description: record.description ?? '', createdAt });
    case 'character': {
      const { description = '', source = '', gender = '', ages = [] } = record;
      const { birth_date = '', nationality = '', occupations = [] } = record;
      const about = { description, source, gender, ages, birth_date, nationality, occupations };
      return JSON.stringify({ id, name, ...about, createdAt });
    }
  }
}

// The albums that folders become: one for each folder that has pictures, with its name. Pure.

/** A picture of a folder. */
type AlbumFile = Pick<SourceFile, 'path' | 'image'>;

export interface FolderAlbum {
  /** All pictures of folders with the name of the album, also those whose images were removed. */
  files: AlbumFile[];
  /** The images that no folder of this name had before this import. */
  added: Set<string>;
  /** Whether this import is the first one that makes albums of one of the folders. */
  isFirst: boolean;
}

/** `2.png` comes before `10.png`. The first collator takes 14 ms, which other commands need not. */
function inNaturalOrder(files: AlbumFile[]): AlbumFile[] {
  const byNumbers = new Intl.Collator('en', { numeric: true });
  return files.toSorted((a, b) => byNumbers.compare(a.path, b.path) || (a.path < b.path ? -1 : 1));
}

/**
 * The images of the album after the import, and how many more it cannot have. Undefined if an operator removed the album. One
 * that exists only gets images that are new, at its end: what an operator removed or ordered stays as it is. `existing` are
 * the ids of images that are in the catalogue.
 */
export function planFolderAlbum(
  { files, added, isFirst }: FolderAlbum,
  before: string[] | undefined,
  existing: ReadonlySet<string>,
): { images: string[]; left: number } | undefined {
  const isNew = isFirst || files.every(({ image }) => added.has(image));
  if (!before && !isNew) return undefined;
  const candidates = before ? files.filter(({ image }) => added.has(image)) : files;
  const found = inNaturalOrder(candidates).flatMap(({ image }) => (existing.has(image) ? image : []));
  const images = [...new Set([...(before ?? []), ...found])];
  return { images: images.slice(0, MAX_ALBUM_IMAGES), left: Math.max(0, images.length - MAX_ALBUM_IMAGES) };
}
