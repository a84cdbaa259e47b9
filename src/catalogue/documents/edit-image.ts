/** The fields of an image that operators change, and the row and shelves that follow from its fields. Pure. */
import type { Difference } from '../change-log.ts';
import { formerNames, sortByName } from '../names.ts';
import {
  DETAIL_FIELDS,
  type DetailField,
  type Details,
  type FileType,
  type GivenDetails,
  type Image,
  pickDetails,
  type Rating,
} from '../schemas.ts';
import type { Placement } from '../sets/image-set.ts';
import type { Entry, FixedShelves, ImageRow, PlacedImage, SavedEntry, SavedImage } from '../writer.ts';
import { composeDocument, parsePreviews, parseStored, readDocument, type StoredImage } from './document.ts';

// What an operator can change of an image: which fields were decided by hand, and the plan of an edit.
// Imports of folders do not change fields that an operator decided. Pure.

const OTHER_FIELDS = ['artist', 'categories', 'characters', 'rating', 'source'] as const;
export const EDITABLE_FIELDS = [...DETAIL_FIELDS, ...OTHER_FIELDS].sort();
export type EditableField = (typeof EDITABLE_FIELDS)[number];

export function isEditableField(name: string): name is EditableField {
  return (EDITABLE_FIELDS as readonly string[]).includes(name);
}

/**
 * Stored among the fields. `by-hand`: an operator edited the image itself. A record of a catalogue file decides fields too, but then
 * the image is still as it was imported, and undoing the import loses nothing. `file-changed`: the rating is that of a former
 * file, and stays at least as strict until somebody rates the image.
 */
const MARKS = ['by-hand', 'file-changed'] as const;
export type EditMark = (typeof MARKS)[number];

/** As they are stored: sorted, separated by spaces, with the marks last. */
export function formatEdited(fields: EditableField[], marks: EditMark[] = []): string {
  const sorted: string[] = EDITABLE_FIELDS.filter((field) => fields.includes(field));
  return [...sorted, ...MARKS.filter((mark) => marks.includes(mark))].join(' ');
}

export function parseMarks(text: string): EditMark[] {
  const words = text.split(' ');
  return MARKS.filter((mark) => words.includes(mark));
}

/** Whether the file changed since somebody rated the image. */
export function isFileChanged(edited: string): boolean {
  return parseMarks(edited).includes('file-changed');
}

/** As people and catalogue files have them. */
export function listEdited(text: string): string[] {
  return text.split(' ').filter((word) => isEditableField(word) || word === 'file-changed');
}

/** Ignores names of no field. */
export function parseEdited(text: string): EditableField[] {
  return text.split(' ').filter(isEditableField);
}

/** What the state of an image is read from. */
type Row = Pick<ImageRow, 'document' | 'edited' | 'eTag'>;

/** Entries are ids. */
export interface ImageState extends Pick<Details, DetailField> {
  rating: Rating;
  artist: string;
  categories: string[];
  characters: string[];
  source: Image['source'];
  edited: string;
  /** Identifies its file. */
  eTag: string;
}

/** `image` is the document of the row, for callers that have read it. */
export function stateOf(
  { document, edited, eTag }: Row,
  image: StoredImage = readDocument(document),
): ImageState {
  const { nsfw: rating, artist, categories, characters, source } = image;
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).sort();
  const lists = { categories: ids(categories), characters: ids(characters) };
  return { rating, artist, ...lists, source, ...pickDetails(image), edited, eTag };
}

/** Everything of an image that the change log records. */
export type LoggedImage = Omit<ImageState, 'eTag'> &
  Pick<StoredImage, 'createdAt' | 'fileName'> & {
    /** Identifies its bytes. */
    file: string;
  };

export function imageFields(row: Row): LoggedImage {
  const image = readDocument(row.document);
  const { eTag: file, ...state } = stateOf(row, image);
  const { createdAt, fileName } = image;
  return { ...state, createdAt, fileName, file };
}

