/** Fills the fields that neither a folder, nor a sidecar, nor the picture itself states. Pure. */
import { readDocument } from '../../catalogue/documents/document.ts';
import type { Rating } from '../../catalogue/types.ts';
import type { SavedImage } from '../../store/contract/writer.ts';
import { strictest } from '../sidecar/rating.ts';
import type { ImageLine, OpenField } from '../sources/record.ts';

/** An existing image keeps what it has: its sidecar may have stayed behind when the picture was moved. */
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
