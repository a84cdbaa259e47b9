/** The pattern language, and what matching and scanning cost. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../../src/catalogue/names.ts';
import { PatternError, parsePattern } from '../../../src/catalogue/search/pattern.ts';
import {
  Automaton,
  buildPositions,
  compile,
  type NameList,
  SearchTooLong,
  scan,
} from '../../../src/catalogue/search/scan.ts';
import { hostileName, hostilePatterns } from './hostile-patterns.ts';

const matches = (pattern: string, name: string) => compile(parsePattern(pattern), 255).matches(fold(name));

describe('the documented examples', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/search.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| `/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
  const codes = (cell = '') => [...cell.matchAll(/`([^`]*)`/g)].map((match) => match[1] as string);
  const examples = rows.filter((cells) => cells.length === 6);

  test('are found in docs/search.md', () => assert.ok(examples.length >= 16, `${examples.length}`));
  for (const [, pattern = '', , right, wrong] of examples) {
    test(pattern, () => {
      const [text = ''] = codes(pattern);
      assert.ok(codes(right).length > 0 && codes(wrong).length > 0);
      for (const name of codes(right)) assert.equal(matches(text, name), true, `${text} matches ${name}`);
      for (const name of codes(wrong))
        assert.equal(matches(text, name), false, `${text} does not match ${name}`);
    });
  }
});

describe('the exceptions from SIMILAR TO', () => {
  const cases: [string, string, boolean][] = [
    ['\\d', 'd', true],
    ['\\d', '1', false],
    ['\\w\\é\\😀', 'wé😀', true],
    ['%*', 'anything', true],
    ['%+', '', true],
    ['%{2}x', 'x', true],
    ['%{0}', 'x', true],
    ['[[]%', '[abc', true],
    ['[[]%', '%', false],
    ['[a[]%x', '[yx', true],
    ['[A-Z]', 'q', true],
    ['[%-_]', 'q', true],
    ['[^A-Z]', 'q', false],
    ['[[:alpha:]]', 'か', true],
    ['[[:upper:]][[:lower:]]', 'aA', true],
    ['[[:lower:]]', 'か', false],
    ['[[:punct:]][[:space:]]', '。\u3000', true],
    ['[[:xdigit:]]+', 'BEEF', true],
  ];
  for (const [pattern, name, expected] of cases) {
    test(`${pattern} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(name)}`, () => {
      assert.equal(matches(pattern, name), expected);
    });
  }
});

describe('Unicode', () => {
  const cases: [string, string, boolean][] = [
    ['É%', 'école', true],
    ['é%', 'ÉCOLE', true],
    ['stra_e', 'Straße', true],
    ['strasse', 'Straße', false],
    ['STRAẞE', 'straße', true],
    ['İ', 'i', false],
    ['İ', 'İ', true],
    ['ı', 'I', false],
    ['ı', 'ı', true],
    ['ΟΔΟΣ', 'οδος', true],
    ['οδοσ', 'οδος', true],
    ['[α-ω]+', 'ΣΟΦΊΑΣ'.replace('Ί', 'Ι'), true],
    ['か_で', 'かえで', true],
    ['カ%', 'かえで', false],
    ['_', '😀', true],
    ['__', '😀', false],
    ['[😀-😂]', '😁', true],
    ['_', 'e\u0301', false],
    ['__', 'e\u0301', true],
    ['\u212a', 'k', true],
    ['[a-z]', '\u212a', true],
    ['%', 'a\nb', true],
    ['a_b', 'a\nb', true],
    ['𐐀', '𐐨', true],
  ];
  for (const [pattern, name, expected] of cases) {
    test(`${pattern} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(name)}`, () => {
      assert.equal(matches(pattern, name), expected);
    });
  }
});

test('matches any name when all its characters, or just its operators, are escaped', () => {
  const operators = fc.constantFrom(...'%_|*+?{}()[]^-\\.:,$"\'#aÉß😀か ');
  fc.assert(
    fc.property(fc.array(operators, { minLength: 1, maxLength: 25 }), (characters) => {
      const name = characters.join('');
      assert.ok(matches(characters.map((character) => `\\${character}`).join(''), name));
      assert.ok(matches(name.replaceAll(/[%_|*+?{}()[\]\\]/g, '\\$&'), name));
    }),
    { seed: 5, numRuns: 2000 },
  );
});

const mistakes: [string, string][] = [
  ['*', 'nothing to repeat before "*" at character 1'],
  ['a|+b', 'nothing to repeat before "+" at character 3'],
  ['(?:a)', 'nothing to repeat before "?" at character 2'],
  ['😀{2}{3}', 'unexpected second quantifier "{" at character 5'],
  ['a**', 'unexpected second quantifier "*" at character 3'],
  ['a+??', 'unexpected second quantifier "?" at character 4'],
  ['%??', 'unexpected second quantifier "?" at character 3'],
  ['a{2', 'malformed repetition (use {2}, {2,} or {2,4}) at character 2'],
  ['a{2x}', 'malformed repetition (use {2}, {2,} or {2,4}) at character 2'],
  ['a{2,x}', 'expected a number at character 5'],
  ['a{2,1}', 'minimum exceeds maximum in {2,1} at character 2'],
  ['a{256}', 'repetition count above 255 at character 3'],
  ['éa(b', 'unterminated group at character 3'],
  ['a)(b', 'unmatched ")" at character 2'],
  ['a[bc', 'unterminated character class at character 2'],
  ['[]', 'unterminated character class at character 1'],
  ['[^]', 'unterminated character class at character 1'],
  ['[z-a]', 'range out of order at character 2'],
  ['[a-c-e]', 'range without a start at character 5'],
  ['[a-[:alpha:]]', 'a named class cannot end a range at character 4'],
  ['[[:foo:]]', 'unknown class [:foo:] at character 2'],
  ['[[:<:]]', 'unknown class [:<:] at character 2'],
  ['[[.a.]]', 'unknown class [.a.] at character 2'],
  ['[[=a=]]', 'unknown class [=a=] at character 2'],
  ['[[:alpha', 'unterminated "[:" at character 2'],
  ['a\\', 'incomplete escape at character 2'],
  ['[a\\', 'incomplete escape at character 3'],
  ['a\0', 'NUL is not allowed at character 2'],
];
for (const [pattern, message] of mistakes) {
  test(`reports ${JSON.stringify(pattern)}: ${message}`, () => {
    assert.throws(
      () => parsePattern(pattern),
      (error) => error instanceof PatternError && error.message === message,
    );
  });
}

test('rejects a pattern that is too large when expanded, unless names are short', () => {
  assert.throws(() => compile(parsePattern('(_?){255}(_?){255}x'), 255), PatternError);
  assert.ok(compile(parsePattern('(_?){255}(_?){255}x'), 20).matches('aax'));
});

test('trimming a pattern to the longest name does not change what matches', () => {
  const patterns = [
    'a{3,}',
    '(ab){2,9}',
    '(a?b?){9}',
    '((a|bb){2,3}){2}',
    'a{0}b',
    '(){9}a',
    '(a{9}|b)c',
    '%a{7}',
  ];
  const names = fc.sample(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 }), {
    numRuns: 300,
    seed: 2,
  });
  for (const pattern of patterns) {
    const [trimmed, untrimmed] = [6, 60].map((maxLength) => compile(parsePattern(pattern), maxLength));
    for (const name of names)
      assert.equal(trimmed?.matches(name), untrimmed?.matches(name), `${pattern} ${name}`);
  }
});

// The work of the matcher is linear in the length of a name, whatever the pattern.

/** The worst case for one character: classifying it and building a state of 256 positions. */
const MAX_WORK_PER_CHARACTER = 2500;
/** Too large when expanded, for names of these lengths. */
const rejected: Record<number, string[]> = {
  16: ['((((_?){9}){9}){9}){9}x'],
  255: ['(_?){255}(_?){255}x', '(a?){255}a{255}', '((((_?){9}){9}){9}){9}x'],
};

