/** Reads a sidecar in JSON: the fields of an image record, or those of gallery-dl, Hydrus and szurubooru. */
import { RecordError } from '../problems.ts';
import { isId } from '../sources/record.ts';
import { categoryNames, type SidecarFields, sourceOf, validName } from './fields.ts';
import { findMarkers, type Marker, tagMarkers } from './markers.ts';
import { pageIn, personIn } from './people-and-pages.ts';
import { rateByMarkers } from './rating.ts';
import { Tags } from './tags.ts';
import { parseTime } from './time.ts';

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
    createdAt: readDate(fields),
    categories: readCategories(fields, typed, plain),
    characters: readCharacters(fields, typed, plain),
    marked: rateByMarkers(allMarkers(fields, typed, plain)),
  };
}

/** Hydrus writes lists under keys that its user chooses, often below `metadata`, or a list and nothing else. */
function parse(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RecordError(`not valid JSON: ${(error as Error).message}`);
  }
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

function readDate(fields: Fields): string | null | undefined {
  const { createdAt } = fields;
  // Our own field is checked like that of a catalogue file.
  if (createdAt !== undefined) return typeof createdAt === 'string' ? createdAt : null;
  const found = dates.map((name) => parseTime(fields[name])).find(Boolean);
  return found ?? (fields.created_at === undefined ? undefined : null);
}
