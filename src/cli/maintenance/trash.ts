/** `zukan trash`: moves images to the trash, lists those that it has, restores some, or deletes all of them. */
import { availableParallelism } from 'node:os';
import { nameOf } from '../../changes/describe.ts';
import { type RemovalTarget, removeImages } from '../../changes/remove.ts';
import { changeCatalogue } from '../../changes/transaction.ts';
import { emptyTrash, restoreTrashed } from '../../changes/trash.ts';
import type { Config } from '../../config/config.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import { expiryTime } from '../../store/contract/clock.ts';
import { confirm } from '../terminal/ask.ts';
import { listenForInterrupt, UsageError } from '../terminal/errors.ts';
import { printLine, printLines, printStream, type Terminal } from '../terminal/terminal.ts';
import { count, printable } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { readIds } from './image-ids.ts';
import { namedKinds, readTarget, type TargetFlags } from './removal-target.ts';

const DRY_RUN = 'dry run, nothing was changed';

export interface TrashFlags extends TargetFlags {
  restore?: string[];
  empty: boolean;
  acceptClock: boolean;
  json: boolean;
  dryRun: boolean;
  yes?: boolean;
}

export async function trashCommand(
  config: Config,
  parameters: string[],
  flags: TrashFlags,
  terminal: Terminal,
): Promise<void> {
  const { restore, empty, acceptClock, json, dryRun } = flags;
  const moves = parameters.length > 0 || namedKinds(flags).length > 0;
  if ([moves, restore, empty, acceptClock].filter(Boolean).length > 1)
    throw new UsageError('name either images to move to the trash, --restore, --empty or --accept-clock');
  if (moves) await moveCommand(config, await readTarget(parameters, flags, terminal), dryRun, terminal);
  else if (restore) await restoreCommand(config, restore, dryRun, terminal);
  else if (empty) await emptyCommand(config, flags, terminal);
  else if (acceptClock) await acceptCommand(config, flags, terminal);
  else await listTrash(config, json, terminal);
}

async function moveCommand(
  config: Config,
  target: RemovalTarget,
  isDryRun: boolean,
  terminal: Terminal,
): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was changed');
  const { images, change } = await removeImages(target, {
    files: openFiles(config),
    openWriter: writersFor(config, terminal),
    openSnapshot: () => openSnapshot(config),
    concurrency: 2 * availableParallelism(),
    now: new Date().toISOString(),
    reason: '',
    allowAgain: false,
    isDryRun,
    toTrash: true,
    signal: interrupt.signal,
  });
  const moved = count(images.length, 'image');
  if (isDryRun) printLines(terminal, [`${DRY_RUN}; ${moved} would be moved to the trash`, ...images]);
  else if (images.length === 0) printLine(terminal, `moved ${moved} to the trash`);
  else printLine(terminal, `moved ${moved} to the trash; "zukan undo ${change}" restores them`);
}

async function restoreCommand(
  config: Config,
  parameters: string[],
  isDryRun: boolean,
  terminal: Terminal,
): Promise<void> {
  const ids = await readIds(parameters, terminal);
  await changeCatalogue(writersFor(config, terminal), isDryRun, (writer) => restoreTrashed(writer, ids));
  const images = count(ids.length, 'image');
  printLine(terminal, isDryRun ? `${DRY_RUN}; ${images} would be restored` : `restored ${images}`);
}

/** Deletes what the trash had when it was counted. */
async function emptyCommand(config: Config, flags: TrashFlags, terminal: Terminal): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was deleted');
  const { images, last } = await countTrash(config);
  if (flags.dryRun) {
    printLine(terminal, `${DRY_RUN}; ${count(images, 'image')} would be deleted for good`);
    return;
  }
  if (images > 0)
    await confirm(`This deletes ${count(images, 'image')} in the trash for good.`, flags, terminal);
  const deleted = await emptyTrash(
    { upTo: last },
    { files: openFiles(config), openWriter: writersFor(config, terminal), signal: interrupt.signal },
  );
  printLine(
    terminal,
    `deleted ${count(deleted.images, 'image')} and ${count(deleted.files, 'file')} for good`,
  );
}

/** The commit then deletes what is too old. */
async function acceptCommand(config: Config, flags: TrashFlags, terminal: Terminal): Promise<void> {
  const now = new Date().toISOString();
  const { images, changes } = await countExpired(config, now);
  const deleted = `${count(images, 'image')} in the trash and ${count(changes, 'change')} in the history`;
  if (flags.dryRun) {
    printLine(terminal, `${DRY_RUN}; ${deleted} would be deleted for good`);
    return;
  }
  if (images + changes > 0)
    await confirm(`If it is ${now} now, this deletes ${deleted} for good.`, flags, terminal);
  await changeCatalogue(writersFor(config, terminal), false, async (writer) =>
    writer.changeLog.acceptClock(),
  );
  printLine(terminal, `accepted the time ${now}`);
}

async function countExpired(config: Config, now: string): Promise<{ images: number; changes: number }> {
  await using snapshot = await openSnapshot(config);
  const { changeLog } = snapshot;
  let [images, changes] = [0, 0];
  for await (const { removedAt } of changeLog.trash())
    if (removedAt < expiryTime(now, config.trashDays)) images++;
  for await (const { at } of changeLog.changes()) if (at < expiryTime(now, config.historyDays)) changes++;
  return { images, changes };
}

/** Also former files of images. `last` is the newest change that moved any there. */
async function countTrash(config: Config): Promise<{ images: number; last: number }> {
  await using snapshot = await openSnapshot(config);
  let [images, last] = [0, 0];
  for await (const { change } of snapshot.changeLog.trash()) {
    images++;
    last = Math.max(last, change);
  }
  return { images, last };
}

async function listTrash(config: Config, isJson: boolean, terminal: Terminal): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const rows = async function* (): AsyncGenerator<Row, void> {
    for await (const { kind, image, removedAt } of snapshot.changeLog.trash()) {
      const deletedAfter = new Date(Date.parse(removedAt) + config.trashDays * DAY_MS).toISOString();
      if (kind === 'image') yield { id: image.id, name: nameOf(image), removedAt, deletedAfter };
    }
  };
  await printStream(terminal, isJson ? jsonLines(rows()) : textLines(rows()));
}

interface Row {
  id: string;
  /** Its title, or the name of its file. Empty if it has neither. */
  name: string;
  removedAt: string;
  deletedAfter: string;
}

async function* textLines(rows: AsyncIterable<Row>) {
  let isEmpty = true;
  for await (const { id, name, removedAt, deletedAfter } of rows) {
    isEmpty = false;
    const dates = `removed ${removedAt.slice(0, 10)}, kept until ${deletedAfter.slice(0, 10)}`;
    yield printable(`${id}${name && ` (${name})`}  ${dates}`);
  }
  if (isEmpty) yield 'the trash is empty';
}

async function* jsonLines(rows: AsyncIterable<object>) {
  let last = '[';
  for await (const row of rows) {
    yield last === '[' ? last : `${last},`;
    last = printable(JSON.stringify(row));
  }
  yield last;
  yield ']';
}
