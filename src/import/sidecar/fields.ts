/** What sidecars state about a picture, and the record that it becomes together with the names of its folders. */
import { cleanName, cleanNames, isId, withoutHidden } from '../../catalogue/names.ts';
import { MAX_ALT_LENGTH } from '../../catalogue/rights.ts';
import {
  cutText,
  type GivenDetails,
  type Kind,
  MAX_DESCRIPTION_LENGTH,
  MAX_TITLE_LENGTH,
} from '../../catalogue/schemas.ts';
import { licenceText, parseLicence, readLicence } from '../../lib/licence.ts';
import { checkPicture, type ImageLine, isReference, isValidRecord, OPEN_FIELDS } from '../records/record.ts';
import { combine, type MarkedRating, type Marker, rateByMarkers, tagMarkers, textMarkers } from './rating.ts';

/** A field is undefined if the sidecar does not state it, and empty or null if it states that there is none. */
export interface SidecarFields extends GivenDetails {
  id?: string | undefined;
  artist?: string | null | undefined;
  source?: unknown;
  createdAt?: string | undefined;
  categories?: string[] | undefined;
  characters?: string[] | undefined;
  /** Stands in for `takenAt`, if nothing says when it was taken. */
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
  if (!url) return undefined;
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

/** `folders`, the file and the title may say how explicit the picture is; `names` are its categories that no sidecar states. */
export function toRecord(
  file: string,
  folders: string[],
  sidecar: SidecarFields,
  names: string[] = folders,
): ImageLine {
  const { categories = [], characters = [], marked, hidden, publishedAt, ...texts } = sidecar;
  const artist = cleanName(sidecar.artist ?? '') || undefined;
  const source = cleanSource(sidecar.source);
  const places = categoryNames(names);
  const named = [file.replace(/\.\w+$/, ''), texts.fileName ?? '', texts.title ?? ''];
  const asked = rateByMarkers([
    ...folders.flatMap((name) => [...tagMarkers(name)]),
    ...named.flatMap((text) => [...textMarkers(text)]),
  ]);
  const { rating, unknown } = combine(marked, asked);
  const fields = { ...texts, artist, source, takenAt: texts.takenAt ?? publishedAt };
  const optional = Object.entries(fields).filter(([, value]) => value != null);
  const record = checkPicture({
    file,
    ...Object.fromEntries(optional),
    categories: limitNames([...places, ...categories], new Set(places).size),
    characters: limitNames(cleanNames(characters)),
    // Only a placeholder if the field is open, and one that harms nobody if it were used.
    nsfw: rating ?? 'nsfw',
  });
  // Names of folders and files make a picture more explicit, never less.
  const stated = { ...sidecar, nsfw: marked.rating };
  const isOpen = stated.nsfw === undefined;
  return {
    ...record,
    openFields: OPEN_FIELDS.filter((field) => stated[field] === undefined),
    ...(isOpen && asked.rating ? { atLeast: asked.rating } : {}),
    ...(unknown.length > 0 ? { unknownMarkers: unknown } : {}),
  };
}

// Tags in the shapes that tools write: texts, lists, objects by type, and objects with names; with and without a namespace.

type Role = 'artist' | 'character' | 'category' | 'title' | 'ignored';

/** The types and namespaces of tags. Tags of any other type are categories. Image boards have numbers for types, too. */
const types: [Role, string][] = [
  ['artist', 'artist creator mangaka 1'],
  ['character', 'character characters oc 4'],
  ['category', 'general species genre theme series copyright parody'],
  [
    'ignored',
    'meta metadata faults invalid deprecated lore contributor studio medium source bookmark rating',
  ],
  ['title', 'title'],
  ['ignored', 'page chapter volume filename'],
];
const roles = new Map(types.flatMap(([role, names]) => names.split(' ').map((name) => [name, role])));

/** A plain list of tags gives no types, so that its artists and characters may be known from elsewhere. */
export class Tags {
  readonly artist = new Set<string>();
  readonly character = new Set<string>();
  readonly category = new Set<string>();
  readonly title = new Set<string>();
  readonly ignored = new Set<string>();
  readonly markers: Marker[] = [];

  add(value: unknown, type = ''): void {
    if (typeof value === 'string') for (const name of splitTags(value)) this.#addName(name, type);
    else if (Array.isArray(value)) for (const item of value) this.#addItem(item, type);
    else if (typeof value === 'object' && value !== null && type === '')
      for (const [key, item] of Object.entries(value)) if (Array.isArray(item)) this.add(item, key);
  }

  #addItem(item: unknown, type: string): void {
    if (typeof item === 'string' || typeof item === 'number') this.#addName(String(item), type);
    if (typeof item !== 'object' || item === null) return;
    const { names, translated_name, name, tag, category, type: number } = item as Record<string, unknown>;
    const candidates = [Array.isArray(names) ? names[0] : undefined, translated_name, name, tag];
    const found = candidates.find((text) => typeof text === 'string' && text.trim() !== '');
    const own = [category, number].find((value) => typeof value === 'string' || typeof value === 'number');
    if (typeof found === 'string') this.#addName(found, String(own ?? type));
  }

