/** The change log as those who change the catalogue see it: what they need to undo changes, and the trash. */
import type { Change, ChangeLogWriter } from '../../catalogue/change-log.ts';
import { expiryTime, isInDoubt, type NotedTime, noteTime } from '../../lib/clock.ts';
import { inBatches, mapEach } from '../../lib/concurrency.ts';
import { readPages, readValues, type SqlValue, type WriteSession } from '../session.ts';
import {
  addChanges,
  addItems,
  addTrash,
  CHANGE_COLUMNS,
  createChangeLogReader,
  ITEM_COLUMNS,
  type ItemRow,
  readTrash,
  repairItems,
  toItem,
} from './log.ts';
import { type ChangeContext, type ChangeRecorder, MAX_ITEMS } from './recorder.ts';

/** Rows of the trash that are removed together. */
const BATCH_SIZE = 500;
const UUID_LENGTH = 36;

/** Items of changes that undo others do not count: what those changed counts again when they are undone themselves. */
const IS_DONE = 'undone_by is null and change not in (select number from change where undoes is not null)';

export function createChangeLog(
  session: WriteSession,
  recorder: ChangeRecorder,
  expiry: Expiry,
  lastImage: number,
  reserveNumbers: (numbers: number[]) => void,
): ChangeLogWriter {
  return {
    ...createChangeLogReader(session),
    number: recorder.number,
    lastImage,
    describe: (summary) => recorder.describe(summary),
    nameEdit: (edit) => recorder.nameEdit(edit),
    async findEdit(edit) {
      const text = `select ${CHANGE_COLUMNS} from change
        where number in (select change from applied_edit where id = $1)`;
      return (await session.query<Change>(text, [edit]))[0];
    },
    async imagesSince(change, edit, ids) {
      const [known] = await session.query<Record<'first' | 'last' | 'forgotten', number | null>>(
        `select (select min(number) from change) as first, (select max(number) from change) as last,
           (select max(number) from change where number > $1 and state = 'forgotten') as forgotten`,
        [change],
      );
      const { first, last, forgotten } = known ?? {};
      if (change < (first ?? 1) - 1 || change > (last ?? 0) || typeof forgotten === 'number')
        return undefined;
      const text = `select ${ITEM_COLUMNS} from change_item
        where change > $1 and change < $4 and kind = 'image' and id = any($2) and change not in
          (select change from applied_edit where change > $1 and substr(id, 1, ${UUID_LENGTH}) = substr($3, 1, ${UUID_LENGTH}))`;
      return (await session.query<ItemRow>(text, [change, ids, edit, recorder.number])).map(toItem);
    },
    startImport: (source, continues) => recorder.startImport(source, continues),
    current: () => recorder.current(),
    startUndo: (change) => recorder.startUndo(change),
    async markUndone({ number }, items) {
      const rows = items.map(({ kind, id }) => ({ change: number, kind, id, by: recorder.number }));
      const isItem = 'change_item.kind = given.kind and change_item.id = given.id';
      const columns = { change: 'int', kind: 'text', id: 'text', by: 'int' } as const;
      await session.runWith(
        columns,
        rows,
        `update change_item set undone_by = given.by from given where change_item.change = given.change and ${isItem}`,
      );
      await session.runWith(
        columns,
        rows,
        `update change_item set undone_by = null from given where change_item.undone_by = given.change and ${isItem}`,
      );
    },
    async closeChange({ number }) {
      await session.run(`update change set state = 'undone' where number = $1`, [number]);
    },
    addedImages({ firstImage, lastImage: last }) {
      const text = 'select number, id from image where number <= $1 and number > $2 order by number';
      const keyOf = ({ number }: { number: number; id: string }) => [number];
      const pages = readPages(session, text, [last], [firstImage - 1], keyOf);
      return mapEach(pages, (rows) => rows.map(({ id }) => id));
    },
    async laterItems({ number }, kind, ids) {
      const text = `select ${ITEM_COLUMNS} from change_item
        where kind = $2 and id = any($3) and change > $1 and ${IS_DONE} order by change`;
      return Map.groupBy(
        (await session.query<ItemRow>(text, [number, kind, ids])).map(toItem),
        ({ id }) => id,
      );
    },
    laterImages({ number }) {
      const text = `select ${ITEM_COLUMNS} from change_item
        where kind = 'image' and change > $1 and ${IS_DONE}`;
      return mapEach(session.stream<ItemRow>(text, [number]), toItem);
    },
    async removedEntries(kind, ids) {
      const text = `select distinct id as value from change_item
        where kind = $1 and id = any($2) and after is null and ${IS_DONE}`;
      return new Set(await readValues<string>(session, text, [kind, ids]));
    },
    async trashedOfRange({ firstImage, lastImage: last }) {
      const rows = await readTrash(session, `kind = 'image' and number >= $1 and number <= $2`, [
        firstImage,
        last,
      ]);
      return rows.filter(({ isByUndo }) => !isByUndo).map(({ image }) => image.id);
    },
    async takeFromTrash(rows) {
      for (const [change, ofChange] of Map.groupBy(rows, ({ change }) => change))
        for (const batch of inBatches(ofChange, BATCH_SIZE))
          await session.run('delete from trash where change = $1 and id = any($2)', [
            change,
            batch.map(({ image }) => image.id),
          ]);
      // Albums forget images that are gone for good.
      const isGone = 'image not in (select id from image) and image not in (select id from trash)';
      for (const batch of inBatches(rows, BATCH_SIZE))
        await session.run(`delete from album_image where image = any($1) and ${isGone}`, [
          batch.map(({ image }) => image.id),
        ]);
    },
    acceptClock: () => expiry.accept(),
    trashBefore: (time) =>
      time === undefined
        ? readTrash(session, 'true', [])
        : readTrash(
            session,
            // No change was made before an earlier one, whatever the clock said.
            `removed_at < $1 and
               change < (select coalesce(min(number), $3) from change where at >= $1 and at <= $2)`,
            [time, expiry.now, recorder.number],
          ),
    async restore({ changes, items, trash }) {
      recorder.switchOff();
      await addChanges(session, changes);
      await addItems(session, items);
      await addTrash(session, trash);
      reserveNumbers(trash.flatMap(({ kind, image }) => (kind === 'image' ? [image.number] : [])));
    },
    repair: (broken) => repairItems(session, broken),
  };
}

