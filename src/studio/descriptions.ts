/** Labels of steps, for the list of what can be undone. */

import type { Kind } from '../catalogue/types.ts';
import type { RevertResult } from '../changes/revert-import.ts';
import { isId } from '../import/sources/record.ts';
import type { ImportRun } from '../store/contract/import-runs.ts';
import type { Lookup } from '../store/contract/writer.ts';
import type { Request } from './requests.ts';

type Edit = Request<'editImages'>['edit'];

export function describeImages(count: number): string {
  return count === 1 ? '1 picture' : `${count} pictures`;
}

/** Of pictures that were added in the studio. */
export function describeImport({ added, changed }: ImportRun): string {
  return added === 0 && changed > 0 ? `Update ${describeImages(changed)}` : `Add ${describeImages(added)}`;
}

export function describeRevert({ removed, restored }: RevertResult): string {
  return `Revert the import: ${describeImages(removed.length + restored.length)}`;
}

export function describeEdit(edit: Edit, images: number): string {
  const list = (names: string[] | undefined, verb: string) =>
    names && names.length > 0 ? [`${verb} ${names.join(', ')}`] : [];
  const parts = [
    ...(edit.rating ? [`rate ${edit.rating}`] : []),
    ...(edit.artist === undefined ? [] : [`artist ${edit.artist}`]),
    ...list(edit.addCategories, 'add'),
    ...list(edit.removeCategories, 'remove'),
    ...list(edit.addCharacters, 'add'),
    ...list(edit.removeCharacters, 'remove'),
    ...(edit.sourceName === undefined && edit.sourceUrl === undefined ? [] : ['change the source']),
    ...list(edit.reset, 'reset'),
  ];
  const text = parts.join(', ') || 'change';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}: ${describeImages(images)}`;
}

/** The same edit with the names of entries instead of their ids. */
export async function nameEntries(lookup: Lookup, edit: Edit): Promise<Edit> {
  const name = async (kind: Kind, reference: string) => {
    const [entry] = isId(reference) ? await lookup.entriesById(kind, [reference]) : [];
    return entry?.name ?? reference;
  };
  const fields: [keyof Edit, Kind][] = [
    ['artist', 'artist'],
    ['addCategories', 'category'],
    ['removeCategories', 'category'],
    ['addCharacters', 'character'],
    ['removeCharacters', 'character'],
  ];
  const named: Record<string, unknown> = { ...edit };
  for (const [field, kind] of fields) {
    const value = edit[field];
    if (typeof value === 'string') named[field] = await name(kind, value);
    if (Array.isArray(value))
      named[field] = await Promise.all(value.map((reference) => name(kind, reference)));
  }
  return named as Edit;
}
