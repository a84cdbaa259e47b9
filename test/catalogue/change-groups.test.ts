/** The same edit of one person, again and again, is shown as one change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Change, groupChanges, listGroups } from '../../src/catalogue/change-log.ts';

const start = Date.parse('2026-11-19T12:00:00.000Z');
const defaults = { origin: 'studio', user: 'kaoru', summary: 'rate sfw: 1 image', state: 'done' };

/** The newest one first. `minutes` is when it was made. */
function changesOf(...all: (Partial<Change> & { minutes?: number })[]): Change[] {
  return all
    .map(({ minutes = 0, ...change }, index) => {
      const at = new Date(start + minutes * 60_000).toISOString();
      return { ...defaults, number: index + 1, at, ...change } as Change;
    })
    .reverse();
}

const summaries = (changes: Change[]) => groupChanges(changes).map(({ summary }) => summary);

test('the same edit of one person is one, whatever the number of images', () => {
  const changes = changesOf({ minutes: 0 }, { minutes: 6, summary: 'rate sfw: 2 images' }, { minutes: 10 });
  const [group, ...others] = groupChanges(changes);
  assert.deepEqual(others, []);
  assert.deepEqual(group, { ...changes[0], summary: 'rate sfw: 3 changes', parts: changes });
  assert.deepEqual(
    summaries(changesOf({ summary: 'undo 1: rate sfw: 1 image' }, { summary: 'undo 2: rate sfw: 1 image' })),
    ['undo: rate sfw: 2 changes'],
  );
});

test('another edit, person, origin, state, number or time is another change', () => {
  const others = [
    { summary: 'rate nsfw: 1 image' },
    { summary: 'undo 1: rate sfw: 1 image' },
    { user: 'ren' },
    { origin: 'shell' as const },
    { state: 'undone' as const },
    { number: 3 },
    { minutes: 10.1 },
    // The clock was wrong.
    { minutes: -10.1 },
  ];
  for (const other of others) assert.equal(summaries(changesOf({}, other)).length, 2, JSON.stringify(other));
  const imports = { summary: '2 images added' };
  assert.equal(summaries(changesOf(imports, imports)).length, 2);
});

const change = fc.record({
  gap: fc.constantFrom(1, 1, 1, 2),
  minutes: fc.constantFrom(0, 1, 6),
  summary: fc.constantFrom('rate sfw: 1 image', 'rate sfw: 2 images', 'rate nsfw: 1 image', '1 image added'),
  user: fc.constantFrom('kaoru', 'kaoru', 'ren'),
});
const log = fc.array(change, { maxLength: 30 }).map((all) => {
  let [number, minutes] = [0, 0];
  return changesOf(
    ...all.map(({ gap, minutes: pause, ...rest }) => {
      number += gap;
      minutes += pause;
      return { ...rest, number, minutes };
    }),
  );
});

test('groups are ranges without gaps within ten minutes, and their parts are all changes', () => {
  fc.assert(
    fc.property(log, (changes) => {
      const groups = groupChanges(changes);
      const parts = groups.map((group) => (group.parts.length > 0 ? group.parts : [group]));
      const numbers = (all: Change[]) => all.map(({ number }) => number);
      assert.deepEqual(numbers(parts.flat()), numbers(changes));
      for (const [group, [newest, ...rest]] of groups.map(
        (group, index) => [group, parts[index] ?? []] as const,
      )) {
        assert.equal(group.number, newest?.number);
        assert.deepEqual(
          numbers(rest),
          rest.map((_, index) => group.number - 1 - index),
        );
        for (const { at } of rest) assert.ok(Date.parse(group.at) - Date.parse(at) <= 600_000);
      }
    }),
  );
});

test('the limit of a list cuts no group', async () => {
  const changes = changesOf(
    ...Array.from({ length: 2500 }, (_, index) => (index < 5 ? { user: 'ren' } : {})),
  );
  const list = async ({ limit, before = 9999 }: { limit: number; before?: number | undefined }) =>
    changes.filter(({ number }) => number < before).slice(0, limit);
  const sizes = async (limit: number) =>
    (await listGroups({ list }, { limit })).map(({ parts }) => parts.length);
  assert.deepEqual(await sizes(1), [2495]);
  assert.deepEqual(await sizes(2), [2495, 5]);
});
