/** What is undone of a change: what its parts share, and images. */
import type { Change, ChangeItem, TrashedImage, UndoResult } from '../catalogue/change-log.ts';
import { parseStored, readDocument } from '../catalogue/documents/document.ts';
import {
  type EditMark,
  formatEdited,
  type ImageEntries,
  imageFields,
  type LoggedImage,
  parseEdited,
  parseMarks,
  placeImage,
  withFileOf,
} from '../catalogue/documents/edit-image.ts';
import type { Rating } from '../catalogue/schemas.ts';
import type { CatalogueWriter, PlacedImage, SavedImage } from '../catalogue/writer.ts';
import { strictest } from '../import/sidecar/rating.ts';
import { EditError, entryFinder } from './entries.ts';

/** A change that is being undone. */
export interface Undoing {
  writer: CatalogueWriter;
  change: Change;
  result: UndoResult;
  /** These items need not be undone again. */
  markUndone(items: Pick<ChangeItem, 'kind' | 'id'>[]): Promise<void>;
  /** Call it after a batch of images. */
  onImages(count: number): Promise<void>;
}

/** The fields of something now, those before and after a change, and what later changes did to them. */
interface Versions<T> {
  now: T;
  before: Partial<T>;
  after: Partial<T>;
  later: { before: Partial<T>; after: Partial<T> }[];
}

/** What is now, with the former values of fields that no later change touched, and the names of those that one did. */
export function mergeFields<T extends object>(versions: Versions<T>): { fields: T; kept: (keyof T)[] } {
  const { now, before, after, later } = versions;
  const fields = { ...now };
  const kept: (keyof T)[] = [];
  for (const name of Object.keys({ ...before, ...after }) as (keyof T)[]) {
    if (isSame(before[name], after[name])) continue;
    const isTouched = later.some((change) => !isSame(change.before[name], change.after[name]));
    if (!isTouched && isSame(now[name], after[name])) fields[name] = before[name] as T[keyof T];
    else if (Array.isArray(before[name]) || Array.isArray(after[name])) {
      const merged = mergeLists(name, versions, isTouched);
      fields[name] = merged.list as T[keyof T];
      if (merged.isKept) kept.push(name);
    } else if (isTouched || !isSame(now[name], before[name])) kept.push(name);
  }
  return { fields, kept };
}

/**
 * The list without what the change added, and with what it removed, but for what later changes added or removed. If the change
 * only ordered it, the former order, unless a later change touched the list.
 */
function mergeLists<T>(
  name: keyof T,
  { now, before, after, later }: Versions<T>,
  isTouched: boolean,
): { list: unknown[]; isKept: boolean } {
  const itemsOf = (fields: Partial<T>) => new Set((fields[name] ?? []) as unknown[]);
  const touched = new Set(
    later.flatMap((change) => [...itemsOf(change.before).symmetricDifference(itemsOf(change.after))]),
  );
  const added = itemsOf(after).difference(itemsOf(before));
  const removed = itemsOf(before).difference(itemsOf(after));
  if (added.size + removed.size === 0) {
    const ordered = itemsOf(before).intersection(itemsOf(now)).union(itemsOf(now));
    return { list: [...(isTouched ? itemsOf(now) : ordered)], isKept: isTouched };
  }
  const isKept = [...added, ...removed].some((item) => touched.has(item));
  const left = itemsOf(now).difference(added.difference(touched));
  return { list: putBack(left, removed.difference(touched), itemsOf(before)), isKept };
}

/** Each item behind the one that it followed before. */
function putBack(list: Set<unknown>, items: Set<unknown>, before: Set<unknown>): unknown[] {
  const first: unknown[] = [];
  const following = new Map<unknown, unknown[]>();
  let place = first;
  for (const item of before)
    if (list.has(item)) {
      place = [];
      following.set(item, place);
    } else if (items.has(item)) place.push(item);
  return [...first, ...[...list].flatMap((item) => [item, ...(following.get(item) ?? [])])];
}

