/** The change log is bounded: in time, and in the number of things that it remembers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editImages } from '../../src/changes/images.ts';
import { undoChange } from '../../src/changes/undo.ts';
import type { Config } from '../../src/config/config.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import * as postgres from '../../src/store/drivers/postgres/session.ts';
import * as sqlite from '../../src/store/drivers/sqlite/session.ts';
import { openWriter } from '../../src/store/write/writer.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

const MAX_ITEMS = 4;
const images = (count: number) => Array.from({ length: count }, (_, index) => uuid(4, index + 1));

async function writerAt({ database }: Config, now: string, maxItems = MAX_ITEMS) {
  const session =
    database.engine === 'sqlite'
      ? await sqlite.openWriteSession(database.path, {})
      : await postgres.openWriteSession(database.url, {});
  return openWriter(session, { origin: 'shell', user: 'me', now, historyDays: 10, maxItems });
}

async function rate(
  config: Config,
  count: number,
  rating: 'sfw' | 'nsfw',
  now: string,
  maxItems?: number,
): Promise<void> {
  await using writer = await writerAt(config, now, maxItems);
  await editImages(writer, images(count), { rating }, { now, newId: () => uuid(9, 1) });
  await writer.commit();
}

async function listed(config: Config) {
  await using snapshot = await openSnapshot(config);
  return (await snapshot.changeLog.list({ limit: 100 })).map(({ number, items, state }) => [
    number,
    items,
    state,
  ]);
}

await forEachEngine((engine) => {
  test('the oldest changes are forgotten first, and one that is too large says so', async () => {
    const box = sandbox(engine);
    await box.import(images(6).map((id, index) => keyed(index, { id })));
    const [[first]] = (await listed(box.config)) as [[number]];
    await rate(box.config, 2, 'nsfw', '2999-01-01T00:00:00.000Z');
    await rate(box.config, 2, 'sfw', '2999-01-05T00:00:00.000Z');
    assert.deepEqual(await listed(box.config), [
      [first + 2, 2, 'done'],
      [first + 1, 2, 'done'],
    ]);
    await rate(box.config, 1, 'nsfw', '2999-01-06T00:00:00.000Z');
    assert.deepEqual((await listed(box.config)).at(-1), [first + 2, 2, 'done'], 'at most four things');
    await rate(box.config, 6, 'nsfw', '2999-01-07T00:00:00.000Z');
    assert.deepEqual((await listed(box.config))[0], [first + 4, 0, 'forgotten']);
    const openOnce = () => writerAt(box.config, '2999-01-07T00:00:00.000Z');
    await assert.rejects(
      undoChange(first + 4, { openWriter: openOnce, isDryRun: false, isStrict: false }),
      /it changed too much to be remembered/,
    );
    await rate(box.config, 1, 'sfw', '2999-01-18T00:00:00.000Z');
    assert.deepEqual(await listed(box.config), [[first + 5, 1, 'done']], 'ten days');
  });

  test('a change that is a small part of what may stay does not add up all others', async () => {
    const box = sandbox(engine);
    await box.import(images(6).map((id, index) => keyed(index, { id })));
    const now = '2999-01-01T00:00:00.000Z';
    // Every fifth change adds them up.
    const add = (count: number, rating: 'sfw' | 'nsfw') => rate(box.config, count, rating, now, 25_000);
    const numbers = async () => (await listed(box.config)).map(([number]) => number);
    await add(1, 'nsfw');
    tamper(box.config, 'update change set items = 30000');
    await add(1, 'sfw');
    await add(1, 'nsfw');
    assert.deepEqual(await numbers(), [4, 3, 2, 1]);
    await add(1, 'sfw');
    assert.deepEqual(await numbers(), [5, 4, 3]);
    tamper(box.config, 'update change set items = 30000');
    await add(1, 'nsfw');
    assert.deepEqual(await numbers(), [6, 5, 4, 3]);
    await add(6, 'nsfw');
    assert.deepEqual(await numbers(), [7, 6], 'a larger change does');
  });

  test('changes that a wrong clock put into the future do not keep older ones', async () => {
    const box = sandbox(engine);
    await box.import([keyed(0, { id: uuid(4, 1) })]);
    await rate(box.config, 1, 'nsfw', '2999-01-01T00:00:00.000Z');
    tamper(
      box.config,
      `update change set at = '3500' where number = 1; update clock set at = '2999-01-12T00:00:00.000Z', since = ''`,
    );
    await rate(box.config, 1, 'sfw', '2999-01-12T00:00:00.000Z');
    assert.deepEqual(
      (await listed(box.config)).map(([number]) => number),
      [3],
    );
  });

  test('the first change after TRASH_DAYS deletes what is in the trash', async () => {
    const box = sandbox(engine);
    await box.import([keyed(1, { id: uuid(4, 1) }), keyed(2, { id: uuid(4, 2) })]);
    const run = (days: string, ...words: string[]) =>
      runCommand(words, { ...box.environment, TRASH_DAYS: days });
    await run('30', 'undo', '1');
    await run('30', 'entry', 'category', 'one', '--create');
    assert.equal(JSON.parse((await run('30', 'trash', '--json')).output).length, 2);
    await run('0', 'entry', 'category', 'two', '--create');
    assert.equal((await run('0', 'trash')).output, 'the trash is empty\n');
  });
});
