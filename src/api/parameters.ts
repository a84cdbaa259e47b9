/**
 * Every parameter of the API. Its schema validates it (see this file) and describes it in the reference, with the first of
 * its `examples`.
 */
import { MIN_EXPIRY } from '../access/tokens.ts';
import type { Filter } from '../catalogue/catalogue.ts';
import { EntryInclude, fileTypes, Include, Orientation, Rating, uuidPattern } from '../catalogue/schemas.ts';
import { MAX_QUERY_LENGTH } from '../catalogue/search/query.ts';
import { ApiError } from '../http/exchange.ts';
import type { RawQuery } from '../http/request.ts';
import * as Type from '../lib/json-schema.ts';
import type { QueryOf } from './endpoint.ts';
import * as examples from './examples.ts';

/** In the path. The reference describes it for each kind of record. */
export const id = Type.String({ pattern: uuidPattern });

export const limit = Type.Integer({
  minimum: 1,
  maximum: 25,
  default: 10,
  description: 'The maximum number of records to return.',
  examples: [10],
});
export const offset = Type.Integer({
  minimum: 0,
  default: 0,
  description: 'The number of records to skip.',
  examples: [0],
});
export const search = Type.Optional(
  Type.String({
    maxLength: 50,
    title: 'search query',
    description: 'A pattern that the whole name must match.',
    examples: ['%ink%'],
  }),
);
export const sort = Type.Union([Type.Literal('name'), Type.Literal('images')], {
  default: 'name',
  description: 'Whether to sort by name, or by the number of images: most first, then by name.',
  examples: ['images'],
});
const textRule = { maxLength: MAX_QUERY_LENGTH, examples: ['fox -night artist:"Hoshino Ink" rating:sfw'] };
export const searchText = Type.Optional(Type.String({ ...textRule, description: 'What to search for.' }));
export const expiry = Type.Optional(
  Type.Integer({
    minimum: MIN_EXPIRY,
    description:
      'How long the links stay valid, in seconds. Requires a token with the scope `image:custom-expiry`.',
    examples: [86_400],
  }),
);
export const seed = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Any text. The same seed returns the same images in the same order.',
    examples: ['2026-11-14'],
  }),
);
export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'The `X-Next-Cursor` of the previous response, to continue from there. Send it with the same filters, and the ' +
      'same `seed` if there was one.',
    examples: ['AAJiasLMtmKK5gn1iDFdLTXiK_iN'],
  }),
);
export const since = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 160,
    description:
      'The `X-Next-Cursor` of the previous response, to continue from there. Send it with the same `nsfw`.',
  }),
);

export const width = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'The width in pixels that you need. Redirects to the smallest thumbnail that is at least this wide, or else to ' +
      'the original.',
    examples: [480],
  }),
);

const strict = Type.Optional(
  Type.Boolean({
    description:
      'Makes an unknown parameter a 400. Without it, `X-Ignored-Parameters` names those that were ignored.',
    examples: [true],
  }),
);

/** An endpoint that takes parameters can be told to take no others. */
export function withStrict(query: Type.TObject): Type.TObject {
  return Object.keys(query.properties).length > 0 ? Type.Object({ ...query.properties, strict }) : query;
}

/** The parameters of every endpoint that returns images. */
export const imageParameters = {
  expiry,
  include: Type.Optional(
    Type.Array(Include, {
      description:
        'What to add to each image: `artist` adds `artistDetails`, the record of the artist; `details` adds `title`, ' +
        '`description`, `takenAt`, `licence`, `credit`, `alt` and, if the operator has set one, `reportUrl`; ' +
        '`thumbnails` adds `meta.thumbnails`, smaller versions of the file, ' +
        '`meta.thumbHash`, a tiny preview, and `meta.animated`, whether it is an animation.',
      examples: [['artist', 'thumbnails']],
    }),
  ),
};

/** The parameter of every endpoint that returns artists, characters, categories or albums. */
export const entryInclude = Type.Optional(
  Type.Array(EntryInclude, {
    description:
      'What to add to each record: `count` adds `images`, the number of images, which single records always have; ' +
      '`cover` adds `cover`, the newest image rated sfw, with its thumbnails.',
    examples: [['count', 'cover']],
  }),
);

const pixels = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 1, description, examples: [example] }));
const ids = (description: string, example: string) =>
  Type.Optional(Type.Array(Type.String({ pattern: uuidPattern }), { description, examples: [[example]] }));

