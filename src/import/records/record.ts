/** Parses a line of a catalogue file, and validates records. */

import { UNKNOWN_ARTIST } from '../../catalogue/documents/document.ts';
import { EDITABLE_FIELDS } from '../../catalogue/documents/edit-image.ts';
import { findFlaws, isId, normaliseName, normaliseTexts } from '../../catalogue/names.ts';
import { type ArtistRights, MAX_ALT_LENGTH, MAX_CREDIT_LENGTH } from '../../catalogue/rights.ts';
import {
  DETAIL_FIELDS,
  isTakenAt,
  type Kind,
  MAX_DESCRIPTION_LENGTH,
  MAX_TITLE_LENGTH,
  type Rating,
} from '../../catalogue/schemas.ts';
import type * as Type from '../../lib/json-schema.ts';
import { LICENCE_HINT, licenceText, parseLicence } from '../../lib/licence.ts';
import { siteParsers } from '../../lib/site-texts.ts';
import { compile, type Validator } from '../../lib/validator.ts';
import { isSafeKey } from '../../media/files.ts';
import * as lines from './lines.ts';
import { RecordError, withSubject } from './lines.ts';

type CategoryLine = Type.Static<typeof lines.CategoryLine>;
type ArtistLine = Type.Static<typeof lines.ArtistLine>;
type CharacterLine = Type.Static<typeof lines.CharacterLine>;
export type AlbumLine = Type.Static<typeof lines.AlbumLine>;
/** A rating that an image has at least, because its file had it before. `isMarked`: until somebody rates the image. */
export interface FormerRating {
  rating: Rating;
  isMarked: boolean;
}

/**
 * `openFields` are those that neither a folder nor a sidecar states: the metadata of the picture may fill them, or else the
 * image keeps what it has. If the rating is open, it becomes `atLeast` this strict. `unknownMarkers` are ratings that were
 * not understood. A catalogue file can set none of these, and neither `isFromFolder`, `folder` nor `former`.
 */
export type ImageLine = Type.Static<typeof lines.ImageLine> & {
  openFields?: OpenField[];
  atLeast?: Rating;
  unknownMarkers?: UnknownMarker[];
  isFromFolder?: true;
  folder?: FolderFacts;
  former?: FormerRating;
};
/**
 * `unusedNames` are folders that are not categories by choice; `hidden` is why the picture must not be published. `licence` and
 * `credit` are of the pictures that state none.
 */
interface FolderFacts extends ArtistRights {
  defaultRating: Rating;
  unusedNames?: string[];
  hidden?: string;
}
export const OPEN_FIELDS = [
  ...(['artist', 'source', 'categories', 'characters', 'nsfw'] as const),
  ...DETAIL_FIELDS,
] as const;
export type OpenField = (typeof OPEN_FIELDS)[number];
export interface UnknownMarker {
  field: string;
  value: string;
}

/**
 * `isImplicit` is set for entries that the pictures of a folder mention: they are created if missing and never updated. A
 * catalogue file cannot set it.
 */
export type EntryLine = (ArtistLine | CategoryLine | CharacterLine | AlbumLine) & { isImplicit?: true };
export type RecordLine = EntryLine | ImageLine | lines.DecisionLine;

const validators: Record<string, Validator> = {
  artist: compile(lines.ArtistLine),
  category: compile(lines.CategoryLine),
  character: compile(lines.CharacterLine),
  album: compile(lines.AlbumLine),
  image: compile(lines.ImageLine),
  blocked: compile(lines.BlockedLine),
  removed: compile(lines.RemovedLine),
  site: compile(lines.SiteLine),
};

/** The id or name of the artist of an image. The name "Unknown" means the artist of images without one. */
export function artistOf({ artist }: Pick<ImageLine, 'artist'>): string {
  return (artist ?? UNKNOWN_ARTIST.name) === UNKNOWN_ARTIST.name ? UNKNOWN_ARTIST.id : (artist as string);
}

/** The rating that the picture of a folder has at least, or undefined if nothing says how explicit it is. */
export function statedRating({ openFields, atLeast, nsfw }: ImageLine): Rating | undefined {
  return openFields?.includes('nsfw') ? atLeast : nsfw;
}

/** Undefined for a blank line. */
export function parseRecord(text: string): RecordLine | undefined {
  if (text === '') return undefined;
  // JSON without escapes cannot contain what no store can hold, and looking for it takes a while.
  return checkRecord(parseJson(text), text.includes('\\u'));
}

/** Every record that is new passes this check, whether it comes from a catalogue file, a folder or an operator. */
export function checkRecord(value: unknown, mayBeUnstorable?: boolean): RecordLine {
  const record = checkSavedRecord(value, mayBeUnstorable);
  checkTexts(record);
  return record;
}

