/** The fields that a stored image keeps when an import plans it: those decided by an operator, and those that nothing states. Pure. */
import { readDocument } from '../../catalogue/documents/document.ts';
import {
  type EditableField,
  formatEdited,
  isEditableField,
  parseEdited,
} from '../../catalogue/documents/edit-image.ts';
import type { Rating } from '../../catalogue/types.ts';
import type { SavedImage } from '../../store/contract/writer.ts';
import { strictest } from '../sidecar/rating.ts';
import type { ImageLine, OpenField } from '../sources/record.ts';

/** The record of a picture in a folder, with the fields that an operator decided as they are. */
export function keepDecisions(record: ImageLine, existing: SavedImage | undefined): ImageLine {
  const edited = parseEdited(existing?.edited ?? '');
  if (!existing || edited.length === 0) return record;
  const { artist, categories, characters, nsfw, source } = readDocument(existing.document);
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id);
  const decided: Record<EditableField, Partial<ImageLine>> = {
    artist: { artist },
    categories: { categories: ids(categories) },
    characters: { characters: ids(characters) },
    rating: { nsfw },
    source: { source },
  };
  const kept: Partial<ImageLine> = Object.assign({}, ...edited.map((field) => decided[field]));
  const result = { ...record, ...kept };
  // Nothing else may fill them.
  if (record.openFields) result.openFields = record.openFields.filter((field) => !(field in kept));
  return result;
}

/**
 * The fields of an image that count as decided after an import: a folder changes nothing about that; a record of a
 * catalogue file decides the fields that it gives, unless it says which.
 */
export function planEdited(record: ImageLine, existing: SavedImage | undefined): string {
  if (record.isFromFolder) return existing?.edited ?? '';
  const decided = formatEdited(record.edited?.filter(isEditableField) ?? givenFields(record));
  // An image that a record describes as it is does not change.
  const isSame = existing && formatEdited(parseEdited(existing.edited)) === decided;
  return isSame ? existing.edited : decided;
}

function givenFields({ artist, categories, characters, source }: ImageLine): EditableField[] {
  const given: EditableField[] = ['rating'];
  if (artist !== undefined) given.push('artist');
  if (categories !== undefined) given.push('categories');
  if (characters !== undefined) given.push('characters');
  if (source !== undefined) given.push('source');
  return given;
}

/**
 * Fills the fields that neither a folder, nor a sidecar, nor the picture itself states. An existing image keeps what it has: its
 * sidecar may have stayed behind when the picture was moved.
 */
export function fillOpenFields(
  record: ImageLine,
  existing: SavedImage | undefined,
  defaultRating: Rating,
): ImageLine {
  const isOpen = (field: OpenField) => record.openFields?.includes(field);
  const before = existing && readDocument(existing.document);
  const filled = { ...record };
  if (isOpen('nsfw')) filled.nsfw = strictest(before?.nsfw, record.atLeast) ?? defaultRating;
  if (!before) return filled;
  if (isOpen('artist')) filled.artist = before.artist;
  if (isOpen('source')) filled.source = before.source;
  // The names of folders state categories.
  if (isOpen('categories') && record.categories?.length === 0) filled.categories = idsOf(before.categories);
  if (isOpen('characters')) filled.characters = idsOf(before.characters);
  return filled;
}

const idsOf = (entries: { id: string }[]) => entries.map(({ id }) => id);
