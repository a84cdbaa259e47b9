/** Reads a sidecar in JSON: the fields of an image record, or those of gallery-dl, Hydrus and szurubooru. */
import { isId } from '../../catalogue/names.ts';
import { licenceText } from '../../lib/licence.ts';
import { editDistance } from '../../lib/text.ts';
import { RecordError } from '../records/lines.ts';
import { isoTime, parseJson } from '../records/record.ts';
import {
  altText,
  categoryNames,
  descriptionText,
  readRights,
  type SidecarFields,
  sourceOf,
  Tags,
  titleText,
  validName,
} from './fields.ts';
import { fieldMarkers, findMarkers, type Marker, rateByMarkers, tagMarkers, textMarkers } from './rating.ts';

type Fields = Record<string, unknown>;

const dates = [
  'created_at',
  'create_date',
  'creationTime',
  'published_time',
  'published',
  'created_utc',
  'date',
];
const typedTags = /^(?:tags|tag_string)_([a-z]+)$/;

export function readJson(text: string): SidecarFields {
  const fields = parse(text);
  if (isTakeout(fields)) return readTakeout(fields);
  checkOwnJson(fields);
  const typed = new Tags();
  const plain = new Tags();
  for (const [key, value] of Object.entries(fields)) {
    const [, type] = typedTags.exec(key) ?? [];
    if (type) typed.add(value, type);
  }
  for (const key of ['tags', 'tag_string', 'hashtags']) plain.add(fields[key]);
  return {
    // Sites use numbers or names as ids; only a UUID is an id here.
    id: typeof fields.id === 'string' && isId(fields.id) ? fields.id : undefined,
    artist: readArtist(fields, typed, plain),
    source: readSource(fields, text),
    createdAt: readOwnTime(fields),
    categories: readCategories(fields, typed, plain),
    characters: readCharacters(fields, typed, plain),
    ...readDetails(fields, plain),
    marked: rateByMarkers(allMarkers(fields, typed, plain)),
  };
}

/** Hydrus writes lists under keys that its user chooses, often below `metadata`, or a list and nothing else. */
function parse(text: string): Fields {
  const value = parseJson(text);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return { tags: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordError('not a JSON object');
  const { metadata } = value as Fields;
  const isNested = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  return isNested ? { ...metadata, ...value } : (value as Fields);
}

function* allMarkers(fields: Fields, typed: Tags, plain: Tags): Generator<Marker> {
  yield* findMarkers(fields);
  yield* typed.markers;
  yield* plain.markers;
  for (const name of ownNames(fields.categories)) yield* tagMarkers(name);
  if (typeof fields.keywords === 'string') yield* textMarkers(fields.keywords);
  // Philomena has ratings as tags, among them one for safe pictures.
  if (Object.hasOwn(fields, 'sha512_hash') && plain.category.has('safe'))
    yield { field: 'tags', value: 'safe', rating: 'sfw' };
}

function readArtist(fields: Fields, typed: Tags, plain: Tags): string | null | undefined {
  const { artist } = fields;
  const own = typeof artist === 'string' ? [artist.trim()].filter(Boolean) : ownNames(artist);
  const name = [...own, ...typed.artist, ...plain.artist, validName('artist', personIn(fields))][0];
  const isStated = ['artist', 'tags_artist', 'tag_string_artist'].some((key) => Object.hasOwn(fields, key));
  return name ?? (isStated ? null : undefined);
}

function readCategories(fields: Fields, typed: Tags, plain: Tags): string[] | undefined {
  const isStated = Object.keys(fields).some((key) =>
    /^(categories|tags|tag_string|hashtags|tags_general|tag_string_general)$/.test(key),
  );
  if (!isStated && typed.category.size === 0) return undefined;
  const own = ownNames(fields.categories);
  if (own.length > 0) return categoryNames(own);
  if (typed.category.size > 0) return [...typed.category];
  // A plain list contains the typed tags again.
  const others = new Set([...typed.artist, ...typed.character, ...typed.ignored]);
  return [...plain.category].filter((name) => !others.has(name));
}

function readCharacters(fields: Fields, typed: Tags, plain: Tags): string[] | undefined {
  const own = ownNames(fields.characters);
  const names = own.length > 0 ? own : [...new Set([...typed.character, ...plain.character])];
  const isStated = Object.keys(fields).some((key) =>
    /^(characters|tags_character|tag_string_character)$/.test(key),
  );
  return names.length > 0 || isStated ? names : undefined;
}

/** A list, or names separated by spaces. Unlike those of tags, these names may be ids. */
function ownNames(value: unknown): string[] {
  const items: unknown[] = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  const names = items.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))];
}

