/**
 * The addresses of pages, in both directions: a view is its name, an id and the parameters that the API has, too. Pure.
 * `formatView` writes the one address of a view; whatever else is in an address is ignored.
 */
import {
  artistFilters,
  cursor,
  imageFilters,
  listFilters,
  offset,
  readQuery,
  readUuid,
  search,
  seed,
  sort,
} from '../api/parameters.ts';
import type { Filter } from '../catalogue/catalogue.ts';
import type { Kind } from '../catalogue/schemas.ts';
import type { RawQuery } from '../http/request.ts';
import * as Type from '../lib/json-schema.ts';

/** The parameters that are given. `offset` is where a page of a list or an album starts, or a picture's place in its album. */
export interface Query extends Filter {
  seed?: string;
  cursor?: string;
  search?: string;
  sort?: 'name' | 'images';
  offset?: number;
}

export type View =
  | { name: 'random' | 'newest' | 'search'; query: Query }
  | { name: 'picture'; id: string; query: Query }
  /** All entries of a kind. */
  | { name: 'list'; kind: Kind; query: Query }
  | { name: 'entry'; kind: Kind; id: string; query: Query };

export type EntryView = Extract<View, { name: 'entry' }>;

export const kindWords = {
  artist: 'artists',
  character: 'characters',
  category: 'categories',
  album: 'albums',
} as const satisfies Record<Kind, string>;
export const kinds = Object.keys(kindWords) as Kind[];
const kindOf = (word: string | undefined) => kinds.find((kind) => kindWords[kind] === word);

/** What pages have the first words of their paths for. A prefix of the API wins over them. */
export const pageWords = ['newest', 'search', 'pictures', ...Object.values(kindWords)];

const { q, ...searchFilters } = imageFilters;
const { album, ...filtersInAlbum } = { ...listFilters, ...artistFilters };
const { artist: _artist, ...filtersOfArtist } = imageFilters;
const { character: _character, ...filtersOfCharacter } = imageFilters;
/** What the address of each view may have, by the API's own declarations. */
const parameters = {
  random: Type.Object({ ...imageFilters, seed, cursor }),
  newest: Type.Object({ ...imageFilters, cursor }),
  search: Type.Object({ q, ...searchFilters, cursor }),
  picture: Type.Object({ album, offset, nsfw: listFilters.nsfw }),
  list: Type.Object({ search, sort, offset }),
  artist: Type.Object({ ...filtersOfArtist, cursor }),
  character: Type.Object({ ...filtersOfCharacter, cursor }),
  category: Type.Object({ ...imageFilters, cursor }),
  album: Type.Object({ ...filtersInAlbum, offset }),
};

const parametersOf = (view: View) => parameters[view.name === 'entry' ? view.kind : view.name];

/** Undefined if no view has this path. Throws the 400 for an invalid parameter. `path` is without escapes. */
export function parseView(path: string, raw: RawQuery): View | undefined {
  const view = parsePath(path);
  return (
    view && { ...view, query: withoutDefaults(readQuery(parametersOf(view), withoutEmpty(raw)) as Query) }
  );
}

function parsePath(path: string): View | undefined {
  const [word, text, ...names] = path.replace(/^\/|\/$/g, '').split('/');
  const query = {};
  if (text === undefined) {
    const kind = kindOf(word);
    if (kind) return { name: 'list', kind, query };
    if (word === '') return { name: 'random', query };
    return word === 'newest' || word === 'search' ? { name: word, query } : undefined;
  }
  const id = readUuid(text);
  // A name has no dot, unlike the file of a picture.
  if (id === undefined || names.length > 1 || names[0]?.includes('.')) return undefined;
  const kind = kindOf(word);
  if (kind) return { name: 'entry', kind, id, query };
  return word === 'pictures' ? { name: 'picture', id, query } : undefined;
}

/** A form sends its empty fields, too. An empty rating is an error, as in the API. */
const FORM_FIELDS = ['q', 'search', 'sort', 'animated', 'minWidth'];

function withoutEmpty(raw: RawQuery): RawQuery {
  if (!FORM_FIELDS.some((name) => raw.get(name) === '')) return raw;
  return new Map([...raw].filter(([name, value]) => value !== '' || !FORM_FIELDS.includes(name)));
}

function withoutDefaults({ categories = [], match, sort, offset, ...rest }: Query): Query {
  return {
    ...rest,
    ...(categories.length > 0 && { categories }),
    ...(match === 'any' && categories.length > 1 && { match }),
    ...(sort === 'images' && { sort }),
    ...(offset && { offset }),
  };
}

