/** Random images through the client: filters, seeds, cursors and iteration. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Orientation, type Rating, Zukan } from '../../client/index.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { checkedFetch } from '../support/zukan/contract.ts';
import { makeToken } from '../support/zukan/service.ts';

const ratings: Rating[] = ['sfw', 'questionable', 'nsfw'];
const shapes: [Orientation, number, number][] = [
  ['landscape', 40, 30],
  ['portrait', 30, 40],
  ['square', 30, 30],
];
const COUNT = 60;
const numbers = Array.from({ length: COUNT }, (_, index) => index);
const image = (index: number) => {
  const [, width, height] = shapes[Math.floor(index / 3) % 3] as (typeof shapes)[number];
  const id = uuid(4, index);
  const { meta } = madeUpImage(id);
  return madeUpImage(id, {
    ...{ nsfw: ratings[index % 3], meta: { ...meta, dimens: { width, height } } },
    artist: uuid(2, index % 2),
    characters: [`Character ${index % 4}`],
    categories: [...(index % 2 ? [] : ['even']), ...(index % 5 ? [] : ['five'])],
  });
};
const service = await startMadeUpService([
  ...['even', 'five'].map((name) => ({ type: 'category', name })),
  ...[0, 1].map((index) => ({ type: 'artist', id: uuid(2, index), name: `Artist ${index}` })),
  ...[0, 1, 2, 3].map((index) => ({ type: 'character', id: uuid(3, index), name: `Character ${index}` })),
  ...numbers.map(image),
]);
const { origin } = service;
const { secret } = await makeToken(service.config, ['image:list', 'image:custom-expiry']);

let requests = 0;
const countingFetch: typeof fetch = (url, init) => {
  requests++;
  return checkedFetch(url, init);
};
const zukan = new Zukan({ origin, token: secret, fetch: countingFetch });

/** The numbers of the images, in the order received. */
const numbersOf = (images: { id: string }[]) => images.map(({ id }) => Number(id.slice(-12)));
const sortedNumbers = (images: { id: string }[]) => numbersOf(images).sort((a, b) => a - b);
const collectRandom = async (...options: Parameters<typeof zukan.everyRandom>) =>
  Array.fromAsync(zukan.everyRandom(...options));

describe('filters', () => {
  const isShape = (index: number, name: Orientation) => shapes[Math.floor(index / 3) % 3]?.[0] === name;
  const table: [Parameters<typeof zukan.everyRandom>[0], (index: number) => boolean][] = [
    [{ nsfw: ['sfw'] }, (index) => index % 3 === 0],
    [{ nsfw: ['questionable', 'nsfw'] }, (index) => index % 3 > 0],
    [{ orientation: ['square'] }, (index) => isShape(index, 'square')],
    [{ orientation: ['portrait', 'landscape'] }, (index) => !isShape(index, 'square')],
    [{ categories: ['even', 'five'] }, (index) => index % 10 === 0],
    [{ categories: ['even', 'five'], match: 'any' }, (index) => index % 2 === 0 || index % 5 === 0],
    [{ exclude: ['even', 'five'] }, (index) => index % 2 > 0 && index % 5 > 0],
    [{ artist: uuid(2, 1) }, (index) => index % 2 === 1],
    [{ character: uuid(3, 3), nsfw: ['sfw'] }, (index) => index % 4 === 3 && index % 3 === 0],
    [{ artist: [uuid(2, 0), uuid(2, 1)], excludeArtist: [uuid(2, 1)] }, (index) => index % 2 === 0],
    [{ character: [uuid(3, 1), uuid(3, 3)], animated: false }, (index) => index % 2 === 1],
    [{ minWidth: 31, minHeight: 30 }, (index) => isShape(index, 'landscape')],
    [{ maxWidth: 30, maxHeight: 40 }, (index) => !isShape(index, 'landscape')],
    [{ type: ['png', 'jpg'] }, () => true],
    [{ type: ['webp'] }, () => false],
    [{ aspectRatio: '3:4' }, (index) => isShape(index, 'portrait')],
    [{ animated: true }, () => false],
    [{ nsfw: undefined, match: undefined, exclude: [], seed: undefined }, () => true],
  ];
  for (const [options, isMatch] of table)
    test(JSON.stringify(options), async () => {
      const expected = numbers.filter(isMatch);
      assert.deepEqual(sortedNumbers(await collectRandom(options)), expected);
      const drawn = sortedNumbers(await zukan.random({ ...options, limit: 25 }));
      assert.equal(drawn.length, Math.min(25, expected.length));
      assert.ok(drawn.every(isMatch));
    });

  test('a name that is missing is no empty list', async () => {
    await assert.rejects(zukan.random({ exclude: [''] }), { status: 400 });
  });

  test('lists accept filters, and report the filtered total', async () => {
    const options = { nsfw: ['sfw', 'nsfw'], minHeight: 40, animated: false } as const;
    const expected = numbers.filter((index) => index % 3 !== 1 && isShape(index, 'portrait'));
    const page = await zukan.images({ ...options, limit: 3 });
    assert.deepEqual([page.data.length, page.total], [3, expected.length]);
    assert.deepEqual(sortedNumbers(await Array.fromAsync(zukan.every('images', options))), expected);
    const byArtist = expected.filter((index) => index % 2 === 1);
    assert.equal((await zukan.artistImages(uuid(2, 1), options)).total, byArtist.length);
    assert.deepEqual(
      sortedNumbers(await Array.fromAsync(zukan.everyArtistImage(uuid(2, 1), options))),
      byArtist,
    );
  });
});

describe('seeds', () => {
  const day = '2026-11-14';

  test('pages of any size return the seed order without gaps or repeats', async () => {
    const all = numbersOf(await collectRandom({ seed: day }));
    assert.deepEqual(
      all.toSorted((a, b) => a - b),
      numbers,
    );
    const seen: number[] = [];
    let cursor: string | undefined;
    let limit = 7;
    do {
      const page = await zukan.randomPage({ seed: day, cursor, limit: limit++ });
      seen.push(...numbersOf(page.data));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, all);
  });

  test('without a seed, each iteration has a new order and returns every image once', async () => {
    const [one, other] = [await collectRandom(), await collectRandom()];
    assert.deepEqual(sortedNumbers(one), numbers);
    assert.deepEqual(sortedNumbers(other), numbers);
    assert.notDeepEqual(numbersOf(one), numbersOf(other));
  });

  test('the next page is requested only when the previous one is used up', async () => {
    requests = 0;
    const images = zukan.everyRandom({ seed: day });
    assert.equal(requests, 0);
    for (let count = 1; count <= COUNT; count++) {
      await images.next();
      assert.equal(requests, Math.ceil(count / 25));
    }
    assert.deepEqual(await images.next(), { value: undefined, done: true });
    assert.equal(requests, 3);
  });

  test('iteration ends after one request when nothing matches', async () => {
    requests = 0;
    assert.deepEqual(await collectRandom({ categories: ['even'], exclude: ['even'] }), []);
    assert.equal(requests, 1);
  });
});
