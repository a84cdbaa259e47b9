/** Plans an image: which row to save and on which shelves, which fields it keeps, and its place in an import. Pure. */
import {
  dimensions,
  formatPreviews,
  type Previews,
  readDocument,
  readPreviews,
} from '../../catalogue/documents/document.ts';
import {
  EDITABLE_FIELDS,
  type EditableField,
  formatEdited,
  type ImageFields,
  isEditableField,
  isFileChanged,
  listEdited,
  parseEdited,
  parseMarks,
  placeImage,
  stateOf,
} from '../../catalogue/documents/edit-image.ts';
import { cleanName } from '../../catalogue/names.ts';
import {
  cutText,
  type Details,
  isDetailField,
  type Kind,
  MAX_FILE_NAME_LENGTH,
  MAX_TITLE_LENGTH,
  NO_DETAILS,
  pickDetails,
  type Rating,
} from '../../catalogue/schemas.ts';
import type { FixedShelves, ImageRow, PlacedImage, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import { nameKey } from '../../catalogue/writer.ts';
import { DAY_MS } from '../../lib/clock.ts';
import type { PictureFacts } from '../../media/picture.ts';
import { artistOf, type ImageLine, type OpenField } from '../records/record.ts';
import { strictest } from '../sidecar/rating.ts';
import type { ExistingEntries, NewRecordDefaults, Outcome } from './existing.ts';

/**
 * A stored picture. For a record without `file`, the facts are those it gives, `hash` is its entity tag, and there are no
 * previews.
 */
export interface Picture extends Omit<PictureFacts, 'previews'> {
  previews?: Previews;
  key: string;
  /** Any of these identifies the picture: the hash of its bytes as they are stored, and with or without its location. */
  hashes: string[];
  /** The entity tag that the bytes are served with. */
  eTag: string;
}

/** What the document of its image says about it. */
export function metaOf({ eTag, size, mimetype, color, width, height }: Picture): ImageFields['meta'] {
  return { eTag, size, mimetype, color, dimens: dimensions(width, height) };
}

export function planImage(
  record: ImageLine,
  picture: Picture,
  existing: SavedImage | undefined,
  entries: ExistingEntries,
  fixedShelves: FixedShelves,
  defaults: NewRecordDefaults,
): Outcome<PlacedImage> {
  const before = existing && readDocument(existing.document);
  const mentioned = {
    artist: entries.resolve('artist', artistOf(record)),
    categories: resolveAll('category', record.categories, entries),
    characters: resolveAll('character', record.characters, entries),
  };
  const { key, hash, mimetype } = picture;
  // A record without `file` keeps the thumbnails of the same file: it may be older than they are.
  const recorded = existing?.key === key ? readPreviews(existing.document) : undefined;
  const previews = picture.previews ?? recorded ?? record.thumbnails;
  const fields: ImageFields = {
    source: record.source ?? { name: '', url: '' },
    ...planDetails(record, before, parseEdited(existing?.edited ?? '').includes('title')),
    nsfw: record.nsfw,
    createdAt: record.createdAt ?? before?.createdAt ?? defaults.now,
    meta: metaOf(picture),
  };
  const row: Omit<ImageRow, 'document'> = {
    id: existing?.id ?? record.id ?? defaults.newId(),
    key,
    eTag: hash,
    mimetype,
    // A record without `file` says nothing about the looks of its bytes.
    perceptualHash: picture.perceptualHash ?? (existing?.eTag === hash ? existing.perceptualHash : null),
    edited: planEdited(record, existing),
  };
  const placed = placeImage(row, fields, mentioned, previews && formatPreviews(previews), fixedShelves);
  if (!existing) return { outcome: 'added', row: placed };
  if (isSame(existing, placed.row)) return { outcome: 'unchanged' };
  return {
    outcome: 'updated',
    row: {
      ...placed,
      row: { ...placed.row, number: existing.number },
      dropsFile: !record.isFromFolder || picture.hashes.includes(existing.eTag),
    },
    formerIdentities: [existing.eTag, existing.id],
  };
}

function isSame(before: ImageRow, after: ImageRow): boolean {
  const columns = ['document', 'eTag', 'perceptualHash', 'edited'] as const;
  return columns.every((column) => before[column] === after[column]);
}

function resolveAll(kind: Kind, references: string[] | undefined, entries: ExistingEntries): SavedEntry[] {
  return (references ?? []).map((reference) => entries.resolve(kind, reference));
}

// The fields that a stored image keeps when an import plans it: those decided by an operator, and those that nothing states. Pure.

/** The record of a picture in a folder, with the fields that an operator decided as they are. */
export function keepDecisions(record: ImageLine, existing: SavedImage | undefined): ImageLine {
  const edited = parseEdited(existing?.edited ?? '');
  if (!existing || existing.edited === '') return record;
  const stored = stateOf(existing);
  const kept: Partial<ImageLine> = Object.fromEntries(
    edited.map((field) => [field === 'rating' ? 'nsfw' : field, stored[field]]),
  );
  const result = { ...record, ...kept };
  // An open rating is kept anyway.
  if (isFileChanged(existing.edited) && !record.openFields?.includes('nsfw'))
    result.nsfw = strictest(result.nsfw, stored.rating) as Rating;
  // Nothing else may fill them.
  if (record.openFields) result.openFields = record.openFields.filter((field) => !(field in kept));
  return result;
}

/**
 * The fields of an image that count as decided after an import: a folder changes nothing about that; a record of a
 * catalogue file decides the fields that it gives, unless it says which.
 */
export function planEdited(record: ImageLine, existing: SavedImage | undefined): string {
  if (record.isFromFolder) {
    const before = existing?.edited ?? '';
    const marks = parseMarks(before);
    return record.former?.isMarked ? formatEdited(parseEdited(before), [...marks, 'file-changed']) : before;
  }
  // What a record does not say about these stays, and so does the decision: files of older versions have none of them.
  const kept = parseEdited(existing?.edited ?? '').filter(
    (field) => isDetailField(field) && record[field] === undefined,
  );
  const isGiven = (field: EditableField) => field === 'rating' || record[field] !== undefined;
  const given = record.edited?.filter(isEditableField) ?? EDITABLE_FIELDS.filter(isGiven);
  const decided = formatEdited(
    [...given, ...kept],
    record.edited?.includes('file-changed') ? ['file-changed'] : [],
  );
  // An image that a record describes as it is does not change.
  const isSame = existing && listEdited(existing.edited).join(' ') === decided;
  return isSame ? existing.edited : decided;
}

/** The rating is at least that of the former file. */
export function completeRecord(record: ImageLine, existing: SavedImage | undefined): ImageLine {
  const filled = record.openFields ? fillOpenFields(record, existing) : record;
  const { former } = record;
  return former ? { ...filled, nsfw: strictest(filled.nsfw, former.rating) as Rating } : filled;
}

/**
 * Fills the fields that neither a folder, nor a sidecar, nor the picture itself states. An existing image keeps what it has: its
 * sidecar may have stayed behind when the picture was moved.
 */
function fillOpenFields(record: ImageLine, existing: SavedImage | undefined): ImageLine {
  const isOpen = (field: OpenField) => record.openFields?.includes(field);
  const before = existing && readDocument(existing.document);
  const filled = { ...record };
  if (isOpen('nsfw'))
    filled.nsfw = strictest(before?.nsfw, record.atLeast) ?? record.folder?.defaultRating ?? record.nsfw;
  for (const field of ['licence', 'credit'] as const) {
    const text = record.folder?.[field];
    if (text !== undefined && isOpen(field)) filled[field] = text;
  }
  if (!before) return filled;
  if (isOpen('artist')) filled.artist = before.artist;
  if (isOpen('source')) filled.source = before.source;
  // The names of folders state categories.
  if (isOpen('categories') && record.categories?.length === 0) {
    const keyOf = (name: string) => nameKey('category', name);
    const unused = new Set(record.folder?.unusedNames?.map(keyOf));
    filled.categories = idsOf(before.categories.filter(({ name }) => !unused.has(keyOf(name))));
  }
  if (isOpen('characters')) filled.characters = idsOf(before.characters);
  return filled;
}

const idsOf = (entries: { id: string }[]) => entries.map(({ id }) => id);

// The texts and the file name of an image: what its record states, or else what it has. Pure.

/**
 * `isDecided` is whether an operator decided the title. A title that nobody stated is the name of the file made readable, and
 * follows the name. Older versions made titles of the names that cameras give.
 */
export function planDetails(record: ImageLine, before: Details = NO_DETAILS, isDecided = false): Details {
  const fileName = record.fileName ?? planFileName(record, before.fileName);
  const { title: former, fileName: formerFile } = before;
  const isDerived = !isDecided && (readableName(former) === '' || former === readableName(formerFile));
  const title = record.title ?? (isDerived ? readableName(fileName) : former);
  return { ...pickDetails(record, before), title, fileName };
}

/**
 * A picture of a folder may be renamed. A catalogue file may have two records of the same bytes, and importing it again changes
 * nothing. A name that says nothing takes the place of no other.
 */
function planFileName({ file = '', isFromFolder }: ImageLine, before: string): string {
  const name = baseName(file);
  const isWorse = readableName(name) === '' && readableName(before) !== '';
  return before !== '' && (!isFromFolder || isWorse) ? before : name;
}

/** The last part of a path, whichever system wrote it. */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return cutText(name.replaceAll('\0', '').toWellFormed().normalize(), MAX_FILE_NAME_LENGTH);
}

