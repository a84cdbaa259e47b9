/** What an operator decided about an image, when an import plans it. Pure. */
import { readDocument } from '../../catalogue/documents/document.ts';
import {
  type EditableField,
  formatEdited,
  isEditableField,
  parseEdited,
} from '../../catalogue/documents/edit-image.ts';
import type { SavedImage } from '../../store/contract/writer.ts';
import type { ImageLine } from '../sources/record.ts';

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
