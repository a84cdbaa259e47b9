/** The record of a picture in a folder, from the names of its folders and from its sidecars. */
import { checkPicture, type ImageLine, OPEN_FIELDS } from '../sources/record.ts';
import { categoryNames, type SidecarFields } from './fields.ts';
import { tagMarkers } from './markers.ts';
import { combine, rateByMarkers } from './rating.ts';

/** Some pictures of image boards have more tags than an image can have categories. */
const MAX_NAMES = 250;

export function toRecord(file: string, folders: string[], sidecar: SidecarFields): ImageLine {
  const { id, artist, source, createdAt, characters = [] } = sidecar;
  const places = categoryNames(folders);
  const categories = [...new Set([...places, ...(sidecar.categories ?? [])])];
  const asked = rateByMarkers(folders.flatMap((name) => [...tagMarkers(name)]));
  const { rating, unknown } = combine(sidecar.marked, asked);
  const optional = Object.entries({ id, artist, source, createdAt }).filter(([, value]) => value != null);
  const record = checkPicture({
    file,
    ...Object.fromEntries(optional),
    categories: categories.slice(0, Math.max(MAX_NAMES, new Set(places).size)),
    characters: [...new Set(characters)].slice(0, MAX_NAMES),
    // Only a placeholder if the field is open, and one that harms nobody if it were used.
    nsfw: rating ?? 'nsfw',
  });
  // Names of folders make a picture more explicit, never less.
  const stated = { ...sidecar, nsfw: sidecar.marked.rating };
  const isOpen = stated.nsfw === undefined;
  return {
    ...record,
    openFields: OPEN_FIELDS.filter((field) => stated[field] === undefined),
    ...(isOpen && asked.rating ? { atLeast: asked.rating } : {}),
    ...(unknown.length > 0 ? { unknownMarkers: unknown } : {}),
  };
}