const EXTENSION = /(?!^)\.[a-z0-9]{1,5}$/i;
/** As cameras, phones, scanners and sites name files: `IMG_2041`, `PXL_20240501_120000.MP`, `1234_p0`, `Screenshot 2024-05-01`. */
const CAMERA_NAME =
  /^(?:(?:fb_|_)?(?:im[ag]*e?_?e?|imgp|mg|dsc[fn]?|[chk]?img|hpim|pict?|photo|p|r|pxl|mvi|vid|gopr|gp|dji|sam|wp|scan|received|signal)?[-_ ]*\d[\d_.-]*(?:[-_]?(?:[a-z]{1,2}|arw|cr2|dng|nef|orf|hdr|heic|burst|cover|edited|portrait)\d*)?|(?:screen[-_ ]?shot|whatsapp image)[-_ ]*\d.*)$/i;
/** What file managers add to the name of a copy: ` (2)`, ` - Copy`, ` copy 3`. */
const COPY_MARK = /(?:\s*\(\d{1,3}\)|[\s_-]+copy(?:[\s_-]*\d{1,3})?)$/i;
/** A UUID, or 32 and more hexadecimal digits. */
const HASH = /(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,128})(?![0-9a-z])/gi;

/**
 * The name of a file as a title: `fox-in_the snow (2).jpg` is "fox in the snow". Names that cameras give say nothing to anyone, nor
 * do hashes and UUIDs, which are left out; the title is empty if nothing else is there.
 */
