/** Makes values of parameters, valid ones by their schemas. */
import { uuidPattern } from '../src/catalogue/schemas.ts';
import { uuid } from '../test/support/catalogues/catalogue.ts';
import * as hostile from './hostile.ts';
import type { Random } from './random.ts';

/** What exists in the catalogue. */
export interface Facts {
  categories: readonly string[];
  /** How many ids of each kind there are, by the first segment of their paths. */
  counts: Record<string, { kind: number; count: number }>;
  /** Valid, expired and unknown ones. */
  authorizations: readonly string[];
}

/** What earlier responses on the same connection contained. */
export interface Seen {
  links: string[];
  cursors: string[];
  eTags: string[];
}

export function pathId(random: Random, { counts }: Facts, kind: string): string {
  const known = counts[kind];
  if (!known || random.chance(0.1)) return random.pick(hostile.ids);
  const id = uuid(known.kind, 1 + random.below(known.count + 2));
  return random.chance(0.05) ? id.toUpperCase() : id;
}

/** The parts of a schema that a value depends on. */
export interface Rule {
  type?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Rule;
  anyOf?: { const: string }[];
  examples?: unknown[];
}

export function validValue(random: Random, facts: Facts, seen: Seen, name: string, rule: Rule): string {
  if (rule.type === 'array') {
    const count = random.chance(0.02) ? 100 : 1 + random.below(3);
    const items = rule.items ?? {};
    return Array.from({ length: count }, () => validValue(random, facts, seen, name, items)).join();
  }
  if (rule.anyOf) return random.pick(rule.anyOf).const;
  if (rule.type === 'integer') return String(validInteger(random, rule));
  if (rule.type === 'boolean') return String(random.chance(0.5));
  if (rule.pattern === uuidPattern) return pathId(random, facts, name === 'excludeArtist' ? 'artist' : name);
  if (name === 'aspectRatio') return `${1 + random.below(20)}:${1 + random.below(20)}`;
  if (name === 'search') return hostile.pattern(random);
  if (name === 'cursor' && seen.cursors.length > 0) return random.pick(seen.cursors);
  if (name === 'categories' || name === 'exclude') return random.pick(facts.categories);
  return String(rule.examples?.[0] ?? random.pick(['x', 'é', 'a b']));
}

function validInteger(random: Random, { minimum = 0, maximum = minimum + 10_000 }: Rule): number {
  return random.pick([minimum, maximum, minimum + random.below(maximum - minimum + 1)]);
}

/** Lists have several encodings. */
export function encodePair(random: Random, name: string, value: string, { type }: Rule): string[] {
  const encoded = random.chance(0.9) ? encodeText(value) : rawValue(value);
  if (type !== 'array' || random.chance(0.6))
    return [`${name}=${encoded}`, ...(random.chance(0.01) ? [`${name}=1`] : [])];
  const values = value.split(',').map((text) => encodeText(text));
  const key = random.pick([() => name, () => `${name}[]`, (index: number) => `${name}%5B${index}%5D`]);
  return values.map((text, index) => `${key(index)}=${text}`);
}

export function junk(random: Random): string {
  const value = rawValue(random.pick(hostile.texts));
  return random.pick([
    value,
    `=${value}`,
    `x=${value}`,
    '&&&',
    '=',
    '_=1',
    `${value}=${value}`,
    `__proto__[x]=${value}`,
  ]);
}

/** encodeURIComponent throws on a lone surrogate. */
export const encodeText = (text: string) => encodeURIComponent(text.toWellFormed());
/** Not escaped, except for what would end the request line. */
const rawValue = (text: string) =>
  Buffer.from(text.replaceAll(/[^\x21-\x7e\x80-\uffff]/g, '%20')).toString('latin1');