export interface ImageChange extends GivenDetails {
  rating?: Rating | undefined;
  artist?: SavedEntry | undefined;
  source?: Partial<Image['source']> | undefined;
  categories?: ListChange | undefined;
  characters?: ListChange | undefined;
  /** Fields that imports of folders may change again. */
  reset?: EditableField[] | undefined;
}

export interface ListChange {
  add: SavedEntry[];
  remove: SavedEntry[];
}

/**
 * Every field of the change counts as decided, even if it has the value already. Undefined if nothing changes. `image` is the
 * document of the row, for callers that have read it.
 */
export function planEdit(
  row: SavedImage,
  entries: ImageEntries,
  change: ImageChange,
  fixedShelves: FixedShelves,
  image: StoredImage = readDocument(row.document),
): PlacedImage | undefined {
  const { reset = [] } = change;
  const fields = EDITABLE_FIELDS.filter((field) => change[field] !== undefined);
  const edited = [...parseEdited(row.edited), ...fields].filter((field) => !reset.includes(field));
  const after = {
    nsfw: change.rating ?? image.nsfw,
    source: { ...image.source, ...change.source },
    artist: change.artist ?? entries.artist,
    categories: applyChange(entries.categories, change.categories),
    characters: applyChange(entries.characters, change.characters),
  };
  const { previews } = parseStored(row.document);
  const { nsfw, source } = after;
  // After a reset of all fields, nothing is decided by hand.
  const isByHand = edited.length > 0 && (fields.length > 0 || parseMarks(row.edited).includes('by-hand'));
  const isRated = fields.includes('rating') || reset.includes('rating');
  const marks: EditMark[] = [
    ...(isByHand ? (['by-hand'] as const) : []),
    ...(isFileChanged(row.edited) && !isRated ? (['file-changed'] as const) : []),
  ];
  const changedRow = { ...row, edited: formatEdited(edited, marks) };
  const placed = placeImage(
    changedRow,
    { ...image, ...pickDetails(change, image), nsfw, source },
    after,
    previews,
    fixedShelves,
  );
  const decided = (text: string) => listEdited(text).join();
  const isSame = placed.row.document === row.document && decided(changedRow.edited) === decided(row.edited);
  return isSame ? undefined : placed;
}

function applyChange(entries: SavedEntry[], { add, remove }: ListChange = { add: [], remove: [] }) {
  const removed = new Set(remove.map(({ id }) => id));
  return [...entries, ...add].filter(({ id }) => !removed.has(id));
}

type FileRow = Omit<ImageRow, 'id' | 'edited' | 'number'>;

/** The image with the file of another row, and everything that follows from the bytes. */
export function withFileOf(image: SavedImage, file: FileRow): SavedImage {
  const { key, eTag, mimetype, perceptualHash } = file;
  const { categories, characters, ...fields } = readDocument(image.document);
  const texts = (entries: object[]) => entries.map((entry) => JSON.stringify(entry));
  const { artist } = parseStored(image.document);
  const { previews } = parseStored(file.document);
  const { meta } = readDocument(file.document);
  const lists = [texts(categories), texts(characters)] as const;
  const document = composeDocument({ ...fields, meta }, key, artist, ...lists, previews);
  return { ...image, key, eTag, mimetype, perceptualHash, document };
}

// The row of an image and the shelves that it belongs on, from its fields and its entries. Pure.

export type ImageFields = Omit<StoredImage, 'id' | 'artist' | 'categories' | 'characters'>;

/** The entries that an image belongs to. */
export interface ImageEntries {
  artist: SavedEntry;
  categories: SavedEntry[];
  characters: SavedEntry[];
}

export function placeImage(
  row: Omit<ImageRow, 'document'>,
  fields: ImageFields,
  entries: ImageEntries,
  previews: string | undefined,
  fixedShelves: FixedShelves,
): PlacedImage {
  const { artist } = entries;
  const [categories, characters] = [arrange(entries.categories), arrange(entries.characters)];
  const texts = (entries: SavedEntry[]) => entries.map(({ document }) => document);
  const document = composeDocument(
    { ...fields, id: row.id, artist: artist.id },
    row.key,
    artist.document,
    texts(categories),
    texts(characters),
    previews,
  );
  const shelves = [
    fixedShelves.catalogue,
    fixedShelves.rating[fields.nsfw],
    fixedShelves.orientation[fields.meta.dimens.orientation],
    fixedShelves.type[row.mimetype.slice('image/'.length) as FileType],
    ...[artist, ...categories, ...characters].map((entry) => entry.shelf),
  ];
  const { width, height } = fields.meta.dimens;
  const others = { shelves, width, height };
  return { row: { ...row, document }, ...placeAnimation(others, previews, fixedShelves) };
}

