/**
 * Checks the change log and the trash. Nothing is derived from them, so a repair can only drop what cannot be used. These are no
 * problems: items without the change that undid them, and images in the trash without the change that removed them, because old
 * changes are forgotten first; fewer items than a change counted, because a take-down removes its own.
 */
import type { ChangeLogReader, ChangeLogWriter, StoredItem } from '../change-log.ts';
import { readDocument } from './document.ts';

export interface Finding {
  problem: string;
  canBeRepaired: boolean;
}

type ItemKey = Pick<StoredItem, 'change' | 'kind' | 'id'>;

export async function* checkLog(log: ChangeLogReader): AsyncGenerator<Finding, void> {
  const counted = new Map<number, number>();
  for await (const { number, items } of log.changes()) counted.set(number, items);
  const found = new Map<number, number>();
  for await (const item of log.storedItems()) {
    const { change, kind, id } = item;
    if (!isReadable(item))
      yield { problem: `change ${change}: what it did to ${kind} ${id} cannot be read`, canBeRepaired: true };
    else found.set(change, (found.get(change) ?? 0) + 1);
  }
  for (const [change, items] of found) {
    const expected = counted.get(change);
    if (expected === undefined)
      yield { problem: `change ${change}: the log has its items, but not the change`, canBeRepaired: true };
    else if (items > expected)
      yield { problem: `change ${change}: has ${items} items instead of ${expected}`, canBeRepaired: true };
  }
  for await (const { kind, image } of log.trash())
    if (!hasDocument(image.id, image.document))
      yield {
        problem: `${describeTrashed(kind, image.id)}: the document cannot be read`,
        canBeRepaired: false,
      };
}

/** Drops what cannot be read or belongs to no change, and counts again. */
export async function repairLog(log: ChangeLogReader, writer: ChangeLogWriter): Promise<void> {
  const broken: ItemKey[] = [];
  for await (const item of log.storedItems()) if (!isReadable(item)) broken.push(item);
  await writer.repair(broken);
}

/** What the trash has of an image. */
export const describeTrashed = (kind: 'image' | 'file', id: string): string =>
  kind === 'image' ? `image ${id} in the trash` : `former file of image ${id} in the trash`;

function isReadable({ kind, id, before, after }: StoredItem): boolean {
  try {
    if (kind === 'blocked') JSON.parse(id);
    return [before, after].every((text) => text === null || isRecord(JSON.parse(text)));
  } catch {
    return false;
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasDocument(id: string, document: string): boolean {
  try {
    return readDocument(document).id === id;
  } catch {
    return false;
  }
}
