/** The cache is filled in the background, and an import changes only what it changed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWriter } from '../../../../src/server/engines.ts';
import { DocumentFiller } from '../../../../src/store/document-cache/filler.ts';
import { openDriver } from '../../../../src/store/drivers/sqlite/store.ts';
import { StoredCatalogue } from '../../../../src/store/read/catalogue.ts';
import { uuid } from '../../../support/catalogues/catalogue.ts';
import { contentOf, keyed, listed, sandbox } from '../../../support/catalogues/import.ts';
import { databaseFile } from '../../../support/zukan/service.ts';

const COUNT = 100;
const artist = (url: string) => ({ type: 'artist', id: uuid(2, 1), name: 'Ann', url });
const image = (index: number, rest: object = {}) => keyed(index, { id: uuid(4, index), ...rest });

/** A catalogue of a hundred images; the first ten are by an artist. */
async function start(bytes = 4 * 1024 * 1024) {
  const box = sandbox();
  const byArtist = (index: number) => (index <= 10 ? { artist: uuid(2, 1) } : {});
  const images = Array.from({ length: COUNT }, (_, index) => image(index + 1, byArtist(index + 1)));
  await box.import([artist('https://example.org/1'), ...images]);
  const memory = new SharedArrayBuffer(bytes);
  const [driver, fillerDriver] = [openDriver(databaseFile(box.config)), openDriver(databaseFile(box.config))];
  const catalogue = new StoredCatalogue(driver, memory);
  const filler = new DocumentFiller(fillerDriver, memory);
  after(() => {
    fillerDriver[Symbol.dispose]();
    driver[Symbol.dispose]();
  });
  const metric = (name: string) =>
    catalogue.metrics().find((metric) => metric.name === `zukan_document_cache_${name}`)?.samples[0]?.value ??
    Number.NaN;
  return {
    box,
    catalogue,
    filler,
    cached: () => metric('images'),
    /** Returns the number of slices. */
    async fill() {
      let slices = 1;
      while (!(await filler.runSlice())) slices++;
      return slices;
    },
    /** Reads all images, and returns how many came from the cache and a part of each. */
    async read() {
      const before = metric('hits_total');
      const images = await listed(catalogue, {}, { offset: 0, limit: 1000 });
      return { hits: metric('hits_total') - before, sources: images.map((it) => contentOf(it).source.name) };
    },
  };
}

test('fills the cache in several slices, and images are read from it', async () => {
  const { fill, cached, read } = await start();
  assert.equal((await read()).hits, 0);
  assert.ok((await fill()) > 1);
  assert.equal(cached(), COUNT);
  assert.equal((await read()).hits, COUNT);
});

test('caches the newest images if not all fit', async () => {
  const { catalogue, fill, cached } = await start(40_000);
  await fill();
  assert.ok(cached() > 10 && cached() < COUNT, `${cached()} are cached`);
  const hits = () => catalogue.metrics()[0]?.samples[0]?.value;
  await catalogue.image(uuid(4, 1));
  assert.equal(hits(), 0);
  await catalogue.image(uuid(4, COUNT));
  assert.equal(hits(), 1);
});

test('new images leave the cached ones as they are', async () => {
  const { box, fill, read, cached } = await start();
  await fill();
  await box.import([image(COUNT + 1)]);
  assert.equal((await read()).hits, COUNT);
  await fill();
  assert.equal(cached(), COUNT + 1);
  assert.equal((await read()).hits, COUNT + 1);
});

test('a changed image is read from the database until it is cached again', async () => {
  const { box, filler, fill, read } = await start();
  await fill();
  await box.import([image(5, { source: { name: 'new', url: '' } })]);
  const changed = await read();
  assert.equal(changed.sources[4], 'new');
  // The first slice follows the change, the next one adds the document.
  assert.equal(await filler.runSlice(), false);
  assert.equal((await read()).hits, COUNT - 1);
  await fill();
  const { hits, sources } = await read();
  assert.equal(hits, COUNT);
  assert.equal(sources[4], 'new');
});

test('a changed artist changes the images with it, and no others', async () => {
  const { box, catalogue, filler, fill, read } = await start();
  await fill();
  await box.import([artist('https://example.org/2')]);
  await filler.runSlice();
  assert.equal((await read()).hits, COUNT - 10);
  await fill();
  assert.equal((await read()).hits, COUNT);
  const [first] = await listed(catalogue, {}, { offset: 0, limit: 1 });
  assert.match(first?.withLink(() => ({ url: '', expires: '' }), ['artist']) ?? '', /example\.org\/2/);
});

test('an image that takes the number of a removed one is not mistaken for it', async () => {
  const { box, fill, read } = await start();
  await fill();
  const writer = await openWriter(box.config);
  await writer.takeDownImages([uuid(4, COUNT)]);
  await writer.commit();
  await writer[Symbol.asyncDispose]();
  await box.import([image(COUNT + 7, { source: { name: 'another', url: '' } })]);
  assert.equal((await read()).sources.at(-1), 'another');
  await fill();
  const { hits, sources } = await read();
  assert.deepEqual([hits, sources.at(-1)], [COUNT, 'another']);
});

test('frequent changes fill the memory with what is no longer current, which is reclaimed', async () => {
  const { box, fill, read } = await start(200_000);
  for (let round = 0; round < 6; round++) {
    const source = { name: `round ${round}`, url: '' };
    await box.import(Array.from({ length: COUNT }, (_, index) => image(index + 1, { source })));
    await fill();
    const { hits, sources } = await read();
    assert.ok(hits > COUNT / 2, `${hits} hits in round ${round}`);
    assert.deepEqual(new Set(sources), new Set([source.name]));
  }
});