// Notes the time with each commit, and forgets changes that are too old or too many.

/** How often the items of all changes are summed while as many are added as may stay. */
const SUMS = 5000;

export type Expiry = ReturnType<typeof createExpiry>;

/** `oldest` is the time of the oldest change. */
export function createExpiry(
  session: WriteSession,
  { now, historyDays, maxItems = MAX_ITEMS }: ChangeContext,
  noted: NotedTime,
  oldest: string | null,
) {
  let clock = noteTime(noted, now);

  /** The statement finds the last one. */
  const forgetChanges = async (text: string, values: SqlValue[]) => {
    const [last] = await session.query<{ number: number | null }>(text, values);
    if (typeof last?.number !== 'number') return;
    await session.run('delete from change where number <= $1', [last.number]);
    await session.run('delete from change_item where change <= $1', [last.number]);
    await session.run('delete from applied_edit where change <= $1', [last.number]);
  };

  return {
    now,
    get clock() {
      return clock;
    },
    /** Somebody knows that the present time is right. */
    accept() {
      clock = { at: now, since: '' };
    },
    async finish(recorder: ChangeRecorder): Promise<void> {
      const { at, since } = clock;
      if (clock !== noted) await session.run('update clock set at = $1, since = $2', [at, since]);
      const change = recorder.current();
      if (!change && since === noted.since) return;
      const expiry = expiryTime(now, historyDays);
      const isKept = oldest !== null && oldest >= expiry && oldest <= now;
      if (!isKept && !isInDoubt(clock, expiry))
        // No change was made before an earlier one, nor in the future, whatever the clock said.
        await forgetChanges(
          `select max(number) as number from change where at < $2 and number < coalesce(
             (select number from change where at >= $2 and at <= $3 order by number limit 1), $1)`,
          [recorder.number, expiry, now],
        );
      // Summing takes longer the more changes there are.
      const untilSummed = Math.ceil(maxItems / SUMS);
      if (recorder.number % untilSummed === 0 || (change?.items ?? 0) >= untilSummed)
        await forgetChanges(
          `select max(number) as number from
             (select number, sum(items) over (order by number desc) as total from change) as summed
           where number < $1 and total > $2`,
          [recorder.number, maxItems],
        );
    },
  };
}
