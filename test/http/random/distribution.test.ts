/** Filtered draws are uniform: every image that matches is equally likely. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { uuid } from '../../support/catalogues/catalogue.ts';
import { assertUniformDraws, openMadeUpCatalogue, range } from '../../support/checks/distribution.ts';
import { casesFor, forEachEngineInDepth, isEveryCase } from '../../support/servers/engines.ts';
import { madeUpImage } from '../../support/zukan/api.ts';
import { seededRandomInt } from '../../support/zukan/service.ts';

const id = (index: number) => uuid(5, index);

/** Ratings of different sizes, overlapping categories, and an artist with every fourth image. */
const traits = {
  rating: (index: number) => (index < 240 ? 'sfw' : index < 280 ? 'questionable' : 'nsfw'),
  width: (index: number) => [30, 20, 20, 20, 10][index % 5] ?? 0,
  categories: (index: number) => [
    ...(index % 3 === 0 ? ['third'] : []),
    ...(index % 4 === 0 ? ['fourth'] : []),
    ...(index >= 270 ? ['tail'] : []),
    ...(index % 25 !== 7 ? ['nearly all'] : []),
  ],
};
const [artist, character, other] = [uuid(2, 1), uuid(3, 1), uuid(3, 2)];
const people = [
  { type: 'artist', id: artist, name: 'somebody' },
  { type: 'character', id: character, name: 'someone' },
  { type: 'character', id: other, name: 'someone else' },
];

await forEachEngineInDepth(async (engine) => {
  describe('draws', async () => {
    const catalogue = await openMadeUpCatalogue(
      [
        ...['third', 'fourth', 'tail', 'nearly all'].map((name) => ({ type: 'category', name })),
        ...people,
        ...range(0, 300).map((index) => {
          const { meta, ...line } = madeUpImage(id(index), {
            nsfw: traits.rating(index),
            categories: traits.categories(index),
            artist: index % 4 === 1 ? artist : null,
            characters: [...(index % 5 === 1 ? [character] : []), ...(index % 3 === 1 ? [other] : [])],
          });
          return { ...line, meta: { ...meta, dimens: { width: traits.width(index), height: 20 } } };
        }),
      ],
      engine,
    );
    const randomInt = seededRandomInt(51);
    const table: [filter: Filter, where: (index: number) => boolean, limit: number, times: number][] = [
      [{}, () => true, 25, 130],
      [{ categories: ['third', 'FOURTH'] }, (index) => index % 12 === 0, 10, 130],
      [{ categories: ['tail', 'third', 'fourth'] }, (index) => index >= 270 && index % 12 === 0, 25, 100],
      // Images of the smaller rating must not be drawn more often.
      [{ nsfw: ['sfw', 'nsfw'] }, (index) => index < 240 || index >= 280, 25, 120],
      // Images in both categories must not be drawn twice as often.
      [
        { match: 'any', categories: ['third', 'fourth'] },
        (index) => index % 3 === 0 || index % 4 === 0,
        10,
        150,
      ],
      [
        { match: 'any', categories: ['tail', 'third', 'nearly all'], nsfw: ['nsfw'] },
        (index) => index >= 280,
        1,
        200,
      ],
      [
        { artist: [artist], nsfw: ['questionable', 'nsfw'] },
        (index) => index >= 240 && index % 4 === 1,
        3,
        150,
      ],
      // Images with both characters must not be drawn twice as often.
      [{ character: [character, other] }, (index) => index % 5 === 1 || index % 3 === 1, 5, 150],
      [{ minWidth: 20, excludeArtist: [artist] }, (index) => index % 5 !== 4 && index % 4 !== 1, 10, 150],
      [
        { aspectRatio: '1:2', nsfw: ['questionable', 'nsfw'] },
        (index) => index >= 240 && index % 5 === 4,
        3,
        150,
      ],
      [
        { match: 'any', categories: ['third', 'fourth'], exclude: ['tail'], orientation: ['square'] },
        (index) => (index % 3 === 0 || index % 4 === 0) && index < 270 && [1, 2, 3].includes(index % 5),
        25,
        60,
      ],
    ];
    for (const [filter, where, limit, times] of casesFor(engine, table, 6))
      test(`${JSON.stringify(filter)}, ${limit} at a time, are uniform at every position`, async () => {
        const matching = range(0, 300).filter(where).map(id);
        await assertUniformDraws(catalogue, filter, matching, limit, times, randomInt);
      });
  });

  // store/selection.test.ts draws rare images on every store.
  if (!isEveryCase(engine)) return;

  describe('draws of rare images', async () => {
    const LARGE = 1200;
    /** A cluster and a few scattered images, which few of a category's images are. */
    const isRare = (index: number) => index % 120 === 7 || (index >= 1000 && index < 1010);
    const catalogue = await openMadeUpCatalogue(
      [
        ...['most', 'some', 'rare'].map((name) => ({ type: 'category', name })),
        ...people,
        ...range(0, LARGE).map((index) =>
          madeUpImage(id(index), {
            nsfw: isRare(index) || index % 2 === 0 ? 'nsfw' : 'sfw',
            categories: isRare(index) ? ['some', 'rare'] : index % 2 === 0 ? ['most'] : ['most', 'some'],
            artist: isRare(index) || index % 2 === 1 ? artist : null,
          }),
        ),
      ],
      engine,
    );
    const randomInt = seededRandomInt(52);
    const table: [filter: Filter, limit: number, times: number][] = [
      [{ categories: ['some'], nsfw: ['nsfw'] }, 1, 200],
      [{ categories: ['some', 'rare'] }, 10, 120],
      [{ artist: [artist], nsfw: ['nsfw'] }, 5, 120],
      [{ exclude: ['most'] }, 10, 120],
      [
        {
          categories: ['some'],
          artist: [artist],
          nsfw: ['nsfw'],
          orientation: ['landscape'],
          exclude: ['most'],
        },
        25,
        120,
      ],
    ];
    for (const [filter, limit, times] of table)
      test(`${JSON.stringify(filter)}, ${limit} at a time, are uniform at every position`, async () => {
        const matching = range(0, LARGE).filter(isRare).map(id);
        assert.equal(matching.length, 20);
        await assertUniformDraws(catalogue, filter, matching, limit, times, randomInt);
      });
  });
});