/**
 * A record of a backup or of the log may have texts that older versions accepted. Normalises its id and time. `mayBeUnstorable` is
 * whether texts can contain a NUL character or an unpaired surrogate.
 */
export function checkSavedRecord(given: unknown, mayBeUnstorable = true): RecordLine {
  const { type, licence } = (given ?? {}) as { type?: unknown; licence?: unknown };
  const text = typeof licence === 'object' ? licenceText(licence) : undefined;
  const value = text === undefined ? given : { ...(given as object), licence: text };
  const validator =
    typeof type === 'string' && Object.hasOwn(validators, type) ? validators[type] : undefined;
  if (!validator)
    throw new RecordError(
      '"type" must be "category", "artist", "character", "image", "album", "blocked", "removed" or "site"',
    );
  checkValid(validator, value, mayBeUnstorable);
  const record = normalise(value as RecordLine);
  if ('licence' in record && record.licence !== undefined) record.licence = normaliseLicence(record.licence);
  if (record.createdAt) record.createdAt = normaliseTime(record.createdAt);
  if (record.type === 'removed') record.image = record.image.toLowerCase();
  else if (record.type === 'image') checkImage(record);
  else if (record.type === 'site') checkSite(record);
  else if (record.type !== 'blocked') checkEntry(record);
  else if (record.skips && record.kind !== 'artist' && record.kind !== 'character')
    throw new RecordError('skips: only for the kinds artist and character');
  if ('id' in record && record.id) record.id = record.id.toLowerCase();
  return record;
}

/** Names are stored and compared in one form. Those of files stay as the file system has them. */
function normalise(record: RecordLine): RecordLine {
  if (record.type === 'removed') return record;
  if (record.type === 'album' && record.images) {
    const { images, ...others } = record;
    return { ...normaliseTexts(others), images };
  }
  if (record.type !== 'image') return normaliseTexts(record);
  const { artist, categories, characters } = record;
  if (typeof artist === 'string') record.artist = normaliseName(artist);
  if (categories) record.categories = categories.map(normaliseName);
  if (characters) record.characters = characters.map(normaliseName);
  return record;
}

function checkSite({ field, text }: lines.SiteLine): void {
  try {
    siteParsers[field](text);
  } catch (error) {
    throw new RecordError(`${field}: ${(error as Error).message}`);
  }
}

/** In the form that is stored. */
export function normaliseLicence(text: string): string {
  const licence = parseLicence(text);
  if (licence === undefined) throw new RecordError(`licence: ${LICENCE_HINT}`);
  return licence;
}

/** Refuses texts with characters that nobody sees. */
export function checkTexts(fields: object): void {
  for (const { field, flaw } of findFlaws(fields)) throw new RecordError(`${field}: ${flaw}`);
}

export function isValidRecord(value: object): boolean {
  try {
    checkRecord(value);
    return true;
  } catch (error) {
    if (error instanceof RecordError) return false;
    throw error;
  }
}

/** Whether an image can refer to an entry like this: by its id, or by a valid name. */
export function isReference(kind: Kind, reference: string): boolean {
  return isId(reference) || isValidRecord({ type: kind, name: reference });
}

/** Validates the record of a picture of a folder, and the names that it mentions, as if a catalogue file had them. */
export function checkPicture(fields: object): ImageLine {
  const record = checkRecord({ type: 'image', ...fields }) as ImageLine;
  for (const [type, name] of mentionedNames(record))
    withSubject(`${type} "${name}"`, () => checkRecord({ type, name }));
  return record;
}

export type Mention = [kind: Kind, name: string];

/** The entries that an image mentions by name or id. */
export function mentionedEntries(record: ImageLine): Mention[] {
  const { categories = [], characters = [] } = record;
  return [
    ...categories.map((name): Mention => ['category', name]),
    ['artist', artistOf(record)],
    ...characters.map((name): Mention => ['character', name]),
  ];
}

export function mentionedNames(record: ImageLine): Mention[] {
  return mentionedEntries(record).filter(([, name]) => !isId(name));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordError(`not valid JSON: ${(error as Error).message}`);
  }
}

/** UTC with milliseconds and a four-digit year. Undefined if it is no such time. */
export function isoTime(time: Date): string | undefined {
  const iso = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  return /^\d{4}-/.test(iso) ? iso : undefined;
}

function normaliseTime(text: string): string {
  const iso = isoTime(new Date(text));
  if (iso === undefined) throw new RecordError(`createdAt: ${text} is not a valid date and time`);
  return iso;
}

/** Whether it has the form that its validator knows, and texts that the stores can hold. */
export function checkValid(validator: Validator, value: unknown, mayBeUnstorable = true): void {
  if (!validator.Check(value)) throw new RecordError(describeErrors(validator, value));
  if (mayBeUnstorable && !isStorable(value))
    throw new RecordError('a text contains a NUL character or an unpaired surrogate');
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isStorable);
}

