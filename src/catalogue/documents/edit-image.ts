/** Plans an edit of an image by an operator: the row to save, and what changes. Pure. */
import type {
  FixedShelves,
  ImageRow,
  PlacedImage,
  SavedEntry,
  SavedImage,
} from '../../store/contract/writer.ts';
import type { Image, Rating } from '../types.ts';
import { composeDocument, parseStored, readDocument } from './document.ts';
import { type EditableField, formatEdited, isEditedByHand, parseEdited } from './edited.ts';
import { type ImageEntries, placeImage } from './place-image.ts';

export interface ImageChange {
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

/** What was changed, for people. */
export interface Difference {
  field: EditableField | 'edited';
  before: string;
  after: string;
}

/** Every field of the change counts as decided, even if it has the value already. Undefined if nothing changes. */
export function planEdit(
  row: SavedImage,
  entries: ImageEntries,
  change: ImageChange,
  fixedShelves: FixedShelves,
): { placed: PlacedImage; differences: Difference[] } | undefined {
  const image = readDocument(row.document);
  const { reset = [], ...decided } = change;
  const fields = (Object.keys(decided) as EditableField[]).filter((field) => decided[field] !== undefined);
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
  // After a reset of all fields, nothing is decided by hand.
  const isByHand = edited.size > 0 && (fields.length > 0 || isEditedByHand(row.edited));
  const changedRow = { ...row, edited: formatEdited([...edited], isByHand) };
  const placed = placeImage(changedRow, { ...image, nsfw, source }, after, previews, fixedShelves);
  const [decidedBefore, decidedAfter] = [formatEdited(parseEdited(row.edited)), formatEdited([...edited])];
  if (placed.row.document === row.document && decidedBefore === decidedAfter) return undefined;
  const differences: Difference[] = [
    { field: 'rating', before: image.nsfw, after: nsfw },
    { field: 'artist', before: entries.artist.name, after: after.artist.name },
    { field: 'categories', before: joinNames(entries.categories), after: joinNames(after.categories) },
    { field: 'characters', before: joinNames(entries.characters), after: joinNames(after.characters) },
    { field: 'source', before: joinSource(image.source), after: joinSource(source) },
    { field: 'edited', before: decidedBefore, after: decidedAfter },
  ];
  return { placed, differences: differences.filter(({ before, after }) => before !== after) };
}

function applyChange(entries: SavedEntry[], { add, remove }: ListChange = { add: [], remove: [] }) {
  const removed = new Set(remove.map(({ id }) => id));
  return [...entries, ...add].filter(({ id }) => !removed.has(id));
}

function joinNames(entries: SavedEntry[]): string {
  return [...new Set(entries.map(({ name }) => name))].sort().join(', ');
}

const joinSource = ({ name, url }: Image['source']) => [name, url].filter(Boolean).join(' ');

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
