/** Random images with filters and seeds, relative to random images without, with small and large catalogues. */
import { parseArgs } from 'node:util';
import type { Rounds } from './baseline.ts';
import { CONNECTIONS, loaderName, measure } from './load.ts';
import { median, spread } from './statistics.ts';
import { openFolder, type StartedStore, startStore, stores } from './stores.ts';

const UNFILTERED = 'no filter';
const SEEDS = 1000;

/** Query strings by title. Half of the generated images are in category `a`, half in `b`, and about half are landscape. */
const queriesByTitle = (character: string): Record<string, string[]> => ({
  [UNFILTERED]: [''],
  'category and orientation, half each': ['categories=a&orientation=landscape'],
  'excluded category and orientation, half each': ['exclude=a&orientation=landscape'],
  'either of two categories, half each': ['categories=a,b&match=any'],
  'two of three ratings': ['nsfw=sfw,questionable'],
  'character, 1 in 1000': [`character=${character}`],
  'four filters, 1 in 1000': ['categories=category+8,a,b&nsfw=nsfw'],
  'two excluded categories, 1 in 1000': ['categories=category+8&exclude=a,b&nsfw=nsfw'],
  seed: Array.from({ length: SEEDS }, (_, index) => `seed=${index}`),
  'seed and two categories': Array.from({ length: SEEDS }, (_, index) => `categories=a,b&seed=${index}`),
});

export const usage = `Usage: npm run bench -- filters [options]
  --size <images>      catalogue sizes, comma-separated (10000,1000000)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --rounds <n>         measurements per filter (5)
  --seconds <n>        duration of a measurement (3)
  --keep <folder>      keep the generated catalogues there and reuse them`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      size: { type: 'string', default: '10000,1000000' },
      store: { type: 'string', default: 'sqlite' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      keep: { type: 'string' },
    },
  });
  if (!stores.includes(values.store)) throw new Error(`unknown store: ${values.store}\n${usage}`);
  await using folder = await openFolder(values.keep);
  const rounds = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  console.log(
    `${loaderName}, ${CONNECTIONS} connections, ${rounds.rounds} rounds of ${rounds.seconds} s, ${values.store}`,
  );
  for (const size of values.size.split(',').map(Number)) {
    await using store = await startStore(values.store, folder.path, size);
    console.log(`\nrandom, limit 10, ${size} images`);
    await measureFilters(store, rounds);
    console.log(`  resident memory after the run: ${store.memory()} MB`);
  }
}

/** Each round measures every filter once. Ratios are relative to the unfiltered rate of the same round. */
async function measureFilters({ origin }: StartedStore, { rounds, seconds }: Rounds) {
  const targets = Object.entries(queriesByTitle(await firstCharacter(origin)));
  const ratesByTitle = new Map(targets.map(([title]) => [title, [] as number[]]));
  for (let round = 0; round <= rounds; round++)
    for (const [title, queries] of targets) {
      const paths = queries.map((query) => `/api/image/random?limit=10&${query}`);
      const { rate } = await measure({ origin, paths, headers: {}, status: 200 }, seconds);
      // The first round warms up.
      if (round > 0) ratesByTitle.get(title)?.push(rate);
    }
  const unfiltered = ratesByTitle.get(UNFILTERED) ?? [];
  for (const [title, rates] of ratesByTitle) {
    const ratios = rates.map((rate, round) => rate / (unfiltered[round] ?? Number.NaN));
    const range = spread(ratios, (ratio) => ratio.toFixed(2));
    console.log(
      `  ${title.padEnd(44)} ${median(ratios).toFixed(2)} (${range})  ${Math.round(median(rates))}/s`,
    );
  }
}

async function firstCharacter(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/character?limit=1`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}
