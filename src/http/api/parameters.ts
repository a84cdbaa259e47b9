/** Query parameters by their schemas: text to checked values, and every mistake told. */
import Type from 'typebox';
import { Orientation, Rating, uuidPattern } from '../../schemas.ts';
import { ApiError } from '../server/errors.ts';
import type { RawQuery } from '../server/query-string.ts';

export const limit = Type.Integer({
  minimum: 1,
  maximum: 25,
  default: 10,
  description: 'How many records to return.',
});
export const offset = Type.Integer({ minimum: 0, default: 0, description: 'How many records to skip.' });
export const expiry = Type.Optional(
  Type.Integer({
    minimum: 31,
    description: 'How many seconds the links stay valid. Needs a token with the scope image:custom-expiry.',
  }),
);
export const search = Type.Optional(
  Type.String({ maxLength: 50, title: 'search query', description: 'A pattern that the name must match.' }),
);
const recordId = (description: string) => Type.Optional(Type.String({ pattern: uuidPattern, description }));

export const categories = Type.Array(Type.String(), {
  default: [],
  description: 'Names of categories, separated by commas: only images that are in all of them.',
});
export const match = Type.Union([Type.Literal('all'), Type.Literal('any')], {
  default: 'all',
  description: 'Whether images are in all of the `categories`, or in any of them.',
});
export const exclude = Type.Array(Type.String(), {
  default: [],
  description: 'Names of categories, separated by commas: only images that are in none of them.',
});
export const nsfw = Type.Optional(
  Type.Array(Rating, { description: 'Ratings, separated by commas: only images with one of them.' }),
);
export const orientation = Type.Optional(
  Type.Array(Orientation, {
    description: 'Orientations, separated by commas: only images with one of them.',
  }),
);
export const artist = recordId('The id of an artist: only images by this artist.');
export const character = recordId('The id of a character: only images that show this character.');
export const seed = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Any text: the same text gives the same images in the same order.',
  }),
);
export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'What `X-Next-Cursor` said in the answer before, to go on from there. Goes with the same `seed` and filters.',
  }),
);

/** A query of these parameters. A parameter that the schema does not know is ignored: bots append all kinds. */
export function readQuery<Schema extends Type.TObject>(schema: Schema, raw: RawQuery): Type.Static<Schema> {
  const problems: string[] = [];
  const query: Record<string, unknown> = {};
  for (const name in schema.properties) {
    const rule = schema.properties[name] as Rule;
    const { value, problem } = readParameter(rule, raw.get(name));
    if (problem) problems.push(`Invalid ${rule.title ?? name}: ${problem}.`);
    if (value !== undefined) query[name] = value;
  }
  if (problems.length > 0) throw new ApiError(400, problems.join(' '));
  return query as Type.Static<Schema>;
}

/** The part of a schema that matters here. */
interface Rule {
  type?: string;
  title?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  /** Of an array. */
  items?: Rule;
  /** The texts to choose from. */
  anyOf?: { const: string }[];
}

interface Reading {
  value?: unknown;
  problem?: string;
}

function readParameter(rule: Rule, given: string | string[] | undefined): Reading {
  if (given === undefined) return { value: rule.default };
  if (rule.type === 'array') return readList(rule, given);
  if (typeof given !== 'string') return { problem: 'it may be given only once' };
  if (rule.anyOf) return readChoice(rule.anyOf, given);
  return rule.type === 'integer' ? readInteger(rule, given) : readText(rule, given);
}

function readInteger({ minimum = 0, maximum }: Rule, text: string): Reading {
  const value = /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : Number.NaN;
  if (value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER)) return { value };
  const range = maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  return { problem: `it must be a whole number ${range}` };
}

const uuid = new RegExp(uuidPattern);

/** As ids are stored; undefined where it is none. */
export function readUuid(text: string): string | undefined {
  return uuid.test(text) ? text.toLowerCase() : undefined;
}

/** An empty text is no text, unless there must be one. Its length counts code points. */
function readText({ minLength = 0, maxLength, pattern }: Rule, text: string): Reading {
  if (pattern === uuidPattern) {
    const value = readUuid(text);
    return value === undefined ? { problem: 'it must be a UUID' } : { value };
  }
  if (text === '') return minLength > 0 ? { problem: 'it must not be empty' } : {};
  if (maxLength === undefined || [...text].length <= maxLength) return { value: text };
  return { problem: `it may have at most ${maxLength} characters` };
}

function readChoice(choices: { const: string }[], text: string): Reading {
  if (choices.some((choice) => choice.const === text)) return { value: text };
  return { problem: `it must be ${choices.map((choice) => `"${choice.const}"`).join(' or ')}` };
}

/** Who chooses must choose something: a rating left empty by mistake must not mean any rating. */
function readList({ items }: Rule, given: string | string[]): Reading {
  const names = readNames(given);
  const choices = items?.anyOf?.map((choice) => choice.const);
  if (!choices || (names.length > 0 && names.every((name) => choices.includes(name))))
    return { value: names };
  return { problem: `it must be one or more of ${choices.map((choice) => `"${choice}"`).join(', ')}` };
}

function readNames(given: string | string[]): string[] {
  const names = [given]
    .flat()
    .flatMap((text) => text.split(','))
    .map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}
