/**
 * CPU time of catalogue calls with each filter, in catalogues of several sizes. Each round alternates between the filters and no
 * filter, and CPU time counts instead of elapsed time, so a busy machine hardly matters. PostgreSQL's own processes are not
 * included.
 */
import { parseArgs } from 'node:util';
import type { Catalogue, Filter } from '../src/catalogue/catalogue.ts';
import { readConfig } from '../src/config/config.ts';
import { secureRandomInt } from '../src/lib/random.ts';
import { openStore } from '../src/server/engines.ts';
import type { Store } from '../src/store/session.ts';
import { caller } from '../test/support/zukan/caller.ts';
import { type Environment, runCommand } from './process.ts';
import { measureInTurn, median } from './statistics.ts';
import { checkStore, openCatalogue, openFolder, stores } from './stores.ts';

const [ROUNDS, SEARCH_ROUNDS] = [7, 4];
const CALLS = 200;

interface Ids {
  artists: string[];
  characters: string[];
}

/** Generated images are 600 to 1599 pixels wide and high, and one in 20 is an animation. */
const filtersByTitle = ({ artists, characters }: Ids): Record<string, Filter> => ({
  'no filter': {},
  animated: { animated: true },
  'not animated': { animated: false },
  'minWidth, 4 in 10': { minWidth: 1200 },
  'minWidth, 1 in 100': { minWidth: 1590 },
  'aspectRatio, 1 in 50': { aspectRatio: '16:9' },
  'minWidth, minHeight and aspectRatio': { minWidth: 1000, minHeight: 700, aspectRatio: '4:3' },
  'two artists': { artist: artists },
  'two artists and minWidth': { artist: artists, minWidth: 1200 },
  'two artists excluded': { excludeArtist: artists },
  'two characters': { character: characters },
  'category, rating, minWidth, not animated': {
    ...{ categories: ['a'], nsfw: ['sfw'] },
    ...{ minWidth: 1200, animated: false },
  },
});

/** Of images with descriptions: "girl" is in many, the last words in none. */
const searches = ['girl', 'the girl fox', 'night sunrise with', 'category:a fox -night', 'foxx nigth girl'];

/** With words that no other search has. */
const warmUp = ['of in a', 'of a', 'in -a', 'a of', '-of in', 'a -in', 'in of', 'category:b a'];

const calls = {
  random: (catalogue: Catalogue, filter: Filter) =>
    catalogue.randomImages(filter, 10, secureRandomInt, caller),
  latest: (catalogue: Catalogue, filter: Filter) => catalogue.latestImages(filter, undefined, 10, caller),
};
type CallName = keyof typeof calls;

export const usage = `Usage: npm run bench -- costs [options]
  --size <images>      catalogue sizes, comma-separated (10000,1000000)
  --store <store>      ${stores.join(' or ')} (sqlite)
  --words <number>     give images descriptions of so many words, and measure searches instead of filters`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      size: { type: 'string', default: '10000,1000000' },
      store: { type: 'string', default: 'sqlite' },
      words: { type: 'string', default: '0' },
    },
  });
  checkStore(values.store, usage);
  await using folder = await openFolder();
  console.log(`CPU time of a call, limit 10, ${values.store}: the first, after a change, usually`);
  for (const size of values.size.split(',').map(Number)) {
    const words = Number(values.words);
    await using catalogue = await openCatalogue(values.store, folder.path, size, { words });
    const { environment } = catalogue;
    if (words > 0) await measureSearches(environment, size);
    else for (const name of Object.keys(calls) as CallName[]) await measureCalls(environment, name, size);
  }
}

const openWith = (environment: Environment) => openStore(readConfig({ ...process.env, ...environment }));

async function measureCalls(environment: Environment, name: CallName, size: number): Promise<void> {
  const call = calls[name];
  await using store = await openWith(environment);
  const filters = Object.entries(filtersByTitle(await readIds(store)));
  const id = await firstImage(store);
  // Each by a catalogue that has nothing in memory.
  const firsts: number[] = [];
  for (const [, filter] of filters) {
    await using fresh = await openWith(environment);
    await fresh.catalogue.statistics();
    firsts.push(await cpuTime(() => call(fresh.catalogue, filter), 1));
  }
  const works = filters.map(
    ([, filter]) =>
      () =>
        cpuTime(() => call(store.catalogue, filter), CALLS),
  );
  const usual = (await measureInTurn(ROUNDS, works)).map(median);
  console.log(`\n${name}, ${size} images`);
  for (const [index, [title, filter]] of filters.entries()) {
    // Right after a change of one image.
    await runCommand(['edit', id, '--title', `${name} ${title} ${Date.now()}`], environment);
    await store.catalogue.statistics();
    const changed = await cpuTime(() => call(store.catalogue, filter), 1);
    printRow(title, [firsts[index] as number, changed, usual[index] as number]);
  }
}

async function measureSearches(environment: Environment, size: number): Promise<void> {
  console.log(`\nsearches, ${size} images: the first of a process, another one`);
  for (const q of searches) {
    const searchAfter = async (others: string[]) => {
      await using store = await openWith(environment);
      const search = (q: string) => () => store.catalogue.searchAll({ q }, undefined, 24, caller);
      await store.catalogue.statistics();
      for (const other of others) await cpuTime(search(other), 1);
      return await cpuTime(search(q), 1);
    };
    const works = [() => searchAfter([]), () => searchAfter(warmUp)];
    printRow(q, (await measureInTurn(SEARCH_ROUNDS, works)).map(median));
  }
}

function printRow(title: string, times: number[]): void {
  const texts = times.map((ms) => `${ms.toFixed(ms < 1 ? 3 : 1)} ms`.padStart(11));
  console.log(`  ${title.padEnd(42)}${texts.join('')}`);
}

async function firstImage({ catalogue }: Store): Promise<string> {
  const page = await catalogue.images({}, { offset: 0, limit: 1 }, caller);
  if ('problem' in page || !page.items[0]) throw new Error('the catalogue is empty');
  return page.items[0].fileName.replace(/\..*/, '');
}

async function readIds({ catalogue }: Store): Promise<Ids> {
  const two = async (kind: 'artist' | 'character') =>
    (await catalogue.list(kind, { offset: 0, limit: 2 })).items.map(({ id }) => id);
  return { artists: await two('artist'), characters: await two('character') };
}

/** In milliseconds, of one call. */
async function cpuTime(call: () => Promise<object>, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let calls = 0; calls < count; calls++)
    if ('problem' in (await call())) throw new Error('the filter does not match the catalogue');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}