for (const length of [16, 255]) {
  describe(`names of ${length} characters`, () => {
    const names = Array.from({ length: 100 }, (_, number) => hostileName(number, length));

    for (const pattern of hostilePatterns) {
      if (rejected[length]?.includes(pattern)) {
        test(`${pattern} is rejected`, () => {
          assert.throws(() => compile(parsePattern(pattern), length), PatternError);
        });
        continue;
      }
      test(`${pattern} takes linear time`, () => {
        const matcher = compile(parsePattern(pattern), length);
        for (const name of names) {
          const before = matcher.work;
          matcher.matches(name);
          const work = matcher.work - before;
          assert.ok(work <= MAX_WORK_PER_CHARACTER * length, `${work} for ${name}`);
        }
      });
    }
  });
}

test('counts one unit of work per character once the states are cached', () => {
  const automaton = new Automaton(buildPositions(parsePattern('%a%a%a%a%a%a%a%b')));
  const name = hostileName(1, 255);
  automaton.matches(name);
  const before = automaton.work;
  automaton.matches(name);
  assert.equal(automaton.work - before, name.length);
});

test('matches correctly when there are more states than it caches', () => {
  // The DFA has a state for each subset of the last 13 characters that are an "a": 8192 in all.
  const matcher = compile(parsePattern('%a_{12}'), 60);
  for (let number = 0; number < 2000; number++) {
    const name = hostileName(number, 60);
    assert.equal(matcher.matches(name), /a.{12}$/u.test(name), name);
  }
});

