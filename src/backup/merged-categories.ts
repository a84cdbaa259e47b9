/**
 * Versions up to 0.5 stored names as they were given, so that their backups can have a category once for each Unicode form of its
 * name. They become one, as when a catalogue of such a version is opened (store/name-migration.ts).
 */
import type { EntryLine, ImageLine } from '../import/sources/record.ts';
import { nameKey } from '../store/contract/decisions.ts';
import type { ParsedHistory, ParsedLine } from './format.ts';

/** What the categories that are several become, by the id of each. */
export type MergedCategories = ReadonlyMap<string, EntryLine>;

type Fields = Record<string, unknown>;

/** `records` are the categories of a backup. */
export function mergeCategories(records: EntryLine[]): MergedCategories {
  const merged = new Map<string, EntryLine>();
  for (const same of Map.groupBy(records, ({ name }) => nameKey('category', name)).values()) {
    if (same.length === 1) continue;
    const one = same.reduce(combine);
    for (const { id } of same) if (id !== undefined) merged.set(id, one);
  }
  return merged;
}

/** The first one, with what only the other one has. */
function combine(first: EntryLine, other: EntryLine): EntryLine {
  const isEmpty = (value: unknown) => value === undefined || value === '' || value === false;
  const fields = Object.entries(other).filter(([name]) => isEmpty((first as Fields)[name]));
  const aliases = [...(first.aliases ?? []), ...(other.aliases ?? [])];
  return { ...first, ...Object.fromEntries(fields), aliases: [...new Set(aliases)] };
}

export function replaceInRecord(parsed: ParsedLine, merged: MergedCategories): ParsedLine {
  const { record } = parsed;
  if (record.type === 'image') return { ...parsed, record: withCategories(record, merged) };
  return record.type === 'category' ? { ...parsed, record: merged.get(record.id ?? '') ?? record } : parsed;
}

export function replaceInHistory(parsed: ParsedHistory, merged: MergedCategories): ParsedHistory {
  const { line, record } = parsed;
  if (record) return { ...parsed, record: withCategories(record as ImageLine, merged) };
  if (line.type !== 'change-item') return parsed;
  // Only images have categories.
  const replace = (fields: object | null) => fields && withCategories(fields, merged);
  return { ...parsed, line: { ...line, before: replace(line.before), after: replace(line.after) } };
}

function withCategories<T extends object & { categories?: unknown }>(fields: T, merged: MergedCategories): T {
  if (!Array.isArray(fields.categories)) return fields;
  const categories = fields.categories.map((id: string) => merged.get(id)?.id ?? id);
  return { ...fields, categories: [...new Set(categories)] };
}
