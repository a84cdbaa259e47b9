/** Searches against JavaScript's RegExp on the same names, and the service under hostile patterns. */
import { fold } from '../src/catalogue/search/fold.ts';
import { parsePattern } from '../src/catalogue/search/pattern.ts';
import { compile } from '../src/catalogue/search/scan.ts';
import { measureHostileClients } from './hostile-clients.ts';
import { measureHostileSearches } from './hostile-searches.ts';
import { median } from './statistics.ts';

const SIZES = [10_000, 100_000];
const ROUNDS = 15;
/** Each pattern and the equivalent regular expression. */
const patterns: [string, RegExp][] = [
  ['%abc%', /^[\s\S]*abc[\s\S]*$/u],
  ['mar%', /^mar[\s\S]*$/u],
  ['%(miko|hana|rin)%', /^[\s\S]*(?:miko|hana|rin)[\s\S]*$/u],
  ['[aeiou]%[0-9]{2}', /^[aeiou][\s\S]*[0-9]{2}$/u],
  ['%?ma(-ri)?%?', /^[\s\S]*ma(?:-ri)?[\s\S]*$/u],
  ['_{5,9}', /^[\s\S]{5,9}$/u],
];

export async function run(): Promise<void> {
  compareWithRegExp();
  await measureHostileSearches();
  await measureHostileClients();
}

function compareWithRegExp(): void {
  for (const size of SIZES) {
    const names = Array.from({ length: size }, (_, index) => fold(generateName(index)));
    const mean = names.reduce((sum, name) => sum + name.length, 0) / size;
    console.log(`${size} names, ${mean.toFixed(1)} characters on average`);
    for (const [pattern, regularExpression] of patterns) {
      const ours: number[] = [];
      const theirs: number[] = [];
      let found = 0;
      for (let round = 0; round <= ROUNDS; round++) {
        // Compiled every time, as for a request.
        const startedAt = performance.now();
        const matcher = compile(parsePattern(pattern));
        found = names.filter((name) => matcher.matches(name)).length;
        const middle = performance.now();
        const expected = names.filter((name) => regularExpression.test(name)).length;
        const endedAt = performance.now();
        if (found !== expected) throw new Error(`${pattern}: ${found} found, ${expected} expected`);
        // The first round warms up.
        if (round > 0) ours.push(middle - startedAt);
        if (round > 0) theirs.push(endedAt - middle);
      }
      const [our, their] = [median(ours), median(theirs)];
      const times = `${our.toFixed(2)} ms, RegExp ${their.toFixed(2)} ms, ${found} found`;
      console.log(`  ${pattern.padEnd(20)} ratio ${(our / their).toFixed(2).padStart(5)}  (${times})`);
    }
  }
}

const syllables = [
  'ma',
  'ri',
  'ko',
  'ha',
  'na',
  'mi',
  'yu',
  'ki',
  'a',
  'be',
  'sa',
  'to',
  'rin',
  'Chi',
  'abc',
  'é',
  '-',
];

/** Syllables, about sixteen characters in all; always the same for the same number. */
function generateName(index: number): string {
  let [name, state] = ['', index + 1];
  for (let count = 0; count < 6; count++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    name += syllables[Math.floor(state / 65_536) % syllables.length];
  }
  return `${name} ${index % 1000}`;
}
