/**
 * Reads a sidecar, a JSON file next to a picture: the fields of an image record, or the common ones that gallery-dl
 * writes. Other fields are ignored.
 */
import { isUtf8 } from 'node:buffer';
import type { Rating } from '../catalogue/types.ts';
import { RecordError } from './problems.ts';
import { isId, type OpenField } from './record.ts';

/** The fields of an image record, not validated yet. */
export type SidecarFields = Record<string, unknown> & { categories: string[] };

/** By first letter: general, safe or sensitive, questionable, explicit. */
const ratings: Record<string, Rating> = { g: 'sfw', s: 'sfw', q: 'questionable', e: 'nsfw' };

/** Where each field may be, the first one first. */
const names: Record<OpenField, string[]> = {
  artist: ['artist', 'tags_artist'],
  source: ['source'],
  createdAt: ['createdAt', 'created_at'],
  categories: ['categories', 'tags_general', 'tags'],
  nsfw: ['nsfw', 'rating'],
};

export function readSidecar(bytes: Buffer): { fields: SidecarFields; openFields: OpenField[] } {
  const fields = parse(bytes);
  // An empty field counts: it says that there is none.
  const openFields = (Object.keys(names) as OpenField[]).filter((field) =>
    names[field].every((name) => fields[name] === undefined),
  );
  return { fields: readFields(fields), openFields };
}

function readFields(fields: Record<string, unknown>): SidecarFields {
  const categories = categoryNames(firstNonEmpty(fields.categories, fields.tags_general, fields.tags));
  const optional: Record<string, unknown> = {
    // Sites use numbers or names as ids; only a UUID is an id here.
    id: typeof fields.id === 'string' && isId(fields.id) ? fields.id : undefined,
    createdAt: fields.createdAt ?? parseTime(fields.created_at),
    artist: [...readNames(fields.artist), ...readTags(fields.tags_artist)][0],
    source: readSource(Array.isArray(fields.source) ? fields.source[0] : fields.source),
  };
  return {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    nsfw: readRating(fields),
    categories,
    characters: firstNonEmpty(fields.characters, fields.tags_character),
  };
}

/** Commas separate categories, so a category's name cannot contain one. Names of nothing else are left out. */
export function categoryNames(names: string[]): string[] {
  return names.map((name) => name.replaceAll(',', ' ').trim()).filter(Boolean);
}

function parse(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new RecordError('the sidecar is not valid UTF-8');
  try {
    const value = JSON.parse(bytes.toString().replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new RecordError(`the sidecar is not valid JSON: ${(error as Error).message}`);
  }
  throw new RecordError('the sidecar is not a JSON object');
}

function readRating({ nsfw, rating }: Record<string, unknown>): unknown {
  if (nsfw !== undefined) return nsfw;
  if (rating === undefined || rating === null || rating === '') return 'sfw';
  return typeof rating === 'string' ? (ratings[rating.charAt(0).toLowerCase()] ?? rating) : rating;
}

/** A list, or names separated by spaces. Items of a list that are neither texts nor numbers are ignored. */
function readTags(value: unknown): string[] {
  const items: unknown[] = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  const names = items.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))];
}

/** The tags of the first field that has any. */
function firstNonEmpty(...values: unknown[]): string[] {
  return values.map(readTags).find((names) => names.length > 0) ?? [];
}

/** Unlike a tag, a name may contain spaces. */
function readNames(value: unknown): string[] {
  return typeof value === 'string' ? [value.trim()].filter(Boolean) : readTags(value);
}

/** A source that is only a URL is named after its host. */
function readSource(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { name: url.host, url: value };
}

function parseTime(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // A number is in seconds; a text without a time zone is UTC.
  const text = String(value).replace(' ', 'T');
  const time =
    typeof value === 'number'
      ? new Date(value * 1000)
      : new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
