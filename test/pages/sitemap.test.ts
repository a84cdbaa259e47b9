/** The sitemap on each store: its parts have every page that everyone may see once, whatever their size, and are made once. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { defaultTuning } from '../../src/lib/tuning.ts';
import { Sitemap } from '../../src/pages/site-files.ts';
import { openStore } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { writeLines } from '../support/catalogues/lines.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { configFor } from '../support/zukan/service.ts';

const ORIGIN = 'https://kura.example';
const COUNT = 130;
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
/** Some, and all of a part of twenty. */
const isHidden = (number: number) => number % 7 === 0 || (number > 30 && number <= 75);
const artistOf = (number: number) => uuid(2, isHidden(number) ? 50 : number % 4);

const image = (number: number, more: object = {}) => ({
  type: 'image',
  id: uuid(4, number),
  file: 'a.png',
  title: `T & ${number}`,
  createdAt: `2026-01-01T00:00:${String(number % 60).padStart(2, '0')}.000Z`,
  artist: artistOf(number),
  nsfw: isHidden(number) ? 'questionable' : 'sfw',
  categories: isHidden(number) ? [] : ['sea', 'secret'],
  ...more,
});
const artists = [0, 1, 2, 3, 50, 51].map((number) => ({
  type: 'artist',
  id: uuid(2, number),
  name: `A${number}`,
}));
const categories = [
  { type: 'category', id: uuid(1, 1), name: 'sea' },
  { type: 'category', id: uuid(1, 2), name: 'secret', nsfw: true },
];

