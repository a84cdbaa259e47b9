/**
 * What a JSON file beside a picture says of it: the fields of an image record, or the common ones that gallery-dl
 * writes. Anything else in it is left alone.
 */
import { Compile } from 'typebox/schema';
import type { Rating } from '../catalogue/types.ts';
import { ImageLine as ImageLineSchema } from '../schemas.ts';
import { LineError } from './lines.ts';
import { isId } from './plan.ts';
import type { ImageLine } from './record.ts';
import { explain } from './record.ts';

export type Facts = Omit<ImageLine, 'type' | 'file' | 'key' | 'meta'>;

/** By the first letter: general, safe and sensitive, questionable, explicit. */
const ratings: Record<string, Rating> = { g: 'sfw', s: 'sfw', q: 'questionable', e: 'nsfw' };
const validator = Compile(ImageLineSchema);

export function readSidecar(text: string, file: string): Facts {
  const fields = parse(text);
  const facts: Record<string, unknown> = {
    id: fields.id,
    createdAt: fields.createdAt ?? timeOf(fields.created_at),
    artist: [...namesIn(fields.artist), ...namesOf(fields.tags_artist)][0],
    source: sourceOf(Array.isArray(fields.source) ? fields.source[0] : fields.source),
    nsfw: ratingOf(fields),
    categories: firstList(fields.categories, fields.tags_general, fields.tags).map(withoutCommas),
    characters: firstList(fields.characters, fields.tags_character),
  };
  // The sites that gallery-dl reads number or name their pictures; only a UUID is an id here.
  if (typeof facts.id !== 'string' || !isId(facts.id)) delete facts.id;
  const line = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  const whole = { type: 'image', file, ...line };
  if (!validator.Check(whole)) throw new LineError(`its sidecar: ${explain(validator, whole)}`);
  const { type, file: _, ...checked } = whole as ImageLine;
  return checked;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new LineError(`its sidecar is not JSON: ${(error as Error).message}`);
  }
  throw new LineError('its sidecar is not a JSON object');
}

function ratingOf({ nsfw, rating }: Record<string, unknown>): unknown {
  if (nsfw !== undefined) return nsfw;
  if (rating === undefined || rating === null || rating === '') return 'sfw';
  return ratings[String(rating).charAt(0).toLowerCase()] ?? rating;
}

/** A list, or names with blanks between them. */
function namesOf(value: unknown): string[] {
  const names =
    typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value.map(String) : [];
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))];
}

const withoutCommas = (name: string) => name.replaceAll(',', ' ').trim();

/** The names of the first field that has any. */
function firstList(...values: unknown[]): string[] {
  return values.map(namesOf).find((names) => names.length > 0) ?? [];
}

/** A name may have blanks in it, unlike a tag. */
function namesIn(value: unknown): string[] {
  return typeof value === 'string' ? [value.trim()].filter(Boolean) : namesOf(value);
}

/** An address alone is a source that is called like its host. */
function sourceOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { name: url.host, url: value };
}

function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // A number is seconds; a text without a zone is UTC.
  const text = String(value).replace(' ', 'T');
  const time =
    typeof value === 'number'
      ? new Date(value * 1000)
      : new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
