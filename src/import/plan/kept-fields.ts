/** The fields that a stored image keeps when an import plans it: those decided by an operator, and those that nothing states. Pure. */
import { isDetailField } from '../../catalogue/documents/details.ts';
import { readDocument } from '../../catalogue/documents/document.ts';
import {
  EDITABLE_FIELDS,
  type EditableField,
  formatEdited,
  isEditableField,
  isFileChanged,
  listEdited,
  parseEdited,
  parseMarks,
} from '../../catalogue/documents/edit-image.ts';
import type { Rating } from '../../catalogue/types.ts';
import type { SavedImage } from '../../catalogue/writer.ts';
import { nameKey } from '../../store/contract/decisions.ts';
import type { ImageLine, OpenField } from '../records/record.ts';
import { strictest } from '../sidecar/rating.ts';

/** The record of a picture in a folder, with the fields that an operator decided as they are. */
export function keepDecisions(record: ImageLine, existing: SavedImage | undefined): ImageLine {
  const edited = parseEdited(existing?.edited ?? '');
  if (!existing || existing.edited === '') return record;
  const image = readDocument(existing.document);
  const { artist, categories, characters, nsfw, source, title, description, takenAt } = image;
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id);
  const decided: Record<EditableField, Partial<ImageLine>> = {
    artist: { artist },
    categories: { categories: ids(categories) },
    characters: { characters: ids(characters) },
    rating: { nsfw },
    source: { source },
    title: { title },
    description: { description },
    takenAt: { takenAt },
  };
  const kept: Partial<ImageLine> = Object.assign({}, ...edited.map((field) => decided[field]));
  const result = { ...record, ...kept };
  // An open rating is kept anyway.
  if (isFileChanged(existing.edited) && !record.openFields?.includes('nsfw'))
    result.nsfw = strictest(result.nsfw, nsfw) as Rating;
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
  const given = record.edited?.filter(isEditableField) ?? givenFields(record);
  const decided = formatEdited(
    [...given, ...kept],
    record.edited?.includes('file-changed') ? ['file-changed'] : [],
  );
  // An image that a record describes as it is does not change.
  const isSame = existing && listEdited(existing.edited).join(' ') === decided;
  return isSame ? existing.edited : decided;
}

function givenFields(record: ImageLine): EditableField[] {
  return EDITABLE_FIELDS.filter((field) => field === 'rating' || record[field] !== undefined);
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