await forEachEngineInDepth(async (engine) => {
  const folder = temporaryFolder();
  const config = configFor(folder, engine.environment());
  await drawInto(folder, { file: 'a.png', format: 'png', width: 6, height: 4, colour: '#c02020' });
  const add = async (...lines: object[]) => {
    await importFiles(config, [writeLines(folder, 'lines.ndjson', lines)]);
  };
  await add(...artists, ...categories, ...numbers.map((number) => image(number)));
  const store = await openStore(config);
  after(() => store[Symbol.asyncDispose]());
  const source = { catalogue: store.catalogue, hasLastingLinks: true, tuning: defaultTuning };
  const read = async (sitemap: Sitemap, name?: string) => {
    const asset = await sitemap.read(ORIGIN, name);
    return asset && Buffer.from(asset.bytes as string, 'latin1').toString();
  };
  const locations = (text = '') =>
    Array.from(text.matchAll(/<loc>https:\/\/kura\.example([^<]*)<\/loc>/g), ([, path = '']) => path);
  const partsOf = async (sitemap: Sitemap) =>
    locations(await read(sitemap)).map((path) => /^\/sitemap\/(.+)\.xml$/.exec(path)?.[1] ?? path);
  const picture = (number: number) => `/pictures/${uuid(4, number)}/t-${number}`;
  const shown = numbers.filter((number) => !isHidden(number));

  test('has every page that everyone may see once, with parts of any size', async () => {
    for (const size of [1, 20, 64, 1000]) {
      const sitemap = new Sitemap(source, size);
      const pages = new Map<string, string[]>();
      for (const name of await partsOf(sitemap)) pages.set(name, locations(await read(sitemap, name)));
      for (const [name, paths] of pages)
        assert.ok(paths.length > 0 && paths.length <= size + 2, `${size} ${name}`);
      const all = [...pages.values()].flat();
      const expected = [
        ...['/', '/newest', '/artists', '/categories', `/categories/${uuid(1, 1)}/sea`],
        ...[0, 1, 2, 3].map((number) => `/artists/${uuid(2, number)}/a${number}`),
        ...shown.map(picture),
      ];
      assert.deepEqual(all.toSorted(), expected.toSorted(), `parts of ${size}`);
      if (size !== 20) continue;
      const names = [...pages.keys()].filter((name) => name.startsWith('pictures'));
      assert.deepEqual(
        names,
        [1, 2, 4, 5, 6, 7].map((part) => `pictures-${part}`),
        'without an empty part',
      );
      const [first] = await store.catalogue
        .latestImages({}, undefined, 1, { client: '', signal: AbortSignal.any([]) })
        .then((page) => ('images' in page ? page.images : []));
      assert.equal(first?.number, COUNT, 'the numbers that the parts are made of');
    }
  });

  test('names the file of a picture, and when it was added', async () => {
    const sitemap = new Sitemap(source);
    const text = (await read(sitemap, 'pictures-1')) ?? '';
    const [line = ''] = text.split('\n').filter((line) => line.includes(picture(1)));
    assert.match(
      line,
      new RegExp(
        `^<url><loc>${ORIGIN}${picture(1)}</loc><lastmod>2026-01-01T00:00:01.000Z</lastmod><image:image><image:loc>${ORIGIN}/pictures/${uuid(4, 1)}/original\\.png\\?v=[\\w-]{10}</image:loc></image:image></url>$`,
      ),
    );
    for (const number of numbers.filter(isHidden)) assert.ok(!text.includes(uuid(4, number)));
    const signed = new Sitemap({ ...source, hasLastingLinks: false });
    assert.doesNotMatch((await read(signed, 'pictures-1')) ?? '', /image:loc/);
    const artists = (await read(sitemap, 'artists-1')) ?? '';
    assert.match(
      artists,
      /a1<\/loc><lastmod>2026-01-01T00:00:09/,
      'of its newest picture, which is number 129',
    );
  });

  test('has no other parts', async () => {
    const sitemap = new Sitemap(source, 20);
    for (const name of [
      ...[
        'pictures-3',
        'pictures-8',
        'pictures-999999',
        'artists-2',
        'albums-1',
        'characters-1',
        'pictures-0',
      ],
      ...[
        'pictures-1x',
        'pictures',
        'nothing-1',
        'pictures-01',
        'constructor-1',
        'pictures-1000000',
        'start-1',
        '-1',
      ],
    ])
      assert.equal(await read(sitemap, name), undefined, name);
  });

  test('is made once for each version, between other requests, whatever origin is asked for', async (context) => {
    let tick = 0;
    let isEnded = false;
    context.after(() => {
      isEnded = true;
    });
    const count = () => {
      tick++;
      if (!isEnded) setImmediate(count);
    };
    count();
    const calls: number[] = [];
    const record =
      <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
      (...args: Args) => {
        calls.push(tick);
        return call(...args);
      };
    const { catalogue } = store;
    const sitemap = new Sitemap(
      {
        ...source,
        catalogue: {
          ...source.catalogue,
          statistics: () => catalogue.statistics(),
          list: record(catalogue.list.bind(catalogue)),
          latestImages: record(catalogue.latestImages.bind(catalogue)),
        },
      },
      120,
    );
    const [one, other] = await Promise.all([
      sitemap.read(ORIGIN, 'pictures-1'),
      sitemap.read('http://other.test:$&', 'pictures-1'),
    ]);
    assert.equal(calls.length, 2, 'fifty at a time');
    const text = (asset: typeof one) => String(asset?.bytes);
    assert.equal(
      text(other),
      text(one).replaceAll(ORIGIN, () => 'http://other.test:$&amp;'),
    );
    assert.deepEqual(await sitemap.read(ORIGIN, 'pictures-1').then((kept) => kept?.eTag), one?.eTag);
    await sitemap.read(ORIGIN);
    const made = calls.length;
    assert.equal(new Set(calls).size, made, 'other requests are served between two calls');
    await sitemap.read('http://other.test');
    assert.equal(calls.length, made);
    isEnded = true;
    const before = await Promise.all(['pictures-1', 'pictures-2'].map((name) => read(sitemap, name)));

    await add(image(COUNT + 1, { nsfw: 'sfw' }));
    const later = await Promise.all(['pictures-1', 'pictures-2'].map((name) => read(sitemap, name)));
    assert.equal(later[0], before[0], 'the part of the older images is the same');
    assert.deepEqual(locations(later[1]), [picture(COUNT + 1), ...locations(before[1])]);
    await add(image(2, { nsfw: 'nsfw' }));
    assert.ok(before[0]?.includes(picture(2)) && !(await read(sitemap, 'pictures-1'))?.includes(picture(2)));
  });
});