/** Whatever the order of their fields. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return JSON.stringify(isRecord ? Object.entries(value).sort() : value);
}

// What undoing a change does to images.

/** What the log has of an image. */
type Fields = Partial<LoggedImage>;

export const REPLACED = 'replaced by another file';
export const ENTRY_REMOVED = 'an artist, category or character of it was removed since';

export async function undoImages(undoing: Undoing): Promise<void> {
  const { writer, change, onImages } = undoing;
  for await (const items of writer.changeLog.items(change.number)) {
    const images = items.filter(({ kind, undoneBy }) => kind === 'image' && undoneBy === null);
    const added = images.filter(({ before }) => before === null);
    const removed = images.filter(({ after }) => after === null);
    const changed = images.filter(({ before, after }) => before !== null && after !== null);
    await removeAdded(undoing, added);
    await restoreRemoved(undoing, removed);
    await restoreFields(undoing, changed);
    if (images.length > 0) await onImages(images.length);
  }
  await removeRange(undoing);
}

/** Images that an import added are no items. */
async function removeRange(undoing: Undoing): Promise<void> {
  const { writer, change, result, onImages } = undoing;
  for (const id of await writer.changeLog.trashedOfRange(change))
    result.kept.push({ kind: 'image', id, reason: 'it is in the trash' });
  for await (const ids of writer.changeLog.addedImages(change)) {
    await removeUnchanged(undoing, ids);
    await onImages(ids.length);
  }
}

/** Images that the change brought back from the trash go there again. */
async function removeAdded(undoing: Undoing, items: ChangeItem[]): Promise<void> {
  const ids = items.map(({ id }) => id);
  const found = (await undoing.writer.imagesById(ids)).map(({ id }) => id);
  const removed = await removeUnchanged(undoing, found);
  await undoing.markUndone(removed.map((id) => ({ kind: 'image', id })));
  const missing = new Set(ids).difference(new Set(found));
  await keepMissing(undoing, [...missing]);
}

/** Returns the ids of those that no later change touched. */
async function removeUnchanged({ writer, change, result }: Undoing, ids: string[]): Promise<string[]> {
  const later = await writer.changeLog.laterItems(change, 'image', ids);
  for (const id of later.keys()) result.kept.push({ kind: 'image', id, reason: 'changed since' });
  const removed = (await writer.trashImages(ids.filter((id) => !later.has(id)))).map(({ id }) => id);
  result.removed.push(...removed);
  return removed;
}

async function keepMissing({ writer, result }: Undoing, ids: string[]): Promise<void> {
  const trashed = (await writer.changeLog.trashed(ids)).filter(({ kind }) => kind === 'image');
  const inTrash = new Set(trashed.map(({ image }) => image.id));
  for (const id of ids)
    result.kept.push({ kind: 'image', id, reason: inTrash.has(id) ? 'it is in the trash' : 'removed since' });
}

async function restoreRemoved(undoing: Undoing, items: ChangeItem[]): Promise<void> {
  const { writer, change, result, markUndone } = undoing;
  const ids = items.map(({ id }) => id);
  const trashed = (await writer.changeLog.trashed(ids)).filter(({ kind }) => kind === 'image');
  // If it was restored and removed again meanwhile, another change has it. That may be the one that undid the undoing.
  const byId = new Map(trashed.map((row) => [row.image.id, row]));
  for (const [id, rows] of Map.groupBy(trashed, ({ image }) => image.id))
    if (rows.length > 1) for (const row of rows) if (await isByChange(writer, row, change)) byId.set(id, row);
  const { restored, kept } = await restoreFromTrash(writer, [...byId.values()]);
  const gone = ids.filter((id) => !byId.has(id));
  const present = new Set((await writer.imagesById(gone)).map(({ id }) => id));
  for (const id of gone) kept.set(id, present.has(id) ? 'restored since' : 'deleted for good');
  for (const [id, reason] of kept) result.kept.push({ kind: 'image', id, reason });
  result.restored.push(...restored);
  await markUndone(restored.map((id) => ({ kind: 'image', id })));
}

