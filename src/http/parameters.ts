/** Query parameters by their schemas: text to checked values, and every mistake told. */
import Type from 'typebox';
import { ApiError } from './errors.ts';
import type { RawQuery } from './query.ts';

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
export const categories = Type.Array(Type.String(), {
  default: [],
  description: 'Names of categories, separated by commas: only images that are in all of them.',
});

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
  maxLength?: number;
}

interface Reading {
  value?: unknown;
  problem?: string;
}

function readParameter(rule: Rule, given: string | string[] | undefined): Reading {
  if (given === undefined) return { value: rule.default };
  if (rule.type === 'array') return { value: readNames(given) };
  if (typeof given !== 'string') return { problem: 'it may be given only once' };
  return rule.type === 'integer' ? readInteger(rule, given) : readText(rule, given);
}

function readInteger({ minimum = 0, maximum }: Rule, text: string): Reading {
  const value = /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : Number.NaN;
  if (value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER)) return { value };
  const range = maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  return { problem: `it must be a whole number ${range}` };
}

/** An empty text is no text. Its length counts code points. */
function readText({ maxLength = Number.POSITIVE_INFINITY }: Rule, text: string): Reading {
  if (text === '') return {};
  return [...text].length > maxLength
    ? { problem: `it may have at most ${maxLength} characters` }
    : { value: text };
}

function readNames(given: string | string[]): string[] {
  const names = [given]
    .flat()
    .flatMap((text) => text.split(','))
    .map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}
