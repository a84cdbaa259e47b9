/** Which images match each filter and each pair of filters; and the filters of lists. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Filter, ListFilter } from '../../../src/catalogue/catalogue.ts';
import { openStore } from '../../../src/server/engines.ts';
import { uuid } from '../../support/catalogues/catalogue.ts';
import {
  artists,
  characters,
  type FilterQuery,
  matchingIds,
  orientations,
  randomPictures,
  ratings,
  toQuery,
  toRecords,
} from '../../support/catalogues/filters.ts';
import { listed, sandbox } from '../../support/catalogues/import.ts';
import { draw, drawFrom, idsOf, range } from '../../support/checks/distribution.ts';
import { keepOnly, readAllImages } from '../../support/checks/seeded-pages.ts';
import { atDepth } from '../../support/depth.ts';
import { casesFor, forEachEngine, isEveryCase, testOnOneStore } from '../../support/servers/engines.ts';
import { assertError, clock, related } from '../../support/zukan/api.ts';
import { makeToken, seededRandomInt, startService } from '../../support/zukan/service.ts';

const pictures = randomPictures(0, 300, seededRandomInt(11));
/** An earlier state with other ratings, orientations and categories, so images leave shelves and return. */
const earlier = pictures.map((picture, index) => {
  const other = pictures[(index * 13 + 5) % pictures.length] ?? picture;
  return index % 3 === 0 ? { ...other, id: picture.id } : picture;
});

/** Several values of each filter. */
const [first = '', second = '', few = '', idle = ''] = artists;
const values: FilterQuery[][] = [
  [{ nsfw: ['sfw'] }, { nsfw: ['nsfw', 'questionable'] }, { nsfw: ratings }],
  [{ orientation: ['square'] }, { orientation: ['portrait', 'landscape'] }, { orientation: orientations }],
  [{ categories: ['beta'] }, { categories: ['Alpha', 'night sky'] }, { categories: ['rare', 'beta'] }],
  [{ exclude: ['Alpha'] }, { exclude: ['beta', 'night sky'] }, { exclude: ['empty'] }, { exclude: ['rare'] }],
  [{ match: 'any' }, { match: 'all' }],
  [{ artist: [first] }, { artist: [second, few] }, { artist: [idle, few] }, { artist: [idle] }],
  [{ excludeArtist: [first] }, { excludeArtist: [second, few, idle] }],
  [
    { character: characters.slice(0, 1) },
    { character: characters.slice(1, 3) },
    { character: characters.slice(2, 4) },
    { character: characters.slice(3, 4) },
  ],
  [{ animated: true }, { animated: false }],
  [{ minWidth: 1 }, { minWidth: 817 }, { minWidth: 2 ** 40 }],
  [{ minHeight: 450 }, { minHeight: 1081 }],
  [{ maxWidth: 816 }, { maxWidth: 39 }],
  [{ maxHeight: 1080 }, { maxHeight: 41 }],
  [{ type: ['webp', 'gif'] }, { type: ['jpg'] }, { type: ['jpeg', 'jpg', 'png', 'webp', 'gif', 'avif'] }],
  [{ aspectRatio: '16:9' }, { aspectRatio: '1:1' }, { aspectRatio: '9600:5400' }, { aspectRatio: '99999:1' }],
];
/** Of the filters of a list, one in this many is tested over HTTP, too, among them none and all values. */
const HTTP_STEP = atDepth(42, 9);
const pairs = values.flatMap((ones, at) =>
  values
    .slice(at + 1)
    .flatMap((others) => ones.flatMap((one) => others.map((other) => ({ ...one, ...other })))),
);