/** Whether the change removed it, or one that undid an undoing of the change, however often. */
async function isByChange(
  { changeLog }: CatalogueWriter,
  row: TrashedImage,
  { number }: Change,
): Promise<boolean> {
  let by = row.change;
  while (by > number) {
    // Damaged logs may have changes that undo later ones.
    const undone = (await changeLog.find(by))?.undoes ?? 0;
    by = undone < by ? undone : 0;
  }
  return by === number;
}

/** Returns the ids of the images that are back, and why others are not. One row of each image. */
export async function restoreFromTrash(
  writer: CatalogueWriter,
  trashed: TrashedImage[],
): Promise<{ restored: string[]; kept: Map<string, string> }> {
  const rows = trashed.map(({ image }) => image);
  const kept = new Map<string, string>();
  const sameId = new Set((await writer.imagesById(rows.map(({ id }) => id))).map(({ id }) => id));
  const sameFile = new Set((await writer.imagesByETag(rows.map(({ eTag }) => eTag))).map(({ eTag }) => eTag));
  const fields = rows.map(imageFields);
  const find = await entryFinder(writer, fields);
  const placed = new Map<string, PlacedImage & { row: SavedImage }>();
  for (const [index, row] of rows.entries()) {
    const entries = find(fields[index] as LoggedImage);
    if (sameId.has(row.id) || sameFile.has(row.eTag)) kept.set(row.id, 'the picture was imported again');
    else if (!entries) kept.set(row.id, ENTRY_REMOVED);
    else {
      const image = place(row, {}, entries, writer);
      placed.set(row.id, { ...image, row: { ...image.row, number: row.number } });
    }
  }
  await writer.restoreImages([...placed.values()]);
  await writer.changeLog.takeFromTrash(trashed.filter(({ image }) => placed.has(image.id)));
  return { restored: [...placed.keys()], kept };
}

/** Gives images a former file back, which was theirs. Its rating counts too, and imports of folders leave the image alone. */
export async function restoreFiles(
  writer: CatalogueWriter,
  images: SavedImage[],
  former: Map<string, TrashedImage>,
  removedAt: string,
): Promise<void> {
  const rows = images.map((row) => ({ row, ...(former.get(row.id) as TrashedImage) }));
  const hashes = rows.map(({ image }) => image.eTag);
  const [same] = await writer.imagesByETag(hashes);
  if (same) throw new EditError(`nothing was restored: the former file is that of image ${same.id} by now`);
  const find = await entryFinder(
    writer,
    images.map((row) => imageFields(row)),
  );
  const placed = rows.map(({ row, image: file }) => {
    const fields = imageFields(row);
    const { rating, fileName } = imageFields(file);
    const marks: EditMark[] = rating === fields.rating ? parseMarks(row.edited) : ['file-changed'];
    const edited = formatEdited(parseEdited(row.edited), ['by-hand', ...marks]);
    const restored = { ...fields, fileName, edited, rating: strictest(rating, fields.rating) as Rating };
    return place(withFileOf(row, file), restored, find(fields) as ImageEntries, writer);
  });
  await writer.saveImages(placed);
  await writer.changeLog.takeFromTrash([...former.values()]);
  const ids = images.map(({ id }) => id);
  await writer.sourceFiles.detach(ids);
  await writer.decisions.forgetFiles(hashes);
  await writer.decisions.rememberFiles(
    images.map(({ id, eTag: hash }) => ({ hash, image: id, removedAt, reason: REPLACED })),
  );
}

