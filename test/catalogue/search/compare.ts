/**
 * Compares our matcher with PostgreSQL's SIMILAR TO. A generated pattern must be an error in both or match the same names.
 * The exceptions listed in docs/search.md are not generated; pattern.test.ts covers them.
 */
import fc from 'fast-check';
import { parsePattern } from '../../../src/catalogue/search/pattern.ts';
import { compile } from '../../../src/catalogue/search/scan.ts';
import type { Postgres } from '../../support/servers/postgres.ts';

const letters = ['a', 'b', 'c', 'é', '😀', 'か', '\n'];
const literals = [...letters, '.', '^', '$', '#', "'", '"', '-', '}', ']', ',', '1'];
const codePoints = [...letters, ...'%_|*+?{}()[]^-,.:12\\'];

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
const fromRandomCharacters = fc
  .array(fc.constantFrom(...codePoints), { maxLength: 12 })
  .map((characters) => characters.join(''));
const anyPattern = fc.oneof(
  { weight: 6, arbitrary: fromGrammar },
  { weight: 4, arbitrary: fromRandomCharacters },
);

/** Whether the pattern is one of the exceptions in docs/search.md. */
function isException(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\[%_|*+?{}()[\]\\.^-]/g, '!');
  return (
    [...pattern].length > 50 ||
    /\\/.test(plain) || // a backslash before something else, or at the end
    /%(\*|\+|\{\d)/.test(plain) || // a repeated %
    reopensAfterUnmatchedClose(plain) ||
    pattern.match(/[\n -@]-\\?[[-\uffff]/) !== null || // a range over A to Z, which is case-sensitive in PostgreSQL
    /\[[^\]]*\[/.test(plain) || // a [ inside of a class, or an unterminated one
    /\[\^?\][^\]]*\[/.test(plain)
  );
}

/** PostgreSQL wraps the pattern in parentheses, so ")(" is balanced there. */
function reopensAfterUnmatchedClose(plain: string): boolean {
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

/** A string with 0 or 1 for each compared name, or "error". */
export function ourResult(pattern: string): string {
  const maxLength = Math.max(...comparedNames.map((name) => name.length));
  try {
    const matcher = compile(parsePattern(pattern), maxLength);
    return comparedNames.map((name) => (matcher.matches(name) ? 1 : 0)).join('');
  } catch {
    return 'error';
  }
}

/** The results of PostgreSQL, in the same form. */
export function postgresResults(postgres: Postgres, patterns: string[]): string[] {
  const json = (value: unknown) => `$zukan$${JSON.stringify(value)}$zukan$::json`;
  const output = postgres.query(`
    set standard_conforming_strings = on;
    create or replace function pg_temp.result(pattern text, names text[]) returns text language plpgsql as $$
    begin
      return (select string_agg((name similar to pattern)::int::text, '' order by position)
              from unnest(names) with ordinality as named(name, position));
    exception when others then return case when sqlerrm like '%too complex%' then 'too complex' else 'error' end;
    end $$;
    with names as (select array_agg(value order by ordinality) as list
                   from json_array_elements_text(${json(comparedNames)}) with ordinality)
    select pg_temp.result(value, list)
    from json_array_elements_text(${json(patterns)}) with ordinality, names order by ordinality;`);
  return output.trim().split('\n');
}

export interface Difference {
  pattern: string;
  ours: string;
  theirs: string;
}

export function differences(postgres: Postgres, patterns: string[]): Difference[] {
  const theirs = postgresResults(postgres, patterns);
  return (
    patterns
      .map((pattern, index) => ({ pattern, ours: ourResult(pattern), theirs: theirs[index] ?? 'no result' }))
      // PostgreSQL rejects some patterns as too complex (nested {255}).
      .filter(({ ours, theirs }) => ours !== theirs && theirs !== 'too complex')
  );
}