await forEachEngine(async (engine) => {
  const box = sandbox(engine);
  await box.import(toRecords(earlier));
  await box.import(toRecords(pictures));
  const service = await startService(box.config, { clock, randomInt: seededRandomInt(12) });
  const store = await openStore(box.config);
  after(() => store[Symbol.asyncDispose]());
  async function assertDrawn(query: string, matching: string[]): Promise<void> {
    const ids = await draw(service, `${query}&limit=25`);
    const wrong = ids.filter((id) => !matching.includes(id));
    assert.deepEqual(wrong, [], `${query} returned images that do not match`);
    assert.equal(ids.length, Math.min(25, matching.length), query);
  }

  describe('random images', () => {
    for (const filter of casesFor(engine, [{}, ...values.flat()], 3))
      test(`"${toQuery(filter)}" returns images that match, with and without a seed`, async () => {
        const matching = matchingIds(pictures, filter);
        await assertDrawn(toQuery(filter), matching);
        await assertDrawn(`${toQuery(filter)}&seed=one`, matching);
      });

    test('pairs of filters return images that match both', async () => {
      assert.ok(pairs.some((filter) => matchingIds(pictures, filter).length > 25));
      assert.ok(pairs.some((filter) => matchingIds(pictures, filter).length === 0));
      const randomInt = seededRandomInt(13);
      const chosen = pairs.filter((_, at) => at % atDepth(4, 1) === 0);
      for (const [at, filter] of casesFor(engine, chosen, 8).entries()) {
        const matching = matchingIds(pictures, filter);
        const ids = await drawFrom(store.catalogue, filter as Filter, 25, randomInt);
        assert.deepEqual(keepOnly(ids, matching), ids, `${toQuery(filter)} draws images that do not match`);
        assert.equal(ids.length, Math.min(25, matching.length), toQuery(filter));
        if (at % atDepth(12, 3) === 0) {
          const order = await readAllImages(store.catalogue, filter as Filter, 'one');
          assert.deepEqual(order.sort(), matching.sort(), toQuery(filter));
        }
        // A few over HTTP, too.
        if (at % 10 === 0) await assertDrawn(toQuery(filter), matching);
      }
    });

    const both = { categories: ['Alpha', 'beta'], exclude: ['beta'] };
    const spellings: [query: string, filter: FilterQuery][] = [
      ['nsfw=nsfw,nsfw', { nsfw: ['nsfw'] }],
      ['nsfw=nsfw&nsfw=questionable', { nsfw: ['nsfw', 'questionable'] }],
      ['nsfw=%20nsfw%20,,%20questionable,', { nsfw: ['nsfw', 'questionable'] }],
      ['orientation=square,portrait&x=1&orientation=square', { orientation: ['square', 'portrait'] }],
      ['orientation=,%20square', { orientation: ['square'] }],
      ['exclude=ALPHA,Beta', { exclude: ['Alpha', 'beta'] }],
      ['exclude=%20alpha%20&exclude=,night%20sky', { exclude: ['Alpha', 'night sky'] }],
      ['exclude=night+sky&categories=rare', { exclude: ['night sky'], categories: ['rare'] }],
      ['match=any&categories=', {}],
      ['categories=%20,&categories=&include=', {}],
      ['match=&categories=alpha,beta', { categories: ['Alpha', 'beta'] }],
      ['include=&include=artist&categories=,alpha&categories=', { categories: ['Alpha'] }],
      ['animated=True', { animated: true }],
      ['animated=False', { animated: false }],
      ['type=jpg&type=%20webp', { type: ['jpeg', 'webp'] }],
      ['maxWidth=0817&maxHeight=450', { maxWidth: 817, maxHeight: 450 }],
      ['match=any&categories=rare,empty', { categories: ['rare'] }],
      [
        'match=any&categories=RARE&categories=Empty,night%20sky',
        { categories: ['rare', 'night sky'], match: 'any' },
      ],
      ['match=all&categories=rare,empty', { categories: ['empty'] }],
      ['match=any&categories=alpha,beta&exclude=BETA', { ...both, match: 'any' }],
      ['categories=alpha&exclude=ALPHA', { categories: ['empty'] }],
      ['match=any&categories=beta&exclude=beta', { categories: ['empty'] }],
      ['categories=alpha,beta&exclude=beta', { categories: ['empty'] }],
      [`artist=${first.toUpperCase()},${first}&artist[]=%20${few},`, { artist: [first, few] }],
      [`excludeArtist[1]=${first}&excludeArtist[0]=${first},${second}`, { excludeArtist: [first, second] }],
      [`character=${characters[0]}&character=${characters[1]}`, { character: characters.slice(0, 2) }],
      ['minWidth=0817&minHeight=00450', { minWidth: 817, minHeight: 450 }],
    ];
    for (const [query, filter] of casesFor(engine, spellings, 10))
      test(`"${query}" means ${JSON.stringify(filter)}`, async () => {
        await assertDrawn(query, matchingIds(pictures, filter));
        await assertDrawn(`seed=one&${query}`, matchingIds(pictures, filter));
      });

    testOnOneStore(engine)('ids are accepted in upper and lower case', async () => {
      const lettered = sandbox(engine);
      const [id, artist, character] = ['a', 'b', 'c'].map((letter) => letter.repeat(8) + first.slice(8)) as [
        string,
        string,
        string,
      ];
      const rest = { nsfw: 'sfw', orientation: 'square', categories: [] };
      await lettered.import([
        { type: 'artist', id: artist, name: 'with letters' },
        { type: 'character', id: character, name: 'with letters' },
        ...toRecords([{ id, artist, characters: [character], ...rest }]),
      ]);
      const service = await startService(lettered.config, { clock });
      for (const query of [`artist=${artist}`, `character=${character}`])
        for (const spelled of [query, query.replace(/=.*/, (value) => value.toUpperCase())])
          assert.deepEqual(await draw(service, spelled), [id], spelled);
    });
  });

  describe('lists', async () => {
    const { headers } = await makeToken(service.config, ['image:list', 'image:custom-expiry:100']);
    const subsets = (of: string[]) => range(0, 8).map((bits) => of.filter((_, at) => (bits >> at) % 2 === 1));
    const filters: FilterQuery[] = subsets(ratings).flatMap((nsfw) =>
      subsets(orientations).map((orientation) => ({
        ...(nsfw.length > 0 && { nsfw }),
        ...(orientation.length > 0 && { orientation }),
      })),
    );
    const lists: [path: string, always: FilterQuery][] = [
      ['/image', {}],
      ...artists.map((artist): [string, FilterQuery] => [`/artist/${artist}/images`, { artist: [artist] }]),
    ];
    for (const [path, always] of casesFor(engine, lists, 3))
      test(`${path} pages through images with these ratings and orientations, oldest first`, async () => {
        // The others share the filters of the first list.
        const isFull = atDepth(path === '/image' && isEveryCase(engine), true);
        for (const [at, filter] of filters.entries()) {
          if (!isFull && at % HTTP_STEP !== 0) continue;
          const all = matchingIds(pictures, { ...filter, ...always });
          const listFilter = { ...filter, ...always } as ListFilter;
          const ids = idsOf(await listed(store.catalogue, listFilter, { offset: 0, limit: 1000 }));
          assert.deepEqual(ids, all, toQuery(filter));
          if (at % HTTP_STEP !== 0) continue;
          const pages: string[] = [];
          let address: string | undefined = `${service.origin}/api${path}?limit=25&${toQuery(filter)}`;
          for (let last = ''; address; address = related(await pageAt(address, all, pages), 'next', last))
            last = address;
          assert.deepEqual(pages, all, toQuery(filter));
        }
      });

    async function pageAt(address: string, all: string[], pages: string[] = []) {
      const answer = await service.get(address, headers);
      assert.equal(answer.status, 200, `${address}: ${answer.text}`);
      assert.equal(answer.headers['x-total-count'], String(all.length), address);
      pages.push(...answer.json.data.map(({ id }: { id: string }) => id));
      assert.ok(pages.length <= all.length, `${address} returns too many images`);
      if (answer.json.data.length === 0) assert.equal(related(answer, 'next', address), undefined, address);
      return answer;
    }

    for (const [path, always] of lists.slice(0, 2))
      test(`${path} returns any window, also past the end, and links to the previous page`, async () => {
        for (const filter of filters.filter((_, at) => at % atDepth(40, 5) === 3)) {
          const all = matchingIds(pictures, { ...filter, ...always });
          for (const offset of [1, Math.floor(all.length / 2), all.length, all.length + 1, 10 ** 9]) {
            const address = `${service.origin}/v1${path}?${toQuery(filter)}&offset=${offset}&limit=3`;
            const answer = await pageAt(address, all);
            assert.deepEqual(
              answer.json.data.map(({ id }: { id: string }) => id),
              all.slice(offset, offset + 3),
              address,
            );
            if (offset > 1 || all.length === 0) continue;
            const page: string[] = [];
            await pageAt(
              related(answer, 'prev', address) ?? assert.fail(`${address} has no prev`),
              all,
              page,
            );
            assert.deepEqual(page, all.slice(0, 1), address);
          }
        }
      });

    test('a filtered list requires a token, and an artist that exists', async () => {
      assertError(await service.get('/api/image?nsfw=sfw'), 401, /token/i);
      assertError(await service.get(`/api/artist/${uuid(9, 9)}/images?nsfw=sfw`), 404, /artist/i);
    });

    testOnOneStore(engine)('rare images are sorted by the time they were added, too', async () => {
      const rare = new Map(
        [9, 30, 77, 150, 151].map((at, index) => [at, index % 2 ? 'nsfw' : 'questionable']),
      );
      const many = pictures.slice(0, 200).map((picture, at) => ({ ...picture, nsfw: rare.get(at) ?? 'sfw' }));
      const box = sandbox(engine);
      await box.import(toRecords(many));
      const service = await startService(box.config, { clock });
      const { headers } = await makeToken(box.config, ['image:list']);
      const answer = await service.get('/api/image?nsfw=nsfw,questionable', headers);
      assert.deepEqual(
        answer.json.data.map(({ id }: { id: string }) => id),
        matchingIds(many, { nsfw: ['nsfw', 'questionable'] }),
      );
      assert.equal(answer.headers['x-total-count'], '5');
    });

    test('links to other pages keep the filters and the expiry', async () => {
      const all = matchingIds(pictures, { nsfw: ['questionable', 'nsfw'], orientation: ['portrait'] });
      const query = 'nsfw=nsfw&expiry=77&orientation=%20portrait&nsfw=,questionable';
      let address: string | undefined = `${service.origin}/api/image?limit=4&${query}`;
      const pages: string[] = [];
      while (address) {
        const answer = await pageAt(address, all, pages);
        for (const { meta } of answer.json.data)
          assert.equal(Date.parse(meta.expires) - clock(), 77_000, address);
        address = related(answer, 'next', address);
      }
      assert.deepEqual(pages, all);
      assert.ok(all.length > 8);
    });
  });
});