async function restoreFields(undoing: Undoing, items: ChangeItem[]): Promise<void> {
  const { writer, change, result, markUndone } = undoing;
  const byId = new Map(items.map((item) => [item.id, item]));
  const ids = [...byId.keys()];
  const rows = await writer.imagesById(ids);
  const trashed = await writer.changeLog.trashed(ids);
  const found = new Set(rows.map(({ id }) => id));
  await keepMissing(
    undoing,
    ids.filter((id) => !found.has(id)),
  );
  const later = await writer.changeLog.laterItems(change, 'image', ids);
  const merged = rows.map((row) => {
    const { before, after } = byId.get(row.id) as ChangeItem;
    return { row, ...mergeImage(row, before, after, later.get(row.id) ?? []) };
  });
  const find = await entryFinder(
    writer,
    merged.map(({ fields }) => fields),
  );
  const former = merged.flatMap(({ row, fields }) => (fields.file === row.eTag ? [] : [fields.file]));
  const sameFile = new Set((await writer.imagesByETag(former)).map(({ eTag }) => eTag));
  const placed: PlacedImage[] = [];
  const done: { kind: 'image'; id: string }[] = [];
  const taken: TrashedImage[] = [];
  for (const { row, fields, kept } of merged) {
    const { id } = row;
    const entries = find(fields);
    const file =
      fields.file === row.eTag || sameFile.has(fields.file)
        ? undefined
        : trashed.find(({ kind, image }) => kind === 'file' && image.id === id && image.eTag === fields.file);
    if (!entries) kept.push(ENTRY_REMOVED);
    if (sameFile.has(fields.file) && fields.file !== row.eTag)
      kept.push('its former picture was imported again');
    else if (fields.file !== row.eTag && !file) kept.push('the former file was deleted for good');
    for (const reason of kept) result.kept.push({ kind: 'image', id, reason });
    if (!entries) continue;
    const image = place(file ? withFileOf(row, file.image) : row, fields, entries, writer);
    placed.push(image);
    if (file) taken.push(file);
    if (file) result.replaced++;
    // What was kept may be all that is left to undo.
    if (!isSame(imageFields(row), imageFields(image.row))) result.changed.push(id);
    if (kept.length === 0) done.push({ kind: 'image', id });
  }
  await writer.saveImages(placed);
  await writer.changeLog.takeFromTrash(taken);
  await markUndone(done);
}

/** The current fields with the former ones, but for those that were changed since. */
function mergeImage(
  row: SavedImage,
  before: Fields | null,
  after: Fields | null,
  later: ChangeItem[],
): { fields: LoggedImage; kept: string[] } {
  const now = imageFields(row);
  const merged = mergeFields<WithList>({
    now: { ...now, edited: wordsOf(now.edited) },
    before: withList(before),
    after: withList(after),
    later: later.map((item) => ({ before: withList(item.before), after: withList(item.after) })),
  });
  const kept = merged.kept.filter((name) => name !== 'edited');
  // A field that was changed since is still decided.
  const words = merged.kept.length > 0 ? now.edited : merged.fields.edited.join(' ');
  const edited = formatEdited(parseEdited(words), parseMarks(words));
  const reasons = kept.map((name) => `${name} changed since`);
  return { fields: { ...merged.fields, edited }, kept: reasons };
}

/** Which fields an operator decided is merged as a list. */
type WithList = Omit<LoggedImage, 'edited'> & { edited: string[] };

function withList(fields: Fields | null): Partial<WithList> {
  const { edited, ...others } = fields ?? {};
  return edited === undefined ? others : { ...others, edited: wordsOf(edited) };
}

const wordsOf = (edited: string): string[] => edited.split(' ').filter(Boolean);

function place(
  row: SavedImage,
  fields: Fields,
  entries: ImageEntries,
  { fixedShelves }: CatalogueWriter,
): PlacedImage {
  const image = readDocument(row.document);
  const {
    rating: nsfw = image.nsfw,
    artist,
    categories,
    characters,
    edited = row.edited,
    ...others
  } = fields;
  const { previews } = parseStored(row.document);
  return placeImage({ ...row, edited }, { ...image, ...others, nsfw }, entries, previews, fixedShelves);
}