/** The filters of lists. */
export const listFilters = {
  q: Type.Optional(
    Type.String({
      ...textRule,
      minLength: 1,
      description: 'Only images that every word of this text is about, as `/search` finds them.',
    }),
  ),
  nsfw: Type.Optional(
    Type.Array(Rating, {
      description: 'Only images with one of these ratings, separated by commas.',
      examples: [['sfw']],
    }),
  ),
  orientation: Type.Optional(
    Type.Array(Orientation, {
      description: 'Only images with one of these orientations, separated by commas.',
      examples: [['portrait', 'square']],
    }),
  ),
  type: Type.Optional(
    Type.Array(Type.Union([...fileTypes, 'jpg' as const].map((name) => Type.Literal(name))), {
      description: 'Only files of one of these types, separated by commas. `jpg` is the same as `jpeg`.',
      examples: [['webp', 'gif']],
    }),
  ),
  animated: Type.Optional(
    Type.Boolean({
      description: 'Only animations (`true`), or only other images (`false`).',
      examples: [true],
    }),
  ),
  minWidth: pixels('Only images that are at least this wide, in pixels.', 1920),
  minHeight: pixels('Only images that are at least this high, in pixels.', 1080),
  maxWidth: pixels('Only images that are at most this wide, in pixels.', 1920),
  maxHeight: pixels('Only images that are at most this high, in pixels.', 1080),
  aspectRatio: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$',
      maxLength: 11,
      description: 'Only images with this ratio of width to height. It may differ by 2 %.',
      examples: ['16:9'],
    }),
  ),
  character: ids(
    'Only images that show one of these characters: ids, separated by commas.',
    examples.character.id,
  ),
  album: ids('Only images in one of these albums: ids, separated by commas.', examples.album.id),
};

/** The filters of lists with images of several artists. */
export const artistFilters = {
  artist: ids('Only images by one of these artists: ids, separated by commas.', examples.artist.id),
  excludeArtist: ids('Only images by none of these artists: ids, separated by commas.', examples.artist.id),
};

/** The filters of random and of the latest images. They reach the catalogue under the same names. */
export const imageFilters = {
  categories: Type.Array(Type.String(), {
    default: [],
    description:
      'Only images in all of these categories, or with `match=any` in any of them: names, separated by commas.',
    examples: [['foxgirl', 'kimono']],
  }),
  match: Type.Union([Type.Literal('all'), Type.Literal('any')], {
    default: 'all',
    description: 'Whether an image must be in all of the `categories` or in any of them.',
    examples: ['any'],
  }),
  exclude: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only images in none of these categories: names, separated by commas.',
      examples: [['night', 'rain']],
    }),
  ),
  ...listFilters,
  ...artistFilters,
} satisfies Record<keyof Filter, Type.TSchema>;

/** The filters of what other sites and programs show without a blur: it is safe unless somebody asks for more. */
export const embedFilters = {
  ...imageFilters,
  nsfw: Type.Array(Rating, {
    default: ['sfw'],
    description: 'Images with one of these ratings, separated by commas.',
    examples: [['sfw']],
  }),
};

// Parses and validates query parameters against their schemas.

/** Reports every invalid parameter at once. Ignores unknown parameters (`ignoredParameters` names them), because bots append all kinds. */
export function readQuery<Schema extends Type.TObject>(schema: Schema, raw: RawQuery): Type.Static<Schema> {
  const problems: string[] = [];
  const query: Record<string, unknown> = {};
  for (const name in schema.properties) {
    const rule = schema.properties[name] as Rule;
    const { value, problem } = readParameter(name, rule, raw.get(name));
    if (problem) problems.push(`Invalid ${rule.title ?? name}: ${problem}.`);
    if (value !== undefined) query[name] = value;
  }
  if (problems.length > 0) throw new ApiError(400, problems.join(' '));
  return query as Type.Static<Schema>;
}

/** The values of one group of parameters. */
export function pickParameters<Group extends Type.TProperties>(
  group: Group,
  query: QueryOf<Group>,
): QueryOf<Group> {
  const picked: Record<string, unknown> = {};
  for (const name in group) picked[name] = (query as Record<string, unknown>)[name];
  return picked as QueryOf<Group>;
}

/** More than people choose: 100 names, or ids. They are folded, looked up, and signed with a cursor. */
const MAX_LIST_VALUES = 100;
const MAX_LIST_LENGTH = 4000;

/** Empty, these count as not given. An empty filter of another kind is an error: it would show what was to be hidden. */
const MAY_BE_EMPTY = ['categories', 'search', 'match', 'include'];

/** The parts of a schema that validation reads. */
interface Rule {
  type?: string;
  title?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  /** Of a list: UUIDs. Of another parameter: needs `maxLength`, and an example for the error. */
  pattern?: string;
  examples?: unknown[];
  items?: Rule;
  /** The allowed values. */
  anyOf?: { const: string }[];
}

interface Reading {
  value?: unknown;
  problem?: string;
}

