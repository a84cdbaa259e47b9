/**
 * Our matcher beside PostgreSQL's SIMILAR TO: generated patterns, each against the same names, must be errors in both or
 * match the same names. Left out are the exceptions that docs/search.md lists; each has a test of its own.
 */
import fc from 'fast-check';
import { parsePattern } from '../../../src/catalogue/search/pattern.ts';
import { compile } from '../../../src/catalogue/search/scan.ts';
import type { Postgres } from '../../support/postgres.ts';

const letters = ['a', 'b', 'c', 'é', '😀', 'か', '\n'];
const literals = [...letters, '.', '^', '$', '#', "'", '"', '-', '}', ']', ',', '1'];
const soup = [...letters, ...'%_|*+?{}()[]^-,.:12\\'];

const names = fc.sample(fc.array(fc.constantFrom(...letters), { maxLength: 8 }), { numRuns: 50, seed: 1 });
export const comparedNames = [
  ...new Set([
    ...names.map((characters) => characters.join('')),
    '',
    'a',
    'ab',
    'aab',
    '%',
    '_',
    '[',
    ']',
    '-',
    '(a)',
  ]),
];

const member = fc.oneof(
  fc.constantFrom(...letters, '%', '_', '.', '\\]', '\\-', '\\\\'),
  fc.constantFrom('a-c', 'a-b', 'b-é', 'c-a', 'a-a', '-', '^'),
);
const characterClass = fc
  .tuple(fc.constantFrom('', '^'), fc.constantFrom('', ']'), fc.array(member, { maxLength: 4 }))
  .map(([negation, bracket, members]) => `[${negation}${bracket}${members.join('')}]`);
const quantifier = fc
  .tuple(
    fc.constantFrom(
      '*',
      '+',
      '?',
      '{2}',
      '{0}',
      '{1,}',
      '{0,2}',
      '{2,3}',
      '{02}',
      '{3,1}',
      '{2',
      '{,2}',
      '{x}',
      '{255}',
      '{256}',
    ),
    fc.constantFrom('', '', '', '?'),
  )
  .map((parts) => parts.join(''));

/** 60% from the grammar, 40% soup. */
const { pattern: fromGrammar } = fc.letrec<{
  pattern: string;
  sequence: string;
  piece: string;
  atom: string;
}>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  sequence: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { weight: 3, arbitrary: tie('atom') },
    fc.tuple(tie('atom'), quantifier).map((parts) => parts.join('')),
  ),
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 5, arbitrary: fc.constantFrom(...literals) },
    { weight: 2, arbitrary: fc.constantFrom('%', '_') },
    { weight: 1, arbitrary: fc.constantFrom(...'%_|*+?{}()[]\\.').map((operator) => `\\${operator}`) },
    { weight: 2, arbitrary: characterClass },
    { weight: 2, arbitrary: tie('pattern').map((inner) => `(${inner})`) },
  ),
}));
const fromSoup = fc
  .array(fc.constantFrom(...soup), { maxLength: 12 })
  .map((characters) => characters.join(''));
const anyPattern = fc.oneof({ weight: 6, arbitrary: fromGrammar }, { weight: 4, arbitrary: fromSoup });

/** The listed exceptions. */
function isException(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\[%_|*+?{}()[\]\\.^-]/g, '!');
  return (
    [...pattern].length > 50 ||
    /\\/.test(plain) || // a backslash before something else, or at the end
    /%(\*|\+|\{\d)/.test(plain) || // a repeated %
    opensAfterClosingTooOften(plain) ||
    pattern.match(/[\n -@]-\\?[[-\uffff]/) !== null || // a range over A to Z: PostgreSQL minds case there
    /\[[^\]]*\[/.test(plain) || // a [ inside of a class, or one that is never closed
    /\[\^?\][^\]]*\[/.test(plain)
  );
}

/** PostgreSQL puts the pattern between parentheses of its own, so ")(" balances there. */
function opensAfterClosingTooOften(plain: string): boolean {
  let depth = 0;
  for (const [index, character] of [...plain].entries()) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0) return plain.includes('(', index);
  }
  return false;
}

export function generatePatterns(count: number, seed: number): string[] {
  return fc.sample(
    anyPattern.filter((pattern) => !isException(pattern)),
    { numRuns: count, seed },
  );
}

/** A string of 0 and 1 for the names, or "error". */
export function ourAnswer(pattern: string): string {
  const longest = Math.max(...comparedNames.map((name) => name.length));
  try {
    const matcher = compile(parsePattern(pattern), longest);
    return comparedNames.map((name) => (matcher.matches(name) ? 1 : 0)).join('');
  } catch {
    return 'error';
  }
}

export function theirAnswers(postgres: Postgres, patterns: string[]): string[] {
  const json = (value: unknown) => `$zukan$${JSON.stringify(value)}$zukan$::json`;
  const output = postgres.query(`
    set standard_conforming_strings = on;
    create or replace function pg_temp.answer(pattern text, names text[]) returns text language plpgsql as $$
    begin
      return (select string_agg((name similar to pattern)::int::text, '' order by place)
              from unnest(names) with ordinality as named(name, place));
    exception when others then return case when sqlerrm like '%too complex%' then 'too complex' else 'error' end;
    end $$;
    with names as (select array_agg(value order by ordinality) as list
                   from json_array_elements_text(${json(comparedNames)}) with ordinality)
    select pg_temp.answer(value, list)
    from json_array_elements_text(${json(patterns)}) with ordinality, names order by ordinality;`);
  return output.trim().split('\n');
}

export interface Difference {
  pattern: string;
  ours: string;
  theirs: string;
}

export function differences(postgres: Postgres, patterns: string[]): Difference[] {
  const theirs = theirAnswers(postgres, patterns);
  return (
    patterns
      .map((pattern, index) => ({ pattern, ours: ourAnswer(pattern), theirs: theirs[index] ?? 'no answer' }))
      // What PostgreSQL gives up on (nested {255}) is no reference.
      .filter(({ ours, theirs }) => ours !== theirs && theirs !== 'too complex')
  );
}
