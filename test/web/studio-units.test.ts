/** The modules of the studio's page that need no browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRecordFilter } from '../../web/studio/filters.ts';
import { GAP, heightOf, indexesIn, layOut, placeOf, rowsBetween } from '../../web/studio/grid/layout.ts';
import { Selection } from '../../web/studio/grid/selection.ts';
import { IdList } from '../../web/studio/shared/id-list.ts';
import { splitNames } from '../../web/studio/shared/notices.ts';
import { findNearEqual } from '../../web/studio/views/entries.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

test('ids are read from bytes, in both directions', () => {
  const ids = ['00112233-4455-6677-8899-aabbccddeeff', 'ffffffff-0000-1111-2222-333333333333'];
  const bytes = Uint8Array.from(Buffer.from(ids.join('').replaceAll('-', ''), 'hex'));
  const list = new IdList(bytes, false);
  assert.deepEqual([list.length, list.at(0), list.at(1)], [2, ...ids]);
  assert.deepEqual([list.reversed().at(0), list.reversed().reversed().at(0)], [ids[1], ids[0]]);
  const picked = list.reversed().pick([0]);
  assert.deepEqual([picked.length, picked.at(0)], [1, ids[1]]);
  const [first = '', second = ''] = ids;
  assert.deepEqual(
    [list.indexOf(first), list.indexOf(second), list.indexOf(`${first.slice(0, -1)}0`)],
    [0, 1, -1],
  );
  assert.deepEqual([list.reversed().indexOf(first), list.reversed().indexOf(second)], [1, 0]);
});

test('a pasted list is separated by commas, semicolons, tabs or lines', () => {
  assert.deepEqual(splitNames(' sea,by the sea\r\n\nsea;\tmoon '), ['sea', 'by the sea', 'moon']);
  assert.deepEqual(splitNames(' , '), []);
});

test('days are those of the clock, and the last one counts', () => {
  assert.equal(toRecordFilter({ path: '', min: '' }), undefined);
  assert.deepEqual(toRecordFilter({ path: 'sea/', until: '2026-03-31', min: '0', max: '900' }), {
    path: 'sea/',
    before: new Date(2026, 3, 1).toISOString(),
    minSide: 0,
    maxSide: 900,
  });
});

test('an area selects the tiles that it touches, and the rows between two heights are those in sight', () => {
  const upTo = seededRandomInt(7);
  for (let run = 0; run < 300; run++) {
    const layout = layOut(upTo(40), 20 + upTo(900), 60 + upTo(200), upTo(2) * 26);
    const { count, columns, size, rowHeight } = layout;
    const [left, top] = [upTo(1000) - 50, upTo(1000) - 50];
    const area = { left, top, right: left + upTo(600), bottom: top + upTo(600) };
    const all = Array.from({ length: count }, (_, index) => ({ index, ...placeOf(layout, index) }));
    const touched = all.filter(
      ({ x, y }) =>
        x <= area.right && x + size >= area.left && y <= area.bottom && y + rowHeight - GAP >= area.top,
    );
    assert.deepEqual(
      indexesIn(layout, area),
      touched.map(({ index }) => index),
    );
    const [first, end] = rowsBetween(layout, area.top, area.bottom);
    for (const { index, y } of all) {
      const isInSight = y < area.bottom && y + rowHeight > area.top;
      assert.ok(!isInSight || (index >= first && index < end));
    }
    assert.equal(heightOf(layout), Math.ceil(count / columns) * rowHeight);
    assert.ok(columns === 1 || columns * (size + GAP) - GAP <= 920.001);
  }
});

test('a selection by clicks, ranges and keys', () => {
  const selection = new Selection();
  selection.reset(10);
  selection.only(3);
  selection.range(6);
  assert.deepEqual(selection.indexes(), [3, 4, 5, 6]);
  selection.range(1);
  assert.deepEqual([selection.indexes(), selection.focus], [[1, 2, 3], 1]);
  selection.toggle(8);
  selection.range(99, true);
  assert.deepEqual([selection.indexes(), selection.focus], [[1, 2, 3, 8, 9], 9]);
  selection.toggle(9);
  assert.deepEqual(selection.indexes(), [1, 2, 3, 8]);
  selection.moveTo(5);
  assert.deepEqual([selection.indexes(), selection.focus], [[1, 2, 3, 8], 5]);
  selection.range(7);
  assert.deepEqual(selection.indexes(), [5, 6, 7]);
  selection.replace([2, 4], 4);
  selection.range(5, true);
  assert.deepEqual([selection.indexes(), selection.focus], [[2, 4, 5], 5]);
  selection.replace([], undefined);
  assert.deepEqual([selection.indexes(), selection.focus], [[], 5]);
  selection.only(-5);
  assert.deepEqual(selection.indexes(), [0]);
  selection.all();
  assert.equal(selection.indexes().length, 10);
  selection.reset(0);
  selection.only(0);
  selection.toggle(4);
  selection.range(2);
  assert.deepEqual([selection.indexes(), selection.focus], [[], -1]);
});

test('names that differ in case, punctuation or width are near each other', () => {
  const names = ['Hoshino Ink', 'Umi', 'hoshino_ink', 'ＨＯＳＨＩＮＯ　ＩＮＫ', 'umi!', 'Ume', '…', '!'];
  assert.deepEqual(
    findNearEqual(names.map((name) => ({ name }))).map(({ name }) => name),
    ['Hoshino Ink', 'hoshino_ink', 'ＨＯＳＨＩＮＯ　ＩＮＫ', 'Umi', 'umi!'],
  );
});