export function readableName(fileName: string): string {
  const stem = decodePercent(fileName.normalize().replace(EXTENSION, ''));
  const plain = withoutCopyMarks(cleanName(stem.replace(/\p{Cc}/gu, ' ')));
  if (CAMERA_NAME.test(plain)) return '';
  const named = plain.replace(HASH, ' ');
  const words = named.replace(/_+/g, ' ').replace(/(?<=\S)-+(?=\S)/g, ' ');
  const title = words.replace(/\s+/g, ' ').replace(/^[\s-]+|[\s-]+$/g, '');
  // Nothing but signs: as it is.
  return cutText(title || (named.trim() === '' ? '' : plain), MAX_TITLE_LENGTH);
}

function withoutCopyMarks(name: string): string {
  let left = name;
  // A copy of a copy has two. A name of nothing else stays.
  for (let marks = 0; marks < 3; marks++) left = left.replace(COPY_MARK, '') || left;
  return left.trim() || name;
}

/** `%20` is a space in names that come from a web address. Other percent signs stay. */
function decodePercent(name: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(name) ? decodeURIComponent(name).normalize() : name;
  } catch {
    return name;
  }
}

// In which order an import adds the pictures of its folders: the newest one last, so that it comes first where the latest do. Pure.

/** Older dates of files are those of archives and clocks that had none. */
const FIRST_PLAUSIBLE = Date.UTC(1990);

interface OrderedFile {
  source: number;
  path: string;
  /** When the file was changed. */
  modified: number;
  takenAt?: string | undefined;
}

/**
 * Sorts after the places of older pictures. `group` is that of the source: what is not a picture of a folder stays at its place
 * between them. Files that were written within a day are likely to be copies that somebody made for the import, and those
 * of one minute to be made by one command: they are in the natural order of their names.
 */
export function placeOf(group: number, file: OrderedFile | undefined, now: number): string {
  const start = String(group).padStart(6, '0');
  if (!file) return start;
  const { source, path, takenAt, modified } = file;
  const date = takenAt ? dateOf(takenAt) : fileDate(Math.min(modified, now - DAY_MS));
  const name = path.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(20, '0'));
  return [start, date, String(source).padStart(6, '0'), name].join(' ');
}

/** Empty if the file has no date that is worth anything. */
function fileDate(modified: number): string {
  return modified < FIRST_PLAUSIBLE
    ? ''
    : `${new Date(modified).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)}`;
}

/** A time without a time zone is taken for one of UTC. */
function dateOf(takenAt: string): string {
  const hasZone = !takenAt.includes('T') || /(?:Z|[+-]\d\d:\d\d)$/.test(takenAt);
  return new Date(hasZone ? takenAt : `${takenAt}Z`).toISOString();
}
