/** A change that is being undone: what its parts share. */
import type { Change, ChangeItem } from '../catalogue/change-log.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';

/** Something that stays as it is. */
export interface Kept {
  kind: ChangeItem['kind'];
  id: string;
  /** Of an entry. The title or the file name of an image that has one. */
  name?: string;
  reason: string;
}

export interface UndoResult {
  change: Change;
  /** The ids of images that went to the trash, that came back from it, and that have former fields again. */
  removed: string[];
  restored: string[];
  changed: string[];
  /** How many of these have another file. */
  replaced: number;
  /** How many entries were removed, restored or changed. */
  entries: number;
  kept: Kept[];
}

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
export interface Versions<T> {
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