function readSource(fields: Fields, text: string): unknown {
  const { source, sources, source_urls, urls } = fields;
  if (typeof source === 'object' && source !== null && !Array.isArray(source)) return source;
  const texts = [source, sources, source_urls, urls].flatMap((value): unknown[] =>
    Array.isArray(value) ? value : [value],
  );
  const addresses = texts.filter((item) => typeof item === 'string').flatMap((item) => item.split(/\s+/));
  const found = [...addresses, pageIn(fields, text) ?? ''].map(sourceOf).find((item) => item !== undefined);
  return found ?? (source === undefined && sources === undefined ? undefined : null);
}

/** Our own field is checked like that of a catalogue file. Tools that have it, too, have a date besides. */
function readOwnTime(fields: Fields): string | undefined {
  const isOwn = typeof fields.createdAt === 'string' && publishedIn(fields) === undefined;
  return isOwn ? (fields.createdAt as string) : undefined;
}

function publishedIn(fields: Fields): string | undefined {
  return dates.map((name) => parseTime(fields[name])).find(Boolean);
}

/** What sites call the text of a picture, the first one first. */
const descriptions = ['description', 'caption', 'content', 'selftext', 'text'];

function readDetails(fields: Fields, tags: Tags): Partial<SidecarFields> {
  // Our own fields are checked like those of a catalogue file.
  const own = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return {
    title: titleText(fields.title) ?? titleText([...tags.title][0]),
    description: descriptions.map((name) => descriptionText(fields[name])).find(Boolean),
    takenAt: own('takenAt'),
    licence: licenceText(fields.licence) ?? readRights({ terms: foreignLicence(fields) }).licence,
    credit: titleText(fields.credit),
    alt: altText(fields.alt),
    publishedAt: publishedIn(fields),
    fileName: own('fileName'),
  };
}

/** Some sites have a number instead. */
function foreignLicence({ license }: Fields): string | undefined {
  const text = licenceText(license);
  return /^\d*$/.test(text ?? '') ? undefined : text;
}

// Who made a picture and where it was published, in the JSON that gallery-dl writes for sites without typed tags.

/** On sites for sharing, these people are those who uploaded the picture. */
const uploadKeys = [
  'md5',
  'checksum',
  'safety',
  'tag_string',
  'file_url',
  'tags_artist',
  'uploader',
  'sha512_hash',
];

/** Where the name is, the first one first. */
const people: string[][] = [
  ...['name', 'username', 'handle', 'nick', 'displayName'].map((key) => ['author', key]),
  ['author'],
  ...['name', 'username', 'account'].map((key) => ['user', key]),
  ['username'],
  ['user_profile', 'name'],
  ['owner_username'],
  ['owner'],
  ...['username', 'display_name'].map((key) => ['account', key]),
  ...['full_name', 'name', 'vanity'].map((key) => ['creator', key]),
  ['creator'],
  ['fanclub_name'],
  ['blog_name'],
];

function personIn(fields: Fields): string | undefined {
  if (uploadKeys.some((key) => Object.hasOwn(fields, key))) return undefined;
  const names = people.map((path) => textAt(fields, path));
  // Some sites have only the number of a user.
  return names.find((name) => name !== undefined && !/^\d+$/.test(name));
}

function textAt(fields: Fields, path: string[]): string | undefined {
  let value: unknown = fields;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Fields)[key];
  }
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The address of the page of a picture. `text` is the JSON: numbers of tweets are too long for a number of JavaScript. */
function pageIn(fields: Fields, text: string): string | undefined {
  const { id, post_url, url, permalink } = fields;
  if (typeof post_url === 'string') return post_url;
  if (typeof permalink === 'string' && permalink.startsWith('/r/'))
    return `https://www.reddit.com${permalink}`;
  // In the JSON of other sites, `url` is the address of the file.
  const isPage = Object.hasOwn(fields, 'deviationid') || Object.hasOwn(fields, 'spoiler_text');
  if (typeof url === 'string' && isPage) return url;
  const tweet = /"tweet_id"\s*:\s*"?(\d{1,20})\b/.exec(text)?.[1];
  if (tweet && Object.hasOwn(fields, 'tweet_id')) return `https://x.com/i/status/${tweet}`;
  if (typeof id === 'object' || !/^\d{1,15}$/.test(String(id))) return undefined;
  if (Object.hasOwn(fields, 'x_restrict')) return `https://www.pixiv.net/artworks/${id}`;
  if (Object.hasOwn(fields, 'fa_category')) return `https://www.furaffinity.net/view/${id}/`;
  return undefined;
}

/** ISO 8601 with a space or a `T`, UTC unless it has a time zone, or seconds since 1970. */
function parseTime(value: unknown): string | undefined {
  // The text of a list could be endless.
  if (typeof value === 'object') return undefined;
  const text = String(value).trim();
  const isSeconds = /^\d{1,11}(\.\d+)?$/.test(text);
  const [, date = '', time = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
  const offset = zone.replace(/(\d\d)(\d\d)$/, '$1:$2');
  return isoTime(new Date(isSeconds ? Number(text) * 1000 : `${date}${time.replace(' ', 'T')}${offset}`));
}

// Checks JSON that somebody wrote by hand: no tool is known to write it, so that a wrong type or name is a mistake. Pure.

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText));
const isSource = (value: unknown) => isTexts(value) || (typeof value === 'object' && !Array.isArray(value));

