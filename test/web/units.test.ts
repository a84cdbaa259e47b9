/** The modules of the gallery that need no browser: routes, names, layout, previews, files, chips and texts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { rgbaToThumbHash, thumbHashToRGBA } from 'thumbhash';
import { cacheEntries, findCachedSubjects, Results } from '../../web/cache.ts';
import { layOutRows, targetRowHeight } from '../../web/justified-layout.ts';
import { similarOptions } from '../../web/queries.ts';
import {
  emptySelection,
  entryKinds,
  type Filter,
  filterOptions,
  formatUrl,
  noFilter,
  parseRoute,
  type Selection,
  type View,
} from '../../web/route.ts';
import { containing, toPattern } from '../../web/search-pattern.ts';
import { choose, rankCategories, toggleCategory } from '../../web/selection.ts';
import { dialogSources, gridSources } from '../../web/sources.ts';
import { formatCount, formatDuration, formatSize, formatWait, viewTitle } from '../../web/text.ts';
import { decodeThumbHash } from '../../web/thumbhash.ts';
import type { Entry, GalleryImage } from '../../web/types.ts';
import { character } from '../support/characters.ts';

describe('routes', () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: character });
  const name = text.map((value) => value.replaceAll(',', '').trim()).filter(Boolean);
  const filter: fc.Arbitrary<Filter> = fc
    .tuple(
      fc.subarray([...filterOptions.nsfw]),
      fc.subarray([...filterOptions.orientation]),
      fc.subarray([...filterOptions.animated], { maxLength: 1 }),
      fc.subarray([...filterOptions.size], { maxLength: 1 }),
    )
    .map(([nsfw, orientation, animated, size]) => ({ nsfw, orientation, animated, size }));
  const names = fc.uniqueArray(name, { maxLength: 3 });
  const selection: fc.Arbitrary<Selection> = fc
    .tuple(names, fc.boolean(), names, names, names, names)
    .map(([categories, isAny, exclude, artists, excludeArtists, characters]) => ({
      ...{ categories, exclude, artists, excludeArtists, characters },
      match: isAny && categories.length > 1 ? 'any' : 'all',
    }));
  const view: fc.Arbitrary<View> = fc.oneof(
    fc
      .tuple(fc.constantFrom('random' as const, 'newest' as const), selection, filter)
      .map(([name, selection, filter]) => ({ name, ...selection, filter })),
    fc.record({
      name: fc.constantFrom('artist' as const, 'album' as const, 'character' as const, 'category' as const),
      id: text,
      filter,
    }),
    fc.record({
      name: fc.constant('list' as const),
      kind: fc.constantFrom(...entryKinds),
      search: fc.string({ unit: character }),
      sort: fc.constantFrom('name' as const, 'images' as const),
    }),
    fc.record({ name: fc.constant('search' as const), search: text }),
  );

  test('survive formatting and parsing', () => {
    fc.assert(
      fc.property(view, fc.option(text, { nil: undefined }), (view, imageId) => {
        const url = new URL(formatUrl(view, imageId), 'http://localhost');
        assert.deepEqual(parseRoute(url.search), { view: { ...view }, imageId });
      }),
    );
  });

  test('have short URLs, and any query is a valid route', () => {
    const filter = noFilter;
    const random = (selection: Partial<Selection> = {}): View => ({
      name: 'random',
      ...emptySelection,
      ...selection,
      filter,
    });
    assert.equal(formatUrl(random()), '/');
    assert.equal(formatUrl(random({ categories: ['a b', 'c'] }), 'x'), '/?categories=a%20b,c&image=x');
    assert.equal(
      formatUrl(random({ categories: ['a', 'b'], match: 'any', exclude: ['c', 'd'] })),
      '/?categories=a,b&match=any&exclude=c,d',
    );
    const portraits: Filter = { ...noFilter, nsfw: ['sfw', 'nsfw'], orientation: ['portrait'] };
    assert.equal(
      formatUrl({ name: 'artist', id: 'x', filter: portraits }),
      '/?artist=x&nsfw=sfw,nsfw&orientation=portrait',
    );
    const views: [string, View][] = [
      ['', random()],
      ['?categories=a,,%20b&categories=a', random({ categories: ['a', 'b'] })],
      ['?categories=a&match=any', random({ categories: ['a'] })],
      ['?exclude=a&match=dragons', random({ exclude: ['a'] })],
      ['?nsfw=nsfw,SFW&nsfw=sfw,&orientation=portrait', { ...random(), filter: portraits } as View],
      ['?order=newest&categories=a', { ...random({ categories: ['a'] }), name: 'newest' } as View],
      ['?order=oldest', random()],
      ['?search=x', { name: 'search', search: 'x' }],
      ['?in=dragons', random()],
      ['?album=x', { name: 'album', id: 'x', filter }],
      ['?in=artists&sort=age', { name: 'list', kind: 'artists', search: '', sort: 'name' }],
      ['?animated=true,false&size=8k', random()],
      ['?artist=%E0%A4%A', { name: 'artist', id: '\ufffd%A', filter }],
    ];
    for (const [query, view] of views) assert.deepEqual(parseRoute(query).view, view, query);
  });
});

describe('the justified layout', () => {
  const ratios = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { maxLength: 60 });
  const width = fc.integer({ min: 280, max: 4000 });

  test('keeps the order, does not overlap, and fills every row but the last', () => {
    fc.assert(
      fc.property(ratios, width, (ratios, width) => {
        const gap = 10;
        const { boxes, height } = layOutRows(ratios, width, targetRowHeight(width), gap);
        assert.equal(boxes.length, ratios.length);
        for (const [index, box] of boxes.entries()) {
          const next = boxes[index + 1];
          const right = box.x + box.width;
          assert.ok(box.x >= 0 && right <= width + 0.01 && box.y + box.height <= height + 0.01);
          if (!next) continue;
          if (next.y === box.y) assert.ok(Math.abs(next.x - right - gap) < 0.01);
          else {
            assert.ok(Math.abs(next.y - box.y - box.height - gap) < 0.01 && next.x === 0);
            assert.ok(Math.abs(right - width) < 0.01, 'the row is full');
          }
        }
      }),
    );
  });

  test('keeps all rows but the last when images are added', () => {
    fc.assert(
      fc.property(ratios, ratios, width, (ratios, more, width) => {
        const layOut = (list: number[]) => layOutRows(list, width, targetRowHeight(width), 10).boxes;
        const [before, after] = [layOut(ratios), layOut([...ratios, ...more])];
        const lastRow = before.at(-1)?.y;
        for (const [index, box] of before.entries())
          if (box.y !== lastRow) assert.deepEqual(after[index], box);
      }),
    );
  });

  test('makes rows about as high as the target, on a phone and on a large screen', () => {
    const mixed = [1.5, 0.67, 1, 1.5, 1.5, 0.67, 0.67, 1, 1, 1.5, 0.67, 1.78];
    for (const width of [328, 720, 1376, 2400]) {
      const target = targetRowHeight(width);
      for (const { height } of layOutRows(mixed, width, target, 10).boxes)
        assert.ok(height > target * 0.6 && height < target * 1.7, `${height} at ${width}`);
    }
  });

  test('does not stretch the last row', () => {
    const { boxes } = layOutRows([1, 1], 2000, 300, 10);
    assert.deepEqual(boxes[1], { x: 310, y: 0, width: 300, height: 300 });
  });
});

test('ThumbHashes are decoded as by the reference implementation', () => {
  const side = fc.integer({ min: 1, max: 100 });
  const corner = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(side, side, corner, corner, fc.boolean(), (width, height, from, to, isOpaque) => {
      const pixels = Array.from({ length: width * height * 4 }, (_, index) => {
        const [channel, pixel] = [index % 4, index >> 2];
        const share = (pixel % width) / width / 2 + Math.floor(pixel / width) / height / 2;
        const value = (from[channel] ?? 0) * (1 - share) + (to[channel] ?? 0) * share;
        return channel === 3 && isOpaque ? 255 : Math.round(value);
      });
      const hash = rgbaToThumbHash(width, height, pixels);
      const expected = thumbHashToRGBA(hash);
      const decoded = decodeThumbHash(hash);
      assert.deepEqual([decoded.width, decoded.height], [expected.w, expected.h]);
      // The reference implementation rounds down.
      for (const [index, value] of decoded.data.entries())
        assert.ok(Math.abs(value - (expected.rgba[index] ?? 0)) <= 1);
    }),
    { numRuns: 30 },
  );
  assert.equal(decodeThumbHash(new Uint8Array()).data.length, 32 * 32 * 4, 'anything can be decoded');
});

describe('files to load', () => {
  const image = (
    width: number,
    height: number,
    size: number,
    animated?: boolean,
    ...thumbnails: number[]
  ) => {
    const dimens = { width, height };
    const meta = {
      size,
      animated,
      dimens,
      thumbnails: thumbnails.map((width) => ({ url: `${width}`, width })),
    };
    return { url: 'original', meta } as unknown as GalleryImage;
  };
  const urls = (sources: { url: string }[]) => sources.map(({ url }) => url).join(' ');
  const check = (image: GalleryImage, inGrid: string, inDialog: string) =>
    assert.deepEqual([urls(gridSources(image, false)), urls(dialogSources(image))], [inGrid, inDialog]);

  test('are the thumbnails, and the original only if it is small', () => {
    check(image(6000, 4000, 9e6, false, 480, 960, 1600), '480 960 1600', '480 960 1600');
    check(image(6000, 4000, 1e5, false, 480, 960, 1600), '480 960 1600', '480 960 1600');
    check(image(700, 500, 1e5, false, 480), '480 original', '480 original');
    check(image(1200, 900, 2e6, false, 480, 960), '480 960', '480 960 original');
  });

  test('are originals if there are no thumbnails', () => {
    check(image(6000, 4000, 9e6, false), 'original', 'original');
    check(image(300, 200, 1e4), 'original', 'original');
  });

  test('of images that may be animations are stills in the grid', () => {
    check(image(600, 400, 1e5, true, 480), '480', '480 original');
    check(image(600, 400, 1e5, undefined, 480), '480', '480 original');
  });

  test('of an animation without stills are none if the visitor prefers reduced motion', () => {
    assert.deepEqual(gridSources(image(300, 200, 1e4, true), true), []);
    assert.equal(urls(gridSources(image(300, 200, 1e4, true), false)), 'original');
    assert.equal(urls(gridSources(image(300, 200, 1e4, false), true)), 'original');
  });
});

describe('selected categories', () => {
  const selection = (categories: string[], exclude: string[] = []): Selection => ({
    ...emptySelection,
    categories,
    match: 'any',
    exclude,
  });

  test('are included or excluded, never both, and ignore case', () => {
    assert.deepEqual(toggleCategory(selection(['sea', 'duo']), 'Sea'), selection(['duo']));
    assert.deepEqual(toggleCategory(selection(['sea']), 'duo'), selection(['sea', 'duo']));
    assert.deepEqual(toggleCategory(selection(['sea'], ['duo']), 'Duo'), selection(['sea']));
    assert.deepEqual(choose(selection(['sea']), 'SEA', 'exclude'), selection([], ['SEA']));
    assert.deepEqual(choose(selection([], ['sea']), 'sea', 'include'), selection(['sea']));
    assert.deepEqual(choose(selection(['a'], ['sea']), 'sea', undefined), selection(['a']));
  });

  test('are in the title', () => {
    const title = (selection: Partial<Selection>) =>
      viewTitle({ name: 'newest', ...emptySelection, ...selection, filter: noFilter }, undefined);
    assert.equal(title({}), 'Newest');
    assert.equal(title({ categories: ['a', 'b'] }), 'a and b');
    assert.equal(
      title({ categories: ['a', 'b'], match: 'any', exclude: ['c', 'd'] }),
      'a or b without c or d',
    );
    assert.equal(title({ exclude: ['c'] }), 'Newest without c');
  });

  test('are suggested by how many images are in them', () => {
    const image = (...names: string[]) => ({ categories: names.map((name) => ({ name })) }) as GalleryImage;
    const images = [image('sea', 'duo'), image('sea', 'night'), image('sea', 'night'), image('cat')];
    assert.deepEqual(rankCategories(images), ['sea', 'night', 'cat', 'duo']);
  });
});

describe('names', () => {
  test('contain the text that was typed, unless it is a pattern', () => {
    const patterns = ['ink', ' ink ', '', 'h%', 'a|b', 'C++'].map(toPattern);
    assert.deepEqual(patterns, ['%ink%', '%ink%', '', 'h%', 'a|b', 'C++']);
    assert.equal(containing('50%_\\[x]'), '%50\\%\\_\\\\\\[x\\]%');
  });

  test('that are loaded are found without a request, those that start with the text first', () => {
    const entries = ['Hoshino Ink', 'Inkwell', 'Kin'].map((name) => ({ id: name, name, url: '' }) as Entry);
    cacheEntries({ groups: [{ kind: 'artists', entries }], subject: undefined });
    assert.deepEqual(
      findCachedSubjects('INK').map(({ name }) => name),
      ['Inkwell', 'Hoshino Ink'],
    );
  });

  test('are asked for once, unless the request fails', async () => {
    const results = new Results<number>();
    let requests = 0;
    const load = async () => ++requests;
    assert.deepEqual(await Promise.all([results.load('a', load), results.load('a', load)]), [1, 1]);
    assert.equal(await results.load('a', load), 1);
    const fail = () => Promise.reject(new Error('offline'));
    await assert.rejects(results.load('b', fail));
    assert.equal(await results.load('b', load), 2);
  });
});

test('the smallest size is that of a screen, in any orientation', () => {
  const sizeOf = (filter: Partial<Filter>) => {
    const { minWidth, minHeight } = similarOptions({ ...noFilter, ...filter });
    return [minWidth, minHeight];
  };
  assert.deepEqual(sizeOf({}), [undefined, undefined]);
  assert.deepEqual(sizeOf({ size: ['hd'] }), [1080, 1080]);
  assert.deepEqual(sizeOf({ size: ['hd'], orientation: ['landscape'] }), [1920, 1080]);
  assert.deepEqual(sizeOf({ size: ['4k'], orientation: ['portrait'] }), [2160, 3840]);
  assert.deepEqual(sizeOf({ size: ['4k'], orientation: ['portrait', 'landscape'] }), [2160, 2160]);
});

test('sizes, durations and counts are formatted', () => {
  assert.deepEqual([0, 999, 1000, 37_400, 2_345_678].map(formatSize), [
    ...['0 bytes', '999 bytes', '1.0 KB', '37 KB', '2.3 MB'],
  ]);
  assert.deepEqual([0, 59.2, 61, 3600, 90_000].map(formatDuration), [
    ...['0 s', '1 min 0 s', '1 min 1 s', '1 h 0 min', '1 d 1 h'],
  ]);
  assert.deepEqual([0, 1, 59.2, 61, 2520, 3599, 3600, 3900].map(formatWait), [
    ...['1 second', '1 second', '60 seconds', '2 minutes', '42 minutes', '1 hour', '1 hour'],
    '1 hour 5 minutes',
  ]);
  assert.deepEqual(
    [formatCount(1, 'categories'), formatCount(1234, 'images'), formatCount(0, 'artists')],
    ['1 category', '1,234 images', '0 artists'],
  );
});
