/** The parts of the gallery that need no browser: addresses, rows, chips, words. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chipsOf, toggled } from '../../web/chips.ts';
import { addressOf, choices, everything, type Filter, kinds, type Place, viewOf } from '../../web/place.ts';
import { rowsOf, targetFor } from '../../web/rows.ts';
import type { Picture } from '../../web/types.ts';
import { counted, durationText, sizeText } from '../../web/words.ts';

describe('addresses', () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
  const name = text.map((value) => value.replaceAll(',', '').trim()).filter(Boolean);
  const page = fc.integer({ min: 1, max: 9_999_999 });
  const filter: fc.Arbitrary<Filter> = fc
    .tuple(fc.subarray([...choices.nsfw]), fc.subarray([...choices.orientation]))
    .map(([nsfw, orientation]) => ({ nsfw, orientation }));
  const categories = fc.uniqueArray(name, { maxLength: 3 });
  const place: fc.Arbitrary<Place> = fc.oneof(
    fc.record({ name: fc.constant('random' as const), categories, filter }),
    fc.record({ name: fc.constant('artist' as const), id: text, filter, page }),
    fc.record({ name: fc.constantFrom('character' as const, 'category' as const), id: text, filter }),
    fc.record({
      ...{ name: fc.constant('search' as const), kind: fc.constantFrom(...kinds) },
      ...{ search: fc.string({ unit: 'grapheme' }), page },
    }),
  );

  test('lead to what they were made of', () => {
    fc.assert(
      fc.property(place, fc.option(text, { nil: undefined }), (place, image) => {
        const url = new URL(addressOf(place, image), 'http://here');
        assert.deepEqual(viewOf(url.search), { place: { ...place }, image });
      }),
    );
  });

  test('are short, and show something whatever they say', () => {
    const filter = everything;
    assert.equal(addressOf({ name: 'random', categories: [], filter }), '/');
    assert.equal(
      addressOf({ name: 'random', categories: ['a b', 'c'], filter }, 'x'),
      '/?categories=a%20b,c&image=x',
    );
    const portraits: Filter = { nsfw: ['sfw', 'nsfw'], orientation: ['portrait'] };
    assert.equal(
      addressOf({ name: 'artist', id: 'x', filter: portraits, page: 2 }),
      '/?artist=x&nsfw=sfw,nsfw&orientation=portrait&page=2',
    );
    const places: [string, Place][] = [
      ['', { name: 'random', categories: [], filter }],
      ['?categories=a,,%20b&categories=a', { name: 'random', categories: ['a', 'b'], filter }],
      [
        '?nsfw=nsfw,SFW&nsfw=sfw,&orientation=portrait',
        { name: 'random', categories: [], filter: portraits },
      ],
      ['?search=x', { name: 'search', kind: 'artists', search: 'x', page: 1 }],
      ['?in=dragons', { name: 'random', categories: [], filter }],
      ['?artist=x&page=-1', { name: 'artist', id: 'x', filter, page: 1 }],
      ['?in=artists&page=1e9', { name: 'search', kind: 'artists', search: '', page: 1 }],
      ['?artist=%E0%A4%A', { name: 'artist', id: '\ufffd%A', filter, page: 1 }],
    ];
    for (const [query, place] of places) assert.deepEqual(viewOf(query).place, place, query);
  });
});

describe('rows', () => {
  const ratios = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { maxLength: 60 });
  const width = fc.integer({ min: 280, max: 4000 });

  test('hold every picture in order, touch nothing twice, and all but the last are full', () => {
    fc.assert(
      fc.property(ratios, width, (ratios, width) => {
        const gap = 10;
        const { boxes, height } = rowsOf(ratios, width, targetFor(width), gap);
        assert.equal(boxes.length, ratios.length);
        for (const [index, box] of boxes.entries()) {
          const next = boxes[index + 1];
          const right = box.x + box.width;
          assert.ok(box.x >= 0 && right <= width + 0.01 && box.y + box.height <= height + 0.01);
          if (!next) continue;
          if (next.y === box.y) assert.ok(Math.abs(next.x - right - gap) < 0.01);
          else {
            assert.ok(Math.abs(next.y - box.y - box.height - gap) < 0.01 && next.x === 0);
            assert.ok(Math.abs(right - width) < 0.01, 'a row is full');
          }
        }
      }),
    );
  });

  test('stay where they are when more pictures come, all but the last', () => {
    fc.assert(
      fc.property(ratios, ratios, width, (ratios, more, width) => {
        const rows = (list: number[]) => rowsOf(list, width, targetFor(width), 10).boxes;
        const [before, after] = [rows(ratios), rows([...ratios, ...more])];
        const last = before.at(-1)?.y;
        for (const [index, box] of before.entries()) if (box.y !== last) assert.deepEqual(after[index], box);
      }),
    );
  });

  test('are about as high as wished, on a phone and on a large screen', () => {
    const mixed = [1.5, 0.67, 1, 1.5, 1.5, 0.67, 0.67, 1, 1, 1.5, 0.67, 1.78];
    for (const width of [328, 720, 1376, 2400]) {
      const target = targetFor(width);
      for (const { height } of rowsOf(mixed, width, target, 10).boxes)
        assert.ok(height > target * 0.6 && height < target * 1.7, `${height} at ${width}`);
    }
  });

  test('the last one is not stretched', () => {
    const { boxes } = rowsOf([1, 1], 2000, 300, 10);
    assert.deepEqual(boxes[1], { x: 310, y: 0, width: 300, height: 300 });
  });
});

test('chips: the chosen ones, then those of the pictures by how many have them', () => {
  const picture = (...names: string[]) => ({ categories: names.map((name) => ({ name })) }) as Picture;
  const pictures = [picture('Sea', 'duo'), picture('Sea', 'night'), picture('Sea', 'night'), picture('cat')];
  const shown = chipsOf(pictures, ['sea', 'gone']).map(({ name, isChosen }) =>
    isChosen ? `+${name}` : name,
  );
  assert.deepEqual(shown, ['+sea', '+gone', 'night', 'cat', 'duo']);
  assert.deepEqual(toggled(['sea', 'duo'], 'Sea'), ['duo']);
  assert.deepEqual(toggled(['sea'], 'duo'), ['sea', 'duo']);
});

test('words for numbers', () => {
  assert.deepEqual([0, 999, 1000, 37_400, 2_345_678].map(sizeText), [
    ...['0 bytes', '999 bytes', '1.0 KB', '37 KB', '2.3 MB'],
  ]);
  assert.deepEqual([0, 59.2, 61, 3600, 90_000].map(durationText), [
    ...['0 s', '1 min 0 s', '1 min 1 s', '1 h 0 min', '1 d 1 h'],
  ]);
  assert.deepEqual(
    [counted(1, 'categories'), counted(1234, 'pictures'), counted(0, 'artists')],
    ['1 category', '1,234 pictures', '0 artists'],
  );
});