/** The fields of an image record, and what each of them may be. All may be null. */
const own: Record<string, [isRight: (value: unknown) => boolean, hint: string]> = {
  artist: [isTexts, 'a name'],
  categories: [isTexts, 'a list of names'],
  characters: [isTexts, 'a list of names'],
  source: [isSource, '{"name":…,"url":…} or a URL'],
  createdAt: [isText, 'a text'],
  title: [isText, 'a text'],
  description: [isText, 'a text'],
  takenAt: [isText, 'a text'],
  licence: [(value) => licenceText(value) !== undefined, 'a text or {"name":…,"url":…}'],
  credit: [isText, 'a text'],
  alt: [isText, 'a text'],
  fileName: [isText, 'a text'],
};
/** The names that people may have meant. */
const meant = [...Object.keys(own), 'nsfw', 'rating', 'tags'];
/** Others that have a meaning in the files of any tool. */
const others = ['id', 'type', 'file', 'sources', 'date', 'license'];

/** What only tools write. */
const toolKeys = [
  ...['category', 'subcategory', 'extractor', 'md5', 'checksum', 'sha512_hash', 'file_url', 'uploader'],
  ...['hashtags', 'metadata', 'urls', 'source_urls', 'post_url', 'safety', 'media_asset', 'creationTime'],
  ...['author', 'user', 'username', 'account', 'owner', 'creator', 'blog_name', 'tweet_id', 'created_at'],
];

export function checkOwnJson(fields: Fields): void {
  const keys = Object.keys(fields);
  const isTool = keys.some((key) => toolKeys.includes(key) || /^(?:tags_|tag_string)/.test(key));
  // Both people and tools write `tags`. Tools have other types, but spell right.
  const mayBeTool = isTool || Object.hasOwn(fields, 'tags');
  for (const [name, [isRight, hint]] of Object.entries(own)) {
    const value = Object.hasOwn(fields, name) && !mayBeTool ? fields[name] : null;
    if (value !== null && !isRight(value)) throw new RecordError(`${name}: must be ${hint}`);
  }
  for (const key of keys) {
    if (meant.includes(key) || others.includes(key) || isMarker(key)) continue;
    // People write some fields of tools, too, and a rating must not get lost.
    const near = (isTool ? ['nsfw', 'rating'] : meant).find((name) => isNear(key, name));
    if (near !== undefined) throw new RecordError(`unknown field "${key}"; did you mean "${near}"?`);
  }
}

const isMarker = (key: string) => !fieldMarkers(key, 'any').next().done;

/** Whether one letter of a name is wrong, missing, too many or swapped with the next one. In short names, that is too much. */
export function isNear(typed: string, name: string): boolean {
  const [a, b] = [typed.toLowerCase(), name.toLowerCase()];
  if (a === b) return true;
  if (b.length < 4 || Math.abs(a.length - b.length) > 1) return false;
  const isSwapped = [...a].some(
    (letter, at) => a.slice(0, at) + a.slice(at + 1, at + 2) + letter + a.slice(at + 2) === b,
  );
  return isSwapped || editDistance([...a], [...b], 1) <= 1;
}

// Reads the JSON of Google Takeout. People, places and the address of the picture there stay private.

function isTakeout({ photoTakenTime, title }: Fields): boolean {
  return typeof photoTakenTime === 'object' && photoTakenTime !== null && typeof title === 'string';
}

function readTakeout(fields: Fields): SidecarFields {
  const title = titleText(fields.title);
  // The title is the name that the file had, which may have been cut since, or one that somebody gave.
  const isFileName = title !== undefined && /\.[a-z0-9]{2,5}$/i.test(title) && !/[/\\]/.test(title);
  const takenAt = timeIn(fields.photoTakenTime);
  return {
    title: isFileName ? undefined : title,
    fileName: isFileName ? title : undefined,
    description: descriptionText(fields.description),
    takenAt,
    marked: { rating: undefined, unknown: [] },
    hidden: hiddenReason(fields),
  };
}

function hiddenReason({ archived, trashed, inLockedFolder }: Fields): string | undefined {
  if (inLockedFolder === true) return 'locked in Google Photos';
  if (trashed === true) return 'in the trash of Google Photos';
  return archived === true ? 'archived in Google Photos' : undefined;
}

function timeIn(value: unknown): string | undefined {
  const { timestamp } = (value ?? {}) as { timestamp?: unknown };
  const seconds = /^-?\d{1,11}$/.test(String(timestamp)) ? Number(timestamp) : Number.NaN;
  // Pictures without a date have the first moment of 1970.
  return seconds === 0 ? undefined : isoTime(new Date(seconds * 1000));
}
