/** Parses and validates query parameters against their schemas. */

import { uuidPattern } from '../catalogue/schemas.ts';
import { ApiError } from '../http/errors.ts';
import type { RawQuery } from '../http/query-string.ts';
import type * as Type from '../lib/json-schema.ts';
import type { QueryOf } from './endpoint.ts';

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