function checkEntry(record: EntryLine): void {
  if (record.type === 'artist' && record.name === UNKNOWN_ARTIST.name) record.id ??= UNKNOWN_ARTIST.id;
  if (isId(record.name))
    throw new RecordError('name: must not be a UUID, because references by name would take it for an id');
  const lowerIds = (texts: string[]) => texts.map((text) => (isId(text) ? text.toLowerCase() : text));
  if (record.aliases) record.aliases = lowerIds(record.aliases);
  if (record.type === 'album' && record.images) record.images = lowerIds(record.images);
}

function checkImage({ file, key, meta, thumbnails, takenAt = '' }: ImageLine): void {
  if (!isTakenAt(takenAt)) throw new RecordError(`takenAt: ${takenAt} is not a date`);
  if (file !== undefined && (key !== undefined || meta !== undefined))
    throw new RecordError('give either "file" or "key" with "meta", not both');
  if (file !== undefined && thumbnails !== undefined)
    throw new RecordError('"thumbnails" needs "key"; an import makes those of a "file"');
  const { width = 0, height = 0 } = meta?.dimens ?? {};
  const isWrong = (size: number, index: number, sizes: number[]) =>
    size <= (sizes[index - 1] ?? 0) || size > Math.max(width, height);
  if (thumbnails?.sizes.some(isWrong))
    throw new RecordError('thumbnails.sizes: must be in ascending order, and none longer than the image');
  if (file === undefined && (key === undefined || meta === undefined))
    throw new RecordError('an image needs "file" or "key" with "meta"');
  if (key !== undefined && !isSafeKey(key))
    throw new RecordError(
      'key: must be a relative path of plain segments ("ab/cd.webp"), without "..", "\\" or a leading "/"',
    );
}

// Says what is wrong with a record.

/** What a valid value of each field looks like. */
const hints: Record<string, string> = {
  id: 'must be a UUID',
  createdAt: 'must look like 2026-01-31T12:00:00Z',
  name: 'must be a text of 1 to 255 characters without leading or trailing spaces, and without commas in a category',
  url: 'must start with http:// or https://',
  'source.url': 'must start with http:// or https://',
  source: 'must be a text of at most 255 characters for a character, or have "name" and "url" for an image',
  'source.name': 'must be a text of at most 255 characters',
  nsfw: 'must be "sfw", "questionable" or "nsfw" for an image, or true or false for a category',
  rating: 'must be "sfw", "questionable" or "nsfw"',
  categories: 'must be a list of names',
  artist: 'must be a name',
  ages: 'must be a list of whole numbers',
  aliases: 'must be a list of names',
  title: `must be a text of at most ${MAX_TITLE_LENGTH} characters`,
  description: `must be a text of at most ${MAX_DESCRIPTION_LENGTH} characters`,
  takenAt: 'must look like 2026-01-31 or 2026-01-31T12:00:00+01:00, or be empty',
  licence: LICENCE_HINT,
  credit: `must be a text of at most ${MAX_CREDIT_LENGTH} characters`,
  alt: `must be a text of at most ${MAX_ALT_LENGTH} characters`,
  fileName: 'must be the name of a file without its folder',
  edited: `must be a list of ${EDITABLE_FIELDS.join(', ')}`,
  thumbnails: 'must be {"sizes":[480,…],"thumbHash":…,"isAnimated":…}, as in an export',
  kind: 'must be "artist", "category" or "character"',
  image: 'must be a UUID',
  'meta.eTag': 'must be an entity tag without quotes or commas',
  'meta.mimetype': 'must be image/jpeg, image/png, image/webp, image/gif or image/avif',
  'meta.color': 'must look like #a0b0c0',
};

function describeErrors(validator: Validator, value: unknown): string {
  const [, errors] = validator.Errors(value);
  const problems = errors.flatMap(({ keyword, instancePath, params, message }) => {
    const { requiredProperties, additionalProperties } = params as Record<string, string[] | undefined>;
    if (keyword === 'required') return (requiredProperties ?? []).map((name) => `"${name}" is missing`);
    if (keyword === 'additionalProperties')
      return (additionalProperties ?? []).map((name) => `unknown field "${name}"`);
    // Already reported as an additional property.
    if (keyword === 'boolean') return [];
    const field = instancePath.slice(1).replaceAll('/', '.');
    const [whole = ''] = field.split('.');
    return [`${field}: ${hints[field] ?? hints[whole] ?? message}`];
  });
  // What is wrong with a part says more than what is wrong with the whole.
  const hasPart = (problem: string) =>
    problems.some((other) => other.startsWith(`${problem.split(':')[0]}.`));
  return [...new Set(problems)]
    .filter((problem) => !hasPart(problem))
    .slice(0, 5)
    .join('; ');
}