function readParameter(name: string, rule: Rule, text: string | string[] | undefined): Reading {
  const mayBeEmpty = MAY_BE_EMPTY.includes(name);
  if (text === undefined || (text === '' && mayBeEmpty)) return { value: rule.default };
  if (rule.type === 'array') return readList(rule, [text].flat(), mayBeEmpty);
  if (typeof text !== 'string') return { problem: 'it must be a single value' };
  if (rule.anyOf) return readChoice(rule.anyOf, text);
  if (rule.type === 'boolean') return readBoolean(text);
  return rule.type === 'integer' ? readInteger(rule, text) : readText(rule, text);
}

function readInteger({ minimum = 0, maximum }: Rule, text: string): Reading {
  const value = /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : Number.NaN;
  if (value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER)) return { value };
  const range = maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  return { problem: `it must be a whole number ${range}` };
}

const uuid = new RegExp(uuidPattern);

/** The id in lower case, as it is stored; undefined if the text is not a UUID. */
export function readUuid(text: string): string | undefined {
  return uuid.test(text) ? text.toLowerCase() : undefined;
}

/** Lengths are in code points. */
function readText({ minLength = 0, maxLength, pattern, examples }: Rule, text: string): Reading {
  if (pattern !== undefined) {
    const isValid = isAtMost(text, maxLength ?? 0) && new RegExp(pattern).test(text);
    return isValid ? { value: text } : { problem: `it must be like "${examples?.[0]}"` };
  }
  if (text === '' && minLength > 0) return { problem: 'it must not be empty' };
  if (maxLength === undefined || isAtMost(text, maxLength)) return { value: text };
  return { problem: `it must not be longer than ${maxLength} characters` };
}

/** A code point has at most two code units, so a long text need not be counted. */
function isAtMost(text: string, codePoints: number): boolean {
  return text.length <= 2 * codePoints && [...text].length <= codePoints;
}

/** Python writes `True` and `False`. */
function readBoolean(text: string): Reading {
  const word = text === 'True' || text === 'False' ? text.toLowerCase() : text;
  const { value, problem } = readChoice([{ const: 'true' }, { const: 'false' }], word);
  return problem === undefined ? { value: value === 'true' } : { problem };
}

function readChoice(choices: { const: string }[], text: string): Reading {
  if (choices.some((choice) => choice.const === text)) return { value: text };
  return { problem: `it must be ${choices.map((choice) => `"${choice.const}"`).join(' or ')}` };
}

function readList(rule: Rule, given: string[], mayBeEmpty: boolean): Reading {
  const { items } = rule;
  const text = given.join();
  if (text.length > MAX_LIST_LENGTH)
    return { problem: `it must not be longer than ${MAX_LIST_LENGTH} characters` };
  const values = text.split(',', MAX_LIST_VALUES + 1);
  if (values.length > MAX_LIST_VALUES)
    return { problem: `it must not have more than ${MAX_LIST_VALUES} values` };
  const isEmpty = (value: string) => /^[\s,]*$/.test(value);
  if (!mayBeEmpty && given.some(isEmpty)) return { problem: 'it must not be empty' };
  const names = [...new Set(values.map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0) return { value: rule.default };
  if (items?.pattern === uuidPattern) return readUuids(names);
  const choices = items?.anyOf?.map((choice) => choice.const);
  if (!choices || names.every((name) => choices.includes(name))) return { value: names };
  return { problem: `it must be one or more of ${choices.map((choice) => `"${choice}"`).join(', ')}` };
}

function readUuids(texts: string[]): Reading {
  const ids = texts.map(readUuid);
  if (!ids.includes(undefined)) return { value: [...new Set(ids)] };
  return { problem: ids.length > 1 ? 'each value must be a UUID' : 'it must be a UUID' };
}

/** Bounds the header, whatever the client sends. */
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;
const OMITTED = '...';

/** The value of `X-Ignored-Parameters`; undefined if the endpoint takes all parameters. */
export function ignoredParameters({ properties }: Type.TObject, raw: RawQuery): string | undefined {
  let names: string[] | undefined;
  for (const name of raw.keys()) {
    if (name === '' || Object.hasOwn(properties, name)) continue;
    names ??= [];
    names.push(names.length < MAX_NAMES ? escapeName(name) : OMITTED);
    if (names.length > MAX_NAMES) break;
  }
  return names?.join(', ');
}

/** Percent-encodes everything that could end the name or the header. */
function escapeName(name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH + 1).toWellFormed();
  const escaped = encodeURIComponent(start).replaceAll('%5B', '[').replaceAll('%5D', ']');
  if (escaped.length <= MAX_NAME_LENGTH) return escaped;
  return escaped.slice(0, MAX_NAME_LENGTH).replace(/%.?$/, '') + OMITTED;
}
