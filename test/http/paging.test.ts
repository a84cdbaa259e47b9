/** Pages of lists: windows, totals, and links to the next and the previous page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { casesFor, forEachEngineInDepth, isEveryCase } from '../support/servers/engines.ts';
import { madeUpImage, NOW, related, sortByName, startMadeUpService } from '../support/zukan/api.ts';
import { type Envelope, makeToken } from '../support/zukan/service.ts';

await forEachEngineInDepth(async (engine) => {
  const COUNT = 33;
  /** Names that sort differently by code point, UTF-16, letter and locale. Two are equal. */
  const names = [
    '\u{1F600}',
    '\uFF21',
    'Zoe',
    'amy',
    'Émile',
    'amy',
    '10',
    '9',
    'Amy',
    ...'abcdefghijklmnopqrstuvwx',
  ];
  const numbers = Array.from({ length: COUNT }, (_, index) => index);
  /** Ids in reverse order of adding, to tell the two orders apart. */
  const idOf = (kind: number, index: number) => uuid(kind, 900 - index);
  const named = (kind: number) =>
    numbers.map((index) => ({ id: idOf(kind, index), name: names[index] ?? '' }));
  const categoryNames = names.map((name, index) => `${name}${index}`);

  const bulk = await startMadeUpService(
    [
      ...named(2).map((entry, index) => ({ type: 'artist', ...entry, url: `https://example.org/${index}` })),
      ...named(3).map((entry, index) => ({ type: 'character', ...entry, source: `work ${index}` })),
      ...named(1).map((entry, index) => ({ type: 'category', ...entry, name: categoryNames[index] })),
      ...numbers.map((index) => madeUpImage(idOf(4, index), { artist: idOf(2, 0) })),
    ],
    { engine },
  );
  const { headers } = await makeToken(bulk.config, ['image:list', 'image:custom-expiry:100']);
  const imageIds = numbers.map((index) => idOf(4, index));
  const orderedIds = (entries: { id: string; name: string }[]) => sortByName(entries).map(({ id }) => id);
  const lists = [
    { path: '/image', ids: imageIds },
    { path: `/artist/${idOf(2, 0)}/images`, ids: imageIds },
    { path: '/artist', ids: orderedIds(named(2)) },
    { path: '/character', ids: orderedIds(named(3)) },
    {
      path: '/category',
      ids: orderedIds(named(1).map((entry, index) => ({ ...entry, name: categoryNames[index] ?? '' }))),
    },
  ];
  const idsOf = (json: Envelope): string[] => json.data.map(({ id }: { id: string }) => id);

  for (const { path, ids } of lists) {
    const windows: [query: string, from: number, to: number][] = [
      ['', 0, 10],
      ['?offset=0', 0, 10],
      ['?offset=5', 5, 15],
      ['?limit=1', 0, 1],
      ['?limit=25', 0, 25],
      ['?limit=25&offset=10', 10, 35],
      ['?limit=3&offset=32', 32, 33],
      ['?limit=3&offset=33', 33, 33],
      ['?offset=99999999999999999999', 33, 33],
      ['?limit=007&offset=0002', 2, 9],
      ['?limit=%35', 0, 5],
    ];
    for (const [query, from, to] of casesFor(engine, windows, 5))
      test(`${path}${query} returns records ${from} to ${to} of ${COUNT}`, async () => {
        const answer = await bulk.get(`/api${path}${query}`, headers);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(idsOf(answer.json), ids.slice(from, to));
        assert.equal(answer.headers['x-total-count'], String(COUNT));
      });

    for (const query of casesFor(
      engine,
      ['?limit=11&junk=1', '?limit=4', '?limit=25&offset=0', '?search='],
      4,
    ))
      test(`${path}${query} links to every record once by next, and back by prev`, async () => {
        let address: string | undefined = `${bulk.origin}/v1${path}${query}`;
        const pages: string[][] = [];
        let last = '';
        while (address) {
          assert.ok(address.startsWith(`${bulk.origin}/v1${path}`), address);
          const answer = await bulk.get(address, headers);
          assert.equal(related(answer, 'prev', address) === undefined, pages.length === 0);
          pages.push(idsOf(answer.json));
          last = address;
          address = related(answer, 'next', address);
          assert.ok(pages.length <= COUNT);
        }
        assert.deepEqual(pages.flat(), ids);
        const back: string[][] = [];
        for (address = last; address; ) {
          const answer = await bulk.get(address, headers);
          back.unshift(idsOf(answer.json));
          address = related(answer, 'prev', address);
          assert.ok(back.length <= COUNT);
        }
        assert.deepEqual(back, pages);
      });
  }

  if (!isEveryCase(engine)) return;

  test('the next page keeps the expiry', async () => {
    const address = `${bulk.origin}/api/image?limit=5&expiry=100`;
    const next = related(await bulk.get(address, headers), 'next', address);
    const { json } = await bulk.get(next ?? '', headers);
    for (const { meta } of json.data) assert.equal(meta.expires, new Date(NOW + 100_000).toISOString());
  });

  test('the default limit of random images is ten', async () => {
    for (const [query, count] of [
      ['', 10],
      ['?limit=1', 1],
      ['?limit=25', 25],
    ] as const)
      assert.equal((await bulk.get(`/api/image/random${query}`)).json.data.length, count);
  });

  test('lists of an empty catalogue are empty', async () => {
    const empty = await startMadeUpService([], { engine });
    const { headers } = await makeToken(empty.config, ['image:list']);
    for (const path of ['/image', '/artist', '/character', '/category']) {
      const answer = await empty.get(`/api${path}`, headers);
      assert.deepEqual(answer.json, { success: true, data: [] });
      assert.equal(answer.headers['x-total-count'], '0');
      assert.equal(answer.headers.link, undefined);
    }
    assert.deepEqual((await empty.get('/api/image/random')).json, { success: true, data: [] });
  });
});
