/** Random images by way of the client: every filter, a seed's order, and a walk through all that qualify. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Image, type Orientation, type Rating, Zukan } from '../../client/index.ts';
import { madeUpImage, startMadeUpService } from '../support/api.ts';
import { uuid } from '../support/catalogue.ts';
import { makeToken } from '../support/service.ts';

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
    ...{ artist: uuid(2, index % 2), characters: [`Character ${index % 4}`] },
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

let calls = 0;
const counting: typeof fetch = (url, init) => {
  calls++;
  return fetch(url, init);
};
const zukan = new Zukan({ origin, token: secret, fetch: counting });

/** The numbers of images, as they came. */
const inOrder = (images: { id: string }[]) => images.map(({ id }) => Number(id.slice(-12)));
const sorted = (images: { id: string }[]) => inOrder(images).sort((a, b) => a - b);
const walked = async (...wanted: Parameters<typeof zukan.everyRandom>) =>
  Array.fromAsync(zukan.everyRandom(...wanted));

describe('what qualifies', () => {
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
    [{ nsfw: undefined, match: undefined, exclude: [], seed: undefined }, () => true],
  ];
  for (const [wanted, qualifies] of table)
    test(JSON.stringify(wanted), async () => {
      const expected = numbers.filter(qualifies);
      assert.deepEqual(sorted(await walked(wanted)), expected);
      const drawn = sorted(await zukan.random({ ...wanted, limit: 25 }));
      assert.equal(drawn.length, Math.min(25, expected.length));
      assert.ok(drawn.every(qualifies));
    });

  test('lists take ratings and orientations too, and say how long they are', async () => {
    const wanted = { nsfw: ['sfw', 'nsfw'], orientation: ['portrait'] } as const;
    const expected = numbers.filter((index) => index % 3 !== 1 && isShape(index, 'portrait'));
    const page = await zukan.images({ ...wanted, limit: 3 });
    assert.deepEqual([page.data.length, page.total], [3, expected.length]);
    assert.deepEqual(sorted(await Array.fromAsync(zukan.every('images', wanted))), expected);
    const byArtist = expected.filter((index) => index % 2 === 1);
    assert.equal((await zukan.artistImages(uuid(2, 1), wanted)).total, byArtist.length);
    assert.deepEqual(sorted(await Array.fromAsync(zukan.everyArtistImage(uuid(2, 1), wanted))), byArtist);
  });
});

describe('a seed', () => {
  const day = '2026-11-14';

  test('gives the same images in the same order, to everyone', async () => {
    const images: Image[] = await zukan.random({ seed: day, limit: 25 });
    assert.deepEqual(inOrder(await new Zukan({ origin }).random({ seed: day, limit: 25 })), inOrder(images));
    assert.deepEqual(inOrder(await zukan.random({ seed: day, limit: 1 })), inOrder(images).slice(0, 1));
    assert.notDeepEqual(inOrder(await zukan.random({ seed: `${day} ?&`, limit: 25 })), inOrder(images));
  });

  test('is walked through a page at a time, however long each is', async () => {
    const whole = inOrder(await walked({ seed: day }));
    assert.deepEqual(
      whole.toSorted((a, b) => a - b),
      numbers,
    );
    const seen: number[] = [];
    let cursor: string | undefined;
    let limit = 7;
    do {
      const page = await zukan.randomPage({ seed: day, cursor, limit: limit++ });
      seen.push(...inOrder(page.data));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, whole);
  });

  test('is made up for who has none: another order each time, and still every image once', async () => {
    const [one, other] = [await walked(), await walked()];
    assert.deepEqual(sorted(one), numbers);
    assert.deepEqual(sorted(other), numbers);
    assert.notDeepEqual(inOrder(one), inOrder(other));
  });

  test('a page is asked for only when the one before is used up', async () => {
    calls = 0;
    const walk = zukan.everyRandom({ seed: day });
    assert.equal(calls, 0);
    for (let count = 1; count <= COUNT; count++) {
      await walk.next();
      assert.equal(calls, Math.ceil(count / 25));
    }
    assert.deepEqual(await walk.next(), { value: undefined, done: true });
    assert.equal(calls, 3);
  });

  test('where nothing qualifies, a walk is over at once', async () => {
    calls = 0;
    assert.deepEqual(await walked({ categories: ['even'], exclude: ['even'] }), []);
    assert.equal(calls, 1);
  });

  test('links live as long as was asked for, on each page', async () => {
    const expiries = (await walked({ expiry: 3_000_000 })).map(({ meta }) => meta.expires);
    assert.deepEqual(new Set(expiries).size, 1);
    assert.notEqual(expiries[0], (await zukan.random({ limit: 1 }))[0]?.meta.expires);
  });
});

test('a cursor belongs to its seed and its filters', async () => {
  const { cursor } = await zukan.randomPage({ seed: 'mine', nsfw: ['sfw'], limit: 2 });
  assert.ok(cursor);
  await assert.rejects(zukan.randomPage({ seed: 'yours', nsfw: ['sfw'], cursor }), { status: 400 });
  await assert.rejects(zukan.randomPage({ seed: 'mine', cursor }), { status: 400, message: /cursor/ });
  // @ts-expect-error: there is no cursor without a seed
  await assert.rejects(zukan.randomPage({ cursor }), { status: 400, message: /cursor/ });
  // @ts-expect-error: and none where what comes next is not told
  await assert.rejects(zukan.random({ cursor }), { status: 400, message: /cursor/ });
});

test('mistakes are told by the service', async () => {
  const table: [RegExp, number, Promise<unknown>][] = [
    // Who leaves the ratings empty by mistake must not get every rating.
    [/^Invalid nsfw: /, 400, zukan.random({ nsfw: [] })],
    // @ts-expect-error: no such rating
    [/^Invalid nsfw: /, 400, zukan.images({ nsfw: ['safe'] })],
    // @ts-expect-error: no such orientation
    [/^Invalid orientation: /, 400, walked({ orientation: ['round'] })],
    [/^Invalid exclude: /, 400, walked({ exclude: ['dragons'] })],
    [/^Invalid seed: /, 400, zukan.random({ seed: 'x'.repeat(65) })],
    [/^Invalid artist: /, 400, zukan.random({ artist: '42' })],
    [/^Character not found/, 404, walked({ character: uuid(9, 9) })],
  ];
  for (const [message, status, call] of table) await assert.rejects(call, { status, message });
});
