/** The record of a picture in a folder, from the names of its folders and its sidecars. Values that break the rules are left out. */
import type { Kind } from '../../catalogue/types.ts';
import { checkPicture, type ImageLine, isReference, isValidRecord, OPEN_FIELDS } from '../record.ts';
import { categoryNames, type SidecarFields } from './fields.ts';
import { tagMarkers } from './markers.ts';
import { combine, judge } from './verdict.ts';

const MAX_NAMES = 250;

export function toRecord(file: string, folders: string[], sidecar: SidecarFields): ImageLine {
  const { id, artist, source, createdAt, characters } = sidecar;
  const categories = [...categoryNames(folders), ...names('category', sidecar.categories)];
  const { rating, unknown } = combine(
    sidecar.verdict,
    judge(folders.flatMap((folder) => [...tagMarkers(folder)])),
  );
  const record = checkPicture({
    file,
    ...(id === undefined ? {} : { id }),
    ...(typeof createdAt === 'string' ? { createdAt } : {}),
    ...(typeof artist === 'string' && names('artist', [artist]).length > 0 ? { artist } : {}),
    ...(isSource(source) ? { source } : {}),
    categories: [...new Set(categories)].slice(0, MAX_NAMES),
    characters: [...new Set(names('character', characters))].slice(0, MAX_NAMES),
    // Only a placeholder if the field is open, and one that harms nobody if it were used.
    nsfw: rating ?? 'nsfw',
  });
  const stated = { ...sidecar, nsfw: rating };
  return {
    ...record,
    openFields: OPEN_FIELDS.filter((field) => stated[field] === undefined),
    ...(unknown.length > 0 ? { unknownMarkers: unknown } : {}),
  };
}

function names(kind: Kind, list: string[] = []): string[] {
  return list.filter((name) => isReference(kind, name));
}

function isSource(source: unknown): boolean {
  return (
    source !== null &&
    source !== undefined &&
    isValidRecord({ type: 'image', file: 'f', nsfw: 'sfw', source })
  );
}
