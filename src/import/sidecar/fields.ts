/** What sidecars state about a picture, and the record that it becomes together with the names of its folders. */
import { cleanName, cleanNames, withoutHidden } from '../../catalogue/hidden-characters.ts';
import { isId } from '../../catalogue/names.ts';
import type { Kind } from '../../catalogue/types.ts';
import { checkPicture, type ImageLine, isReference, isValidRecord, OPEN_FIELDS } from '../records/record.ts';
import { combine, type MarkedRating, rateByMarkers, tagMarkers } from './rating.ts';

/** A field is undefined if the sidecar does not state it, and empty or null if it states that there is none. */
export interface SidecarFields {
  id?: string | undefined;
  artist?: string | null | undefined;
  source?: unknown;
  createdAt?: string | null | undefined;
  categories?: string[] | undefined;
  characters?: string[] | undefined;
  title?: string | undefined;
  description?: string | undefined;
  /** When it was taken, as ISO 8601. */
  takenAt?: string | undefined;
  /** Stands in for that, if nothing says when it was taken. */
  publishedAt?: string | undefined;
  /** Instead of the name of the file next to it. */
  fileName?: string | undefined;
  marked: MarkedRating;
  /** Why the picture must not be published: it is private where the sidecar comes from. */
  hidden?: string | undefined;
}

/** Of each field, the first statement counts; of the ratings, the strictest. */
export function mergeFields(sidecars: SidecarFields[]): SidecarFields {
  const merged: SidecarFields = { marked: { rating: undefined, unknown: [] } };
  for (const { marked, ...fields } of sidecars.toReversed()) {
    const stated = Object.entries(fields).filter(([, value]) => value !== undefined);
    Object.assign(merged, Object.fromEntries(stated));
  }
  for (const { marked } of sidecars) merged.marked = combine(merged.marked, marked);
  return merged;
}

/** Commas separate categories, so a category's name cannot contain one. Names of nothing else are left out. */
export function categoryNames(names: Iterable<string>): string[] {
  return cleanNames([...names].map((name) => name.replaceAll(',', ' ')));
}

/** A source that is only a URL is named after its host. Undefined if it cannot be a source. */
export function sourceOf(text: string): { name: string; url: string } | undefined {
  const address = withoutHidden(text);
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const source = { name: url.host, url: address };
  return isValidRecord({ type: 'image', file: 'any', nsfw: 'sfw', source }) ? source : undefined;
}

/** A name that a tool wrote, if an entry can have it. A UUID would be taken for an id. */
export function validName(kind: Kind, text: string | undefined): string | undefined {
  const name = cleanName(text ?? '');
  return !isId(name) && isReference(kind, name) ? name : undefined;
}

/** What a person wrote by hand is checked, but characters that nobody sees came with it by accident. */
function cleanSource(source: unknown): unknown {
  if (typeof source !== 'object' || source === null) return source;
  const clean = (value: unknown) => (typeof value === 'string' ? withoutHidden(value) : value);
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, clean(value)]));
}

/** Some pictures of image boards have more tags than an image can have categories. */
const MAX_NAMES = 250;
/** Of all categories, and of all characters: the names are in every response with the image. */
const MAX_NAMES_LENGTH = 10_000;

/** Each name once. The first ones, so many as `kept`, stay in any case. */
export function limitNames(names: Iterable<string>, kept = 0): string[] {
  let length = 0;
  return [...new Set(names)].filter((name, index) => {
    length += name.length;
    return index < kept || (index < MAX_NAMES && length <= MAX_NAMES_LENGTH);
  });
}

/** `folders` may say how explicit the picture is; `names` are those of its categories that no sidecar states. */
export function toRecord(
  file: string,
  folders: string[],
  sidecar: SidecarFields,
  names: string[] = folders,
): ImageLine {
  const { id, createdAt, characters = [], title, description, fileName } = sidecar;
  const artist = cleanName(sidecar.artist ?? '') || undefined;
  const source = cleanSource(sidecar.source);
  const places = categoryNames(names);
  const asked = rateByMarkers(folders.flatMap((name) => [...tagMarkers(name)]));
  const { rating, unknown } = combine(sidecar.marked, asked);
  const takenAt = sidecar.takenAt ?? sidecar.publishedAt;
  const fields = { id, artist, source, createdAt, title, description, takenAt, fileName };
  const optional = Object.entries(fields).filter(([, value]) => value != null);
  const record = checkPicture({
    file,
    ...Object.fromEntries(optional),
    categories: limitNames([...places, ...(sidecar.categories ?? [])], new Set(places).size),
    characters: limitNames(cleanNames(characters)),
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
