/**
 * What an operator can change of an image: which fields were decided by hand, and the plan of an edit.
 * Imports of folders do not change fields that an operator decided. Pure.
 */
import type { Image, Rating } from '../types.ts';
import type { FixedShelves, ImageRow, PlacedImage, SavedEntry, SavedImage } from '../writer.ts';
import type { DetailField, Details } from './details.ts';
import { composeDocument, parseStored, readDocument, type StoredImage } from './document.ts';
import { type ImageEntries, placeImage } from './place-image.ts';

/** Sorted. */
export const EDITABLE_FIELDS = [
  'artist',
  'categories',
  'characters',
  'description',
  'rating',
  'source',
  'takenAt',
  'title',
] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];

export function isEditableField(name: string): name is EditableField {
  return (EDITABLE_FIELDS as readonly string[]).includes(name);
}

/**
 * Stored among the fields. `by-hand`: an operator edited the image itself. A record of a catalogue file decides fields too, but then
 * the image is still as it was imported, and reverting the import loses nothing. `file-changed`: the rating is that of a former
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
  { document, edited, eTag }: Pick<ImageRow, 'document' | 'edited' | 'eTag'>,
  image: StoredImage = readDocument(document),
): ImageState {
  const { nsfw: rating, artist, categories, characters, source, title, description, takenAt } = image;
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).sort();
  const lists = { categories: ids(categories), characters: ids(characters) };
  return { rating, artist, ...lists, source, title, description, takenAt, edited, eTag };
}

/** Everything of an image that the change log records. `file` identifies its bytes. */
export function imageFields(row: Pick<ImageRow, 'document' | 'edited' | 'eTag'>): Record<string, unknown> {
  const image = readDocument(row.document);
  const { eTag: file, ...state } = stateOf(row, image);
  const { createdAt, fileName } = image;
  return { ...state, createdAt, fileName, file };
}

export interface ImageChange extends Partial<Record<DetailField, string | undefined>> {
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

/** Every field of the change counts as decided, even if it has the value already. Undefined if nothing changes. */
export function planEdit(
  row: SavedImage,
  entries: ImageEntries,
  change: ImageChange,
  fixedShelves: FixedShelves,
): PlacedImage | undefined {
  const image = readDocument(row.document);
  const { reset = [], ...given } = change;
  const fields = (Object.keys(given) as EditableField[]).filter((field) => given[field] !== undefined);
  const edited = new Set(parseEdited(row.edited)).union(new Set(fields)).difference(new Set(reset));
  const after = {
    nsfw: change.rating ?? image.nsfw,
    source: { ...image.source, ...change.source },
    artist: change.artist ?? entries.artist,
    categories: applyChange(entries.categories, change.categories),
    characters: applyChange(entries.characters, change.characters),
  };
  const { previews } = parseStored(row.document);
  const { nsfw, source } = after;
  const details = {
    title: change.title ?? image.title,
    description: change.description ?? image.description,
    takenAt: change.takenAt ?? image.takenAt,
  };
  // After a reset of all fields, nothing is decided by hand.
  const isByHand = edited.size > 0 && (fields.length > 0 || parseMarks(row.edited).includes('by-hand'));
  const isRated = fields.includes('rating') || reset.includes('rating');
  const marks: EditMark[] = [
    ...(isByHand ? (['by-hand'] as const) : []),
    ...(isFileChanged(row.edited) && !isRated ? (['file-changed'] as const) : []),
  ];
  const changedRow = { ...row, edited: formatEdited([...edited], marks) };
  const placed = placeImage(
    changedRow,
    { ...image, ...details, nsfw, source },
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
