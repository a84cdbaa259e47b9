/** Which random images match each filter over HTTP, and the filters of lists. store/selection.test.ts combines filters. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
import { sandbox } from '../../support/catalogues/import.ts';
import { draw } from '../../support/checks/distribution.ts';
import { casesFor, forEachEngine, testOnOneStore } from '../../support/servers/engines.ts';
import { assertError, clock, related } from '../../support/zukan/api.ts';
import { type Envelope, makeToken, seededRandomInt, startService } from '../../support/zukan/service.ts';

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
await forEachEngine(async (engine) => {
  const box = sandbox(engine);
  await box.import(toRecords(earlier));
  await box.import(toRecords(pictures));
  const service = await startService(box.config, { clock, randomInt: seededRandomInt(12) });
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
    const lists: [path: string, always: FilterQuery][] = [
      ['/image', {}],
      [`/artist/${first}/images`, { artist: [first] }],
    ];
    for (const [path, always] of lists)
      test(`${path} returns what matches, oldest first, and links to the next page with the expiry`, async () => {
        const all = matchingIds(pictures, { ...always, nsfw: ['questionable', 'nsfw'] });
        const query = 'nsfw=nsfw&expiry=77&nsfw=,questionable';
        let address: string | undefined = `${service.origin}/api${path}?limit=25&${query}`;
        const pages: string[] = [];
        while (address) {
          const answer = await service.get(address, headers);
          assert.equal(answer.status, 200, `${address}: ${answer.text}`);
          assert.equal(answer.headers['x-total-count'], String(all.length), address);
          pages.push(...idsOf(answer.json));
          for (const { meta } of answer.json.data)
            assert.equal(Date.parse(meta.expires) - clock(), 77_000, address);
          address = related(answer, 'next', address);
        }
        assert.deepEqual(pages, all);
      });

    test('a filtered list requires a token, and an artist that exists', async () => {
      assertError(await service.get('/api/image?nsfw=sfw'), 401, /token/i);
      assertError(await service.get(`/api/artist/${uuid(9, 9)}/images?nsfw=sfw`), 404, /artist/i);
    });
  });
});

const idsOf = ({ data }: Envelope): string[] => data.map(({ id }: { id: string }) => id);
