/** Random images as wanted, beside any random images: filters and seeds, on small and on large catalogues, told as ratios. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONNECTIONS } from './compare.ts';
import { load, loaderName } from './load.ts';
import { median } from './statistics.ts';
import { type StartedStore, startStore, stores } from './stores.ts';

const PLAIN = 'any';
const SEEDS = 1000;

/** What is asked for in turn. Of made-up images, half are in each of `a` and `b`, and about half lie. */
const wishes = (character: string): Record<string, string[]> => ({
  [PLAIN]: [''],
  'a category and an orientation, half each': ['categories=a&orientation=landscape'],
  'one left out and an orientation, half each': ['exclude=a&orientation=landscape'],
  'one of two categories, half each': ['categories=a,b&match=any'],
  'two of three ratings': ['nsfw=sfw,questionable'],
  'a character, one in a thousand': [`character=${character}`],
  'four filters, one in a thousand': ['categories=category+7,a,b&nsfw=nsfw'],
  'two left out of two, one in a thousand': ['categories=category+7&exclude=a,b&nsfw=nsfw'],
  'a seed': Array.from({ length: SEEDS }, (_, index) => `seed=${index}`),
  'a seed and two halves': Array.from({ length: SEEDS }, (_, index) => `categories=a,b&seed=${index}`),
});

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
  if (!stores.includes(values.store)) throw new Error(`there is no store ${values.store}`);
  if (values.keep) await mkdir(values.keep, { recursive: true });
  const folder = values.keep ?? (await mkdtemp(join(tmpdir(), 'zukan-bench-')));
  const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  console.log(
    `${loaderName}, ${CONNECTIONS} connections, ${turns.rounds} rounds of ${turns.seconds} s, ${values.store}`,
  );
  try {
    for (const size of values.size.split(',').map(Number)) {
      await using store = await startStore(values.store, folder, size);
      console.log(`\n${size} images, ten at random`);
      await compare(store, turns);
      console.log(`  resident memory after the run: ${store.memory()} MB`);
    }
  } finally {
    if (!values.keep) await rm(folder, { recursive: true });
  }
}

/** All of them in turn, a round after the other, and each beside the plain one of its round. */
async function compare({ origin }: StartedStore, turns: { rounds: number; seconds: number }) {
  const targets = Object.entries(wishes(await someCharacter(origin)));
  const rates = new Map(targets.map(([title]) => [title, [] as number[]]));
  for (let round = 0; round <= turns.rounds; round++)
    for (const [title, queries] of targets) {
      const paths = queries.map((query) => `/api/image/random?limit=10&${query}`);
      const measured = await load({ origin, paths, headers: {}, connections: CONNECTIONS, ...turns });
      if (measured.refused > 0) throw new Error(`${measured.refused} calls were refused: ${paths[0]}`);
      // The first round warms up.
      if (round > 0) rates.get(title)?.push(measured.rate);
    }
  const plain = rates.get(PLAIN) ?? [];
  for (const [title, all] of rates) {
    const ratios = all.map((rate, round) => rate / (plain[round] ?? Number.NaN));
    const spread = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
    console.log(
      `  ${title.padEnd(44)} ${median(ratios).toFixed(2)} (${spread})  ${Math.round(median(all))}/s`,
    );
  }
}

async function someCharacter(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/api/character?limit=1`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}