  #addName(text: string, type: string): void {
    const tag = cleanName(text);
    const markers = [...tagMarkers(tag)];
    for (const marker of markers) this.markers.push(marker);
    // `rating:explicit` is only a marker.
    if (tag === '' || markers.some(({ field }) => field !== 'tags')) return;
    const [, namespace = '', rest = ''] = /^([a-z]+):\s*(\S.*)$/is.exec(tag) ?? [];
    const role = roles.get(namespace.toLowerCase());
    if (role) this.#addTo(role, rest);
    else this.#addTo(roles.get(type.toLowerCase()) ?? 'category', tag);
  }

  /** Names that no entry can have are left out. */
  #addTo(role: Role, text: string): void {
    if (this[role].has(text)) return;
    const [name] = role === 'category' ? categoryNames([text]) : [text];
    const valid = role === 'ignored' || role === 'title' ? name : validName(role, name);
    if (valid !== undefined) this[role].add(valid);
  }
}

/** What a list of tags states. Without one, nothing. */
export const statedBy = (tags: Tags, hasTags: boolean) => ({
  artist: [...tags.artist][0],
  title: titleText([...tags.title][0]),
  categories: hasTags ? [...tags.category] : undefined,
  characters: tags.character.size > 0 ? [...tags.character] : undefined,
});

/** Without commas, spaces separate tags. */
function splitTags(text: string): string[] {
  return text.split(text.includes(',') ? ',' : /\s+/);
}

// Titles and descriptions that tools and cameras wrote, as plain text that an image can have.

/** Longer texts are cut before anything else. */
const MAX_READ_LENGTH = 10 * MAX_DESCRIPTION_LENGTH;

/** One line. Undefined if it is no text, or empty. */
export function titleText(value: unknown): string | undefined {
  const text = cleanName(plainText(value)?.replace(/\s+/g, ' ') ?? '');
  return text ? cutText(text, MAX_TITLE_LENGTH).trim() : undefined;
}

/** HTML becomes text. Undefined if it is no text, or empty. */
export function descriptionText(value: unknown): string | undefined {
  const plain = plainText(value);
  const text = plain && (isHtml.test(plain) ? withoutHtml(plain) : plain).trim();
  return text ? cutText(text, MAX_DESCRIPTION_LENGTH).trim() : undefined;
}

export function altText(value: unknown): string | undefined {
  return cutText(descriptionText(value) ?? '', MAX_ALT_LENGTH).trim() || undefined;
}

interface FoundRights {
  /** What states the licence. */
  terms?: string | undefined;
  /** The page about it. */
  address?: string | undefined;
  /** `© 2026 …` */
  notice?: string | undefined;
  credit?: string | undefined;
}

/** A notice names the licence if nothing else does; otherwise it is what to credit if nothing else is. */
export function readRights(found: FoundRights): Pick<GivenDetails, 'licence' | 'credit'> {
  const [terms, credit, copyright] = [found.terms, found.credit, found.notice].map(titleText);
  const notice = isBoilerplate(copyright ?? '') ? undefined : copyright;
  const url = sourceOf(found.address ?? '')?.url ?? '';
  const isNamed = terms !== undefined || readLicence(url).name !== '';
  const name = terms ?? (isNamed ? '' : notice);
  const licence = [{ name, url }, { url }, { name }].map((given) => parseLicence(licenceText(given) ?? ''));
  return { licence: licence.find(Boolean), credit: credit ?? (isNamed ? notice : undefined) };
}

/** Line breaks are line feeds. */
function plainText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, MAX_READ_LENGTH).toWellFormed().replace(/\r\n?/g, '\n');
  return withoutHidden(text, true).normalize();
}

const isHtml = /<\/?(?:a|b|blockquote|br|code|div|em|h[1-6]|i|img|li|ol|p|span|strong|u|ul)\b[^<>]*>/i;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

function withoutHtml(text: string): string {
  // A pattern with spaces on both sides of the line feed would take quadratic time.
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .join(' ')
    .replace(/<(?:br|\/p|\/div|\/li|\/h[1-6]|\/blockquote)\b[^<>]*>\s*/gi, '\n')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '');
}

/** What cameras and programs write when nobody has written anything. */
const BOILERPLATE =
  /^(?:.{0,30}digital (?:still )?camera|sony dsc|dcim|exif[ _]jpeg[ _]picture|.{0,10}jpeg image|created with .{0,40}|default|untitled|screenshot|image|ascii|\W*)$/i;

export function isBoilerplate(text: string): boolean {
  return BOILERPLATE.test(text.trim());
}