/** The place of an image whose previews say something else now. */
export function placeAnimation(
  { shelves, ...size }: Placement,
  previews: string | undefined,
  { animated }: FixedShelves,
): Placement {
  const others = shelves.filter((shelf) => shelf !== animated);
  const isAnimated = previews !== undefined && parsePreviews(previews)?.isAnimated === true;
  return { shelves: isAnimated ? [...others, animated] : others, ...size };
}

/** In order, each once. */
function arrange(entries: SavedEntry[]): SavedEntry[] {
  if (entries.length < 2) return entries;
  return sortByName([...new Map(entries.map((entry) => [entry.id, entry])).values()]);
}

// What changed, field by field, as the history, commands and imports show it. Pure.

type Fields = Record<string, unknown>;
type LoggedEntry = Pick<Entry, 'document' | 'aliases' | 'images'>;

export function imageDifferences(before: Row, after: Row): Difference[] {
  const names = new Map([...namesIn(before), ...namesIn(after)]);
  return compareFields(readableImage(imageFields(before), names), readableImage(imageFields(after), names));
}

function namesIn({ document }: Row): [id: string, name: string][] {
  const { artist, categories, characters } = readDocument(document);
  const { name } = JSON.parse(parseStored(document).artist) as { name: string };
  return [
    [artist, name],
    ...[...categories, ...characters].map(({ id, name }) => [id, name] as [string, string]),
  ];
}

/** Of an artist, category, character or album. */
export function entryDifferences(before: LoggedEntry, after: LoggedEntry): Difference[] {
  return compareFields(readableEntry(before), readableEntry(after));
}

/** Of the fields that the change log has of an image, some or all. `names` are those of entries, by id. */
export function readableImage(fields: Fields, names: Map<string, string>): Fields {
  const readable = { ...fields };
  for (const field of ['artist', 'categories', 'characters'] as const)
    if (field in fields)
      readable[field] = [fields[field] as string | string[]]
        .flat()
        .map((id) => names.get(id) ?? id)
        .sort();
  const source = fields.source as { name?: string; url?: string } | undefined;
  if (source) readable.source = [source.name, source.url].filter(Boolean).join(' ');
  if ('edited' in fields) readable.edited = listEdited(fields.edited as string).join(' ');
  return readable;
}

/** Of the fields that the change log has of an entry. */
export function readableEntry({ document, aliases, images }: LoggedEntry): Fields {
  const { id, ...facts } = JSON.parse(document);
  return { ...facts, aliases: formerNames(aliases ?? []), ...(images && { images }) };
}

export function compareFields(before: Fields, after: Fields): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => {
      const [old, now] = [before[field], after[field]];
      return {
        field,
        ...(field === 'images' ? compareOrder(old, now) : { before: show(old), after: show(now) }),
      };
    })
    .filter(({ before, after }) => before !== after);
}

const show = (value: unknown): string => [value ?? ''].flat().map(String).join(', ');

/** The images of an album are counted: there may be thousands. */
function compareOrder(before: unknown = [], after: unknown = []): Omit<Difference, 'field'> {
  const [old, now] = [before as string[], after as string[]];
  const added = new Set(now).difference(new Set(old)).size;
  const removed = old.length + added - now.length;
  const parts = [...(added > 0 ? [`${added} added`] : []), ...(removed > 0 ? [`${removed} removed`] : [])];
  if (parts.length === 0 && show(old) !== show(now)) parts.push('in another order');
  const change = old.length > 0 && now.length > 0 && parts.length > 0 ? ` (${parts.join(', ')})` : '';
  return { before: show(old.length || ''), after: show(now.length || '') + change };
}
