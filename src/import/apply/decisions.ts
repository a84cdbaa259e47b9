/**
 * What operators decided, when an import saves records. Removed pictures are skipped. For the pictures of folders, fields that
 * were decided by hand stay as they are, blocked names are left out, and pictures of artists and characters that were taken
 * down are skipped. Decisions of a catalogue file are saved.
 */
import type { Kind } from '../../catalogue/types.ts';
import type { CatalogueWriter } from '../../catalogue/writer.ts';
import type { Decisions, RemovedFile } from '../../store/contract/decisions.ts';
import type { DecisionReport } from '../listener.ts';
import { ExistingEntries, type ExistingImages } from '../plan/existing.ts';
import { keepDecisions } from '../plan/kept-fields.ts';
import type { DecisionLine } from '../records/lines.ts';
import { type ImageLine, type Mention, mentionedNames } from '../records/record.ts';
import { loadEntries, loadImages } from './lookup.ts';

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
  report: DecisionReport,
  onSkipped: (line: L, image: string, isBlocked: boolean) => void,
): Promise<L[]> {
  const removed = await writer.decisions.removedFiles(lines.flatMap(({ picture }) => picture.hashes));
  const needsImages = removed.length > 0 || lines.some(({ record }) => record.isFromFolder);
  const images = await loadImages(writer, needsImages ? lines : []);
  const skipped = findRemoved(lines, images, removed);
  for (const [line, file] of skipped) {
    report.removed(line.label, file);
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
  report: DecisionReport,
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
    report.blocked(kind, name);
    return false;
  };
  return lines.flatMap((line) => {
    if (!line.record.isFromFolder) return line;
    const takenDown = namesOf(line).find(([kind, name]) => findBlock(kind, name)?.skips);
    if (takenDown) {
      report.skipped(line.label, ...takenDown);
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
  report: { record(record: DecisionLine, outcome: 'added' | 'updated' | 'unchanged'): void },
): Promise<void> {
  for (const record of records) report.record(record, await saveDecision(record, decisions, now));
}

async function saveDecision(
  record: DecisionLine,
  decisions: Decisions,
  now: string,
): Promise<'added' | 'updated' | 'unchanged'> {
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
