/** One line of a catalogue file to one checked record. */

import type Type from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import * as schemas from '../schemas.ts';
import { LineError } from './lines.ts';

const uuid = new RegExp(schemas.uuidPattern);

export type CategoryLine = Type.Static<typeof schemas.CategoryLine>;
export type ArtistLine = Type.Static<typeof schemas.ArtistLine>;
export type CharacterLine = Type.Static<typeof schemas.CharacterLine>;
export type ImageLine = Type.Static<typeof schemas.ImageLine>;

/** `isOnlyNamed`: somebody mentioned it, and it is made if there is none of that name. No line of a file says so. */
export type EntryLine = (ArtistLine | CategoryLine | CharacterLine) & { isOnlyNamed?: true };
export type RecordLine = EntryLine | ImageLine;

const validators: Record<string, Validator> = {
  artist: Compile(schemas.ArtistLine),
  category: Compile(schemas.CategoryLine),
  character: Compile(schemas.CharacterLine),
  image: Compile(schemas.ImageLine),
};

/** Undefined for a blank line. */
export function parseRecord(text: string): RecordLine | undefined {
  if (text === '') return undefined;
  const value = parseJson(text);
  const type = (value as { type?: unknown } | null)?.type;
  const validator =
    typeof type === 'string' && Object.hasOwn(validators, type) ? validators[type] : undefined;
  if (!validator) throw new LineError('"type" must be "category", "artist", "character" or "image"');
  if (!validator.Check(value)) throw new LineError(explain(validator, value));
  // Only an escape can bring in what no store could keep: half of a surrogate pair, or the character NUL.
  if (text.includes('\\u') && !isStorable(value))
    throw new LineError('the text has a NUL or half of a surrogate pair');
  const record = value as RecordLine;
  if (record.id) record.id = record.id.toLowerCase();
  if (record.createdAt) record.createdAt = normalTime(record.createdAt);
  if (record.type === 'image') checkImage(record);
  else if (uuid.test(record.name)) throw new LineError('name: a UUID would be taken for an id');
  return record;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LineError(`not JSON: ${(error as Error).message}`);
  }
}

/** In UTC, with milliseconds, and with a year of four digits. */
function normalTime(text: string): string {
  const time = new Date(text);
  const iso = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  if (!/^\d{4}-/.test(iso)) throw new LineError(`createdAt: there is no such moment as ${text}`);
  return iso;
}

/** What a field must be, for people. */
const hints: Record<string, string> = {
  id: 'must be a UUID',
  createdAt: 'must look like 2026-01-31T12:00:00Z',
  name: 'must be a text of 1 to 255 characters, without blanks around it, and without a comma in a category',
  url: 'must begin with http:// or https://',
  'source.url': 'must begin with http:// or https://',
  source: 'must be {"name":…,"url":…} for an image, and a text of at most 255 characters for a character',
  nsfw: 'must be "sfw", "questionable" or "nsfw" for an image, and true or false for a category',
  ages: 'must be a list of whole numbers',
  'meta.eTag': 'must be an entity tag without quotes and commas',
  'meta.mimetype': 'must be image/jpeg, image/png, image/webp, image/gif or image/avif',
  'meta.color': 'must look like #a0b0c0',
};

/** Every mistake of a record, in words. */
export function explain(validator: Validator, value: unknown): string {
  const [, errors] = validator.Errors(value);
  const problems = errors.flatMap(({ keyword, instancePath, params, message }) => {
    const { requiredProperties, additionalProperties } = params as Record<string, string[] | undefined>;
    if (keyword === 'required') return (requiredProperties ?? []).map((name) => `"${name}" is missing`);
    if (keyword === 'additionalProperties')
      return (additionalProperties ?? []).map((name) => `there is no field "${name}"`);
    // This one is told as an additional property already.
    if (keyword === 'boolean') return [];
    const field = instancePath.slice(1).replaceAll('/', '.');
    const [whole = ''] = field.split('.');
    return [`${field}: ${hints[field] ?? hints[whole] ?? message}`];
  });
  return [...new Set(problems)].slice(0, 5).join('; ');
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isStorable);
}

function checkImage({ file, key, meta }: ImageLine): void {
  if (file !== undefined && (key !== undefined || meta !== undefined))
    throw new LineError('give either "file", or "key" with "meta", not both');
  if (file === undefined && (key === undefined || meta === undefined))
    throw new LineError('an image needs "file", or "key" with "meta"');
  if (key !== undefined && !isSafeKey(key))
    throw new LineError(
      'key: must be a relative path of plain segments ("ab/cd.webp"), without "..", "\\" or a leading "/"',
    );
}

/** A key never leaves the storage, nor names a hidden file there. */
function isSafeKey(key: string): boolean {
  if (/[\\\p{Cc}]/u.test(key)) return false;
  return key.split('/').every((segment) => segment !== '' && !segment.startsWith('.'));
}
