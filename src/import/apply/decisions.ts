/** What the catalogue already knows, when an import saves records: decisions of operators, entries and images. */
import { UNKNOWN_ARTIST, unknownArtistEntry } from '../../catalogue/documents/document.ts';
import { isId } from '../../catalogue/names.ts';
import { forEachKind, type Kind } from '../../catalogue/schemas.ts';
import type { CatalogueWriter, Decisions, Lookup, RemovedFile } from '../../catalogue/writer.ts';
import { inBatches } from '../../lib/concurrency.ts';
import {
  addToGroup,
  describeRemoved,
  ExistingEntries,
  ExistingImages,
  type ImportListener,
  referencesOf,
} from '../plan/existing.ts';
import { keepDecisions } from '../plan/image.ts';
import type { DecisionLine } from '../records/lines.ts';
import {
  type AlbumLine,
  type ImageLine,
  type Mention,
  mentionedEntries,
  mentionedNames,
} from '../records/record.ts';

// What operators decided, when an import saves records. Removed pictures are skipped. For the pictures of folders, fields that
// were decided by hand stay as they are, blocked names are left out, and pictures of artists and characters that were taken
// down are skipped. Decisions of a catalogue file are saved.

interface Line {
  label: string;
  record: ImageLine;
  picture: { hashes: string[] };
  /** The artists and characters that copies of the picture name. */
  copyNames?: Mention[];
}

/**
 * Returns the records without those that are skipped. `onSkipped` gets these, if they are or were images, the ids of the
 * images, and whether a block is the reason.
 */
export async function applyDecisions<L extends Line>(
  lines: L[],
  writer: CatalogueWriter,
  report: Pick<ImportListener, 'note'>,
  onSkipped: (line: L, image: string, isBlocked: boolean) => void,
): Promise<L[]> {
  const removed = await writer.decisions.removedFiles(lines.flatMap(({ picture }) => picture.hashes));
  const needsImages = removed.length > 0 || lines.some(({ record }) => record.isFromFolder);
  const images = await loadImages(writer, needsImages ? lines : []);
  const skipped = findRemoved(lines, images, removed);
  for (const [line, file] of skipped) {
    report.note('removed', line.label, describeRemoved(file));
    onSkipped(line, file.image, false);
  }
  const kept = lines.filter((line) => !skipped.has(line));
  const decided = kept.map((line): L => {
    if (!line.record.isFromFolder) return line;
    const existing = images.findCertain(line.record, line.picture.hashes);
    // What copies say is about pictures that are not in the catalogue yet.
    const isNew = images.matching(line.record, line.picture.hashes).length === 0;
    const record = keepDecisions(line.record, existing);
    return isNew ? { ...line, record } : { ...line, record, copyNames: [] };
  });
  return leaveOutBlocked(decided, writer, report, (line) => {
    const [existing] = images.matching(line.record, line.picture.hashes);
    if (existing) onSkipped(line, existing.id, true);
  });
}

/** Images that exist are not among them: another one with the same bytes was removed. */
function findRemoved<L extends Line>(
  lines: L[],
  images: ExistingImages,
  removed: RemovedFile[],
): Map<L, RemovedFile> {
  const byHash = new Map(removed.map((file) => [file.hash, file]));
  const skipped = new Map<L, RemovedFile>();
  for (const line of lines) {
    const { hashes } = line.picture;
    const file = hashes.map((hash) => byHash.get(hash)).find((file) => file !== undefined);
    if (file && images.matching(line.record, hashes).length === 0) skipped.set(line, file);
  }
  return skipped;
}

/** Leaves out names, and skips the pictures of artists and characters that were taken down. */
async function leaveOutBlocked<L extends Line>(
  lines: L[],
  writer: CatalogueWriter,
  report: Pick<ImportListener, 'note'>,
  onSkipped: (line: L) => void,
): Promise<L[]> {
  const fromFolders = lines.filter(({ record }) => record.isFromFolder);
  const mentioned = Map.groupBy(fromFolders.flatMap(namesOf), ([kind]) => kind);
  const existing = new ExistingEntries();
  let hasBlocked = false;
  for (const [kind, names] of mentioned) {
    const unique = [...new Set(names.map(([, name]) => name))];
    const blocked = (await writer.decisions.blockedNames(kind, unique)).map(({ name }) => name);
    hasBlocked ||= blocked.length > 0;
    await loadEntries(existing, writer, kind, blocked);
  }
  if (!hasBlocked) return lines;
  // An entry that has the name nevertheless was added on purpose.
  const findBlock = (kind: Kind, name: string) =>
    existing.matching(kind, name).length > 0 ? undefined : existing.blockOf(kind, name);
  const isAllowed = (kind: Kind, name: string) => {
    if (!findBlock(kind, name)) return true;
    report.note('blocked', '', `${kind} ${name}`);
    return false;
  };
  return lines.flatMap((line) => {
    if (!line.record.isFromFolder) return line;
    const takenDown = namesOf(line).find(([kind, name]) => findBlock(kind, name)?.skips);
    if (takenDown) {
      report.note('taken-down', line.label, takenDown.join(' '));
      onSkipped(line);
      return [];
    }
    const { artist, categories, characters } = line.record;
    const record: ImageLine = { ...line.record };
    if (typeof artist === 'string' && !isAllowed('artist', artist)) delete record.artist;
    if (categories?.length) {
      record.categories = categories.filter((name) => isAllowed('category', name));
      // They are stated, even if all of them are left out.
      if (record.openFields) record.openFields = record.openFields.filter((field) => field !== 'categories');
    }
    if (characters) record.characters = characters.filter((name) => isAllowed('character', name));
    return { ...line, record };
  });
}

