/** The tuning that the comparison relies on really switches each optimisation off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { hashSecret } from '../../src/access/tokens.ts';
import { defaultTuning, type Tuning } from '../../src/lib/tuning.ts';
import { createCatalogue } from '../../src/server/engines.ts';
import { openForReading } from '../../src/store/drivers/sqlite/database.ts';
import { catalogueSchema } from '../../src/store/drivers/sqlite/schema.ts';
import { openTokenStore } from '../../src/store/drivers/sqlite/session.ts';
import { SqliteDriver } from '../../src/store/drivers/sqlite/store.ts';
import { NameSearch } from '../../src/store/read/entries.ts';
import { similarImages } from '../../src/store/read/image-numbers.ts';
import { ImageSets } from '../../src/store/read/image-sets.ts';
import { choose, type Selection } from '../../src/store/read/selection.ts';
import { createSliceReader } from '../../src/store/read/slices.ts';
import { get } from '../../src/store/view.ts';
import { blocksOf, sliceReader } from '../store/slices.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { caller } from '../support/zukan/caller.ts';
import { databaseFile, makeToken } from '../support/zukan/service.ts';
import { nothingTuned } from './server.ts';

const catalogue = { version: 1, lastImage: 100, documentRevision: 1 };
const shelf = { number: 1, size: 2 };
const selection: Selection = { catalogue, choices: [choose([shelf])], excluded: [], sizes: new Map() };

/** How many slices a second request reads that is the same as the first. */
async function countReads(tuning: Tuning) {
  const counts = { shelves: 0, names: 0, hashes: 0 };
  const reader = sliceReader({
    async shelfBlocks() {
      counts.shelves++;
      return { version: 1, items: blocksOf([1, 3]) };
    },
    async names() {
      counts.names++;
      return { version: 1, items: ['Ann'] };
    },
    async hashes() {
      counts.hashes++;
      return { version: 1, items: [] };
    },
  });
  const sets = new ImageSets(reader, tuning);
  const search = new NameSearch(reader, tuning);
  const findSimilar = similarImages(reader, tuning);
  const request = async () => {
    const set = await sets.load(selection, caller);
    await search.find('artist', 'a%', caller);
    await findSimilar(1, set, 1, 5, caller);
  };
  await request();
  const before = { ...counts };
  await request();
  const again = Object.entries(counts).map(([name, count]) => [
    name,
    count - before[name as keyof typeof before],
  ]);
  return Object.fromEntries(again);
}

test('shelves, names and hashes are read again', async () => {
  assert.deepEqual(await countReads(defaultTuning), { shelves: 0, names: 0, hashes: 0 });
  assert.deepEqual(await countReads(nothingTuned), { shelves: 1, names: 1, hashes: 1 });
});

test('a version is opened again for each transaction, and slices are short', async () => {
  const box = sandbox();
  await box.import([keyed(1)]);
  for (const tuning of [defaultTuning, nothingTuned]) {
    using driver = new SqliteDriver(openForReading(databaseFile(box.config), catalogueSchema), tuning);
    const openView = () => driver.run((view) => get(view));
    const [one, other] = [await openView(), await openView()];
    assert.equal(one === other, tuning.isCaching);
    assert.equal(createSliceReader(driver, tuning).sizeOf('names'), tuning === defaultTuning ? 500 : 3);
  }
});

test('tokens are read again', async () => {
  const { config } = sandbox();
  await createCatalogue(config);
  const { secret } = await makeToken(config, []);
  for (const tuning of [defaultTuning, nothingTuned]) {
    const { tokensPath } = config.database as { tokensPath: string };
    using tokens = openTokenStore(tokensPath, databaseFile(config), tuning);
    const one = await tokens.find(hashSecret(secret));
    await nextTick();
    assert.equal(one === (await tokens.find(hashSecret(secret))), tuning === defaultTuning);
    assert.ok(one);
  }
});
