/** The work of the matcher is linear in the length of a name, whatever the pattern. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PatternError, parsePattern } from '../../../src/catalogue/search/pattern.ts';
import { Automaton, buildPositions, compile } from '../../../src/catalogue/search/scan.ts';
import { hostileName, hostilePatterns } from './hostile-patterns.ts';

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