// A scan counts its work, pauses when it is told to, and gives up when it has used its budget.

const hostile = parsePattern('%a%_{30}b%a_{20}b%');

function listOf(count: number, length: number): NameList {
  const distinct = Array.from({ length: 100 }, (_, number) => hostileName(number, length));
  const folded = Array.from({ length: count }, (_, index) => distinct[index % distinct.length] as string);
  return { kind: 'artist', version: 1, folded, aliases: new Map() };
}

/** Records the work of each step. */
function recordSteps(pause?: () => Promise<void>) {
  const steps: number[] = [];
  const spend = (work: number) => {
    steps.push(work);
    return pause?.();
  };
  return { steps, spend, total: () => steps.reduce((sum, work) => sum + work, 0) };
}

test('returns the positions of the matching names in order', async () => {
  const names: NameList = {
    kind: 'artist',
    version: 1,
    folded: ['mari', 'abe', 'maki', 'ama'],
    aliases: new Map([['mary', [0]]]),
  };
  assert.deepEqual(await scan(parsePattern('ma%'), names, recordSteps().spend), [0, 2]);
  assert.deepEqual(await scan(parsePattern('Mary'), names, recordSteps().spend), [0]);
  assert.deepEqual(await scan(parsePattern('mary%'), names, recordSteps().spend), []);
});

test('reports its work in small steps', async () => {
  const { steps, spend } = recordSteps();
  await scan(hostile, listOf(3000, 60), spend);
  assert.ok(steps.length > 5, `${steps.length} steps`);
  for (const work of steps) assert.ok(work >= 20_000 && work < 200_000, `${work} in a step`);
});

test('waits while it is paused', async () => {
  const resume: (() => void)[] = [];
  const { steps, spend } = recordSteps(() => new Promise((resolve) => resume.push(resolve)));
  const scanning = scan(hostile, listOf(3000, 60), spend);
  await new Promise(setImmediate);
  assert.equal(steps.length, 1);
  resume.pop()?.();
  await new Promise(setImmediate);
  assert.equal(steps.length, 2);
  let isDone = false;
  scanning.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    resume.pop()?.();
    await new Promise(setImmediate);
  }
});

test('gives up after the same work every time', async () => {
  const totals: number[] = [];
  for (let round = 0; round < 2; round++) {
    const { spend, total } = recordSteps();
    const names = listOf(100_000, 255);
    await assert.rejects(scan(parsePattern('%[ab]_{200}'), names, spend), SearchTooLong);
    totals.push(total());
  }
  assert.equal(totals[0], totals[1]);
  assert.ok((totals[0] as number) > 14_000_000 && (totals[0] as number) <= 15_000_000, `${totals[0]}`);
});

for (const pattern of ['%abc%', 'mar%', '%z', 'mariko', '%a%e%i%', '%', '%zz%(a|b)%'])
  test(`${pattern} is cheap, however many names there are`, async () => {
    const { spend, total } = recordSteps();
    await scan(parsePattern(pattern), listOf(100_000, 16), spend);
    assert.ok(total() < 1_500_000, `${total()}`);
  });