/** The name of what is shown makes the address readable. */
export function formatView(view: View, name = ''): string {
  const given = view.query as Record<string, unknown>;
  let search = '';
  for (const parameter in parametersOf(view).properties) {
    const value = given[parameter];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const text = [value].flat().map((part) => encodeURIComponent(String(part)));
    search += `${search ? '&' : '?'}${parameter}=${text.join()}`;
  }
  return formatPath(view, name) + search;
}

function formatPath(view: View, name: string): string {
  if (view.name === 'random') return '/';
  if (view.name === 'list') return `/${kindWords[view.kind]}`;
  if (!('id' in view)) return `/${view.name}`;
  const readable = readablePart(name);
  return `/${view.name === 'entry' ? kindWords[view.kind] : 'pictures'}/${view.id}${readable && `/${readable}`}`;
}

const MAX_READABLE_LENGTH = 60;

/** Most names need no table of Unicode. */
const SIMPLE = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;

/** Letters and digits of any script. */
export function readablePart(name: string): string {
  if (name.length <= MAX_READABLE_LENGTH && SIMPLE.test(name)) return name.toLowerCase().replaceAll(' ', '-');
  const text = name
    .slice(0, 4 * MAX_READABLE_LENGTH)
    .normalize('NFC')
    .toLowerCase();
  const words = text.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-/, '');
  const start =
    words.length <= MAX_READABLE_LENGTH ? words : [...words].slice(0, MAX_READABLE_LENGTH).join('');
  return encodeURIComponent(start.replace(/-$/, '').toWellFormed());
}

/** What a picture, or a thumbnail of it, is saved as. */
export function pictureFileName(title: string, id: string, mimetype: string, width?: number): string {
  const name = decodeURIComponent(readablePart(title)) || 'picture';
  const type = mimetype.slice('image/'.length).replace('jpeg', 'jpg');
  return `${name}-${id.slice(0, 8)}${width === undefined ? '' : `-${width}`}.${type}`;
}

/** The same view from its start. */
export function firstPage<V extends View>(view: V): V {
  const { seed, cursor, offset, ...query } = view.query;
  return { ...view, query };
}

/** Everything but the place in an order, which a visitor chose. */
export function isPlain(view: View): boolean {
  return Object.keys(firstPage(view).query).length === 0;
}

// The addresses of version 1, which all had one path.

/** The views of single entries took no others. */
const OLD_FILTERS: readonly string[] = ['nsfw', 'orientation', 'animated'];
const RENAMED: Record<string, string> = {
  artists: 'artist',
  excludeArtists: 'excludeArtist',
  characters: 'character',
  search: 'q',
};

/** Where what `/` showed with this query is now; undefined if the query is not an old one. */
export function newAddress(raw: RawQuery): string | undefined {
  const textOf = (name: string) => [raw.get(name) ?? ''].flat().join();
  const path = newPath(raw, textOf);
  if (path === undefined) return undefined;
  const renamed = [...raw].map(([name, value]) => [RENAMED[name] ?? name, value] as const);
  const query = new Map([...renamed, ...oldSize(textOf('size'), textOf('orientation'))]);
  if (path.includes('s/') || !textOf('in')) query.delete('album');
  else query.set('search', textOf('search'));
  try {
    return format(parseView(path, query));
  } catch {
    // The old gallery ignored what it did not understand.
    return format(parseView(path, new Map()));
  }
}

const format = (view: View | undefined) => view && formatView(view);

function newPath(raw: RawQuery, textOf: (name: string) => string): string | undefined {
  const image = readUuid(textOf('image'));
  if (image) return `/pictures/${image}`;
  const isFilter = (name: string) => name in parameters.random.properties && !OLD_FILTERS.includes(name);
  for (const kind of kinds) {
    const id = readUuid(textOf(kind));
    // Together with other filters, an artist is a filter of random images.
    if (id && ![...raw.keys()].some((name) => name !== kind && isFilter(name)))
      return `/${kindWords[kind]}/${id}`;
  }
  const kind = kindOf(textOf('in'));
  if (kind) return `/${kindWords[kind]}`;
  if (textOf('search')) return '/search';
  if (textOf('order') === 'newest') return '/newest';
  return ['size', 'artists', 'excludeArtists', 'characters'].some((name) => raw.has(name)) ? '/' : undefined;
}

/** The long side of a screen counted only if all images had the same orientation. */
function oldSize(size: string, orientation: string): [string, string][] {
  const sides = { hd: ['1920', '1080'], '4k': ['3840', '2160'] }[size];
  if (!sides) return [];
  const [long = '', short = ''] = sides;
  return [
    ['minWidth', orientation === 'landscape' ? long : short],
    ['minHeight', orientation === 'portrait' ? long : short],
  ];
}