function namesOf({ record, copyNames = [] }: Line): Mention[] {
  return [...mentionedNames(record), ...copyNames];
}

/** Saves the records of a catalogue file about what an operator removed or blocked. */
export async function saveDecisions(
  records: DecisionLine[],
  decisions: Decisions,
  now: string,
  report: Pick<ImportListener, 'record'>,
): Promise<void> {
  for (const record of records) report.record(record, await saveDecision(record, decisions, now));
}

async function saveDecision(
  record: DecisionLine,
  decisions: Decisions,
  now: string,
): Promise<'added' | 'updated' | 'unchanged'> {
  if (record.type === 'site') {
    const { field, text } = record;
    const before = await decisions.siteText(field);
    await decisions.saveSiteText(field, text);
    return compare(before === '' ? undefined : { text: before }, { text });
  }
  const at = record.createdAt;
  if (record.type === 'blocked') {
    const { kind, name } = record;
    const [before] = await decisions.blockedNames(kind, [name]);
    // A take-down ends when the name is unblocked, not before.
    const skips = record.skips ?? before?.skips;
    const after = { kind, name, blockedAt: at ?? before?.blockedAt ?? now, ...(skips && { skips }) };
    await decisions.blockNames([after]);
    return compare(before, after);
  }
  const { hash, image, reason = '' } = record;
  const [before] = await decisions.removedFiles([hash]);
  const after = { hash, image, removedAt: at ?? before?.removedAt ?? now, reason };
  await decisions.rememberFiles([after]);
  return compare(before, after);
}

function compare<T extends object>(before: T | undefined, after: T): 'added' | 'updated' | 'unchanged' {
  if (!before) return 'added';
  const names = Object.keys({ ...before, ...after }) as (keyof T)[];
  return names.every((name) => before[name] === after[name]) ? 'unchanged' : 'updated';
}

// Looks up the stored entries and images that records may refer to.

/** Adds the entries that the references, ids or names, may mean. */
export async function loadEntries(
  existing: ExistingEntries,
  lookup: Lookup & { decisions?: Decisions },
  kind: Kind,
  references: Iterable<string>,
): Promise<void> {
  const { ids: given = [], names = [] } = Object.groupBy(references, (text) =>
    isId(text) ? 'ids' : 'names',
  );
  const ids = given.map((id) => id.toLowerCase());
  existing.add(await lookup.entriesById(kind, ids));
  existing.add(await lookup.entriesByName(kind, names));
  // An id wins over an alias, and a name over an alias and a block.
  const otherIds = ids.filter((id) => !existing.withId(kind, id));
  const others = names.filter((name) => existing.withName(kind, name).length === 0);
  existing.add(await lookup.entriesByAlias(kind, [...otherIds, ...others]));
  if (lookup.decisions) existing.addBlocked(await lookup.decisions.blockedNames(kind, others));
}

/** Adds the images that albums name, and those that they have. The albums must be loaded. */
export async function loadAlbumImages(
  existing: ExistingEntries,
  lookup: Lookup,
  albums: Pick<AlbumLine, 'id' | 'name' | 'images'>[],
): Promise<void> {
  const ids = albums.flatMap((record) => [
    ...(record.images ?? []),
    ...referencesOf(record).flatMap((reference) => existing.matching('album', reference)[0]?.images ?? []),
  ]);
  for (const batch of inBatches([...new Set(ids)], MAX_IDS))
    existing.addImages(await lookup.findImageIds(batch));
}

export async function loadImages(
  writer: CatalogueWriter,
  lines: Pick<Line, 'record' | 'picture'>[],
): Promise<ExistingImages> {
  const ids = lines.flatMap(({ record }) => record.id ?? []);
  const eTags = lines.flatMap(({ record, picture }) => (record.id ? [] : picture.hashes));
  return new ExistingImages(await writer.imagesById(ids), await writer.imagesByETag(eTags));
}

/** Adds the artist of images without one, if it is missing. */
export async function ensureUnknownArtist(writer: CatalogueWriter, now: string): Promise<void> {
  const [found] = await writer.entriesById('artist', [UNKNOWN_ARTIST.id]);
  if (!found) await writer.saveEntries([unknownArtistEntry(now)]);
}

/** Looked up at a time. */
const MAX_IDS = 10_000;
const MAX_REFERENCES = 50_000;
/** Characters of their documents. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** The entries that images mention, loaded once for many images. */
export class MentionedEntries {
  readonly entries = new ExistingEntries();
  readonly #references = forEachKind(() => new Set<string>());

  /** Whether there are so many that it should be replaced with an empty one. */
  get isFull(): boolean {
    const { artist, category, character } = this.#references;
    const references = artist.size + category.size + character.size;
    return references > MAX_REFERENCES || this.entries.length > MAX_LENGTH;
  }

  /** Returns the references, ids or names, that nobody mentioned before. Their entries have to be loaded. */
  add(records: ImageLine[]): Map<Kind, string[]> {
    const missing = new Map<Kind, string[]>();
    for (const [kind, reference] of records.flatMap(mentionedEntries)) {
      if (this.#references[kind].has(reference)) continue;
      this.#references[kind].add(reference);
      addToGroup(missing, kind, reference);
    }
    return missing;
  }
}
