/** `zukan trash` moves images to the trash and back; `zukan remove` takes them down at once and for good. */
import { MENTIONED_KINDS, type MentionedKind } from '../../catalogue/schemas.ts';
import type { CatalogueSnapshot } from '../../catalogue/writer.ts';
import { nameOf } from '../../changes/describe.ts';
import { changeCatalogue } from '../../changes/entries.ts';
import {
  countTakeDown,
  emptyTrash,
  type RemovalTarget,
  removeImages,
  restoreTrashed,
} from '../../changes/remove.ts';
import type { Config } from '../../config/config.ts';
import { DAY_MS, expiryTime } from '../../lib/clock.ts';
import { openSnapshot } from '../../server/engines.ts';
import {
  CommandError,
  confirm,
  count,
  DRY_RUN,
  jsonArray,
  listenForInterrupt,
  printable,
  printLine,
  printLines,
  printStream,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';
import { enginesOf, writersFor } from '../writer.ts';
import { readIds } from './images.ts';

interface TrashFlags extends TargetFlags {
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
    ...enginesOf(config, terminal),
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
  else printLine(terminal, `moved ${moved} to the trash; "zukan undo ${change}" undoes it`);
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
    { ...enginesOf(config, terminal), signal: interrupt.signal },
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
  const rows = trashRows(snapshot, config.trashDays);
  await printStream(terminal, isJson ? jsonArray(rows) : textLines(rows));
}

async function* trashRows({ changeLog }: CatalogueSnapshot, trashDays: number) {
  for await (const { kind, image, removedAt } of changeLog.trash()) {
    const deletedAfter = new Date(Date.parse(removedAt) + trashDays * DAY_MS).toISOString();
    yield { id: image.id, kind, name: nameOf(image), removedAt, deletedAfter };
  }
}

async function* textLines(rows: ReturnType<typeof trashRows>) {
  let isEmpty = true;
  for await (const { id, kind, name, removedAt, deletedAfter } of rows) {
    isEmpty = false;
    const what = kind === 'file' ? 'former file, replaced' : 'removed';
    const dates = `${what} ${removedAt.slice(0, 10)}, kept until ${deletedAfter.slice(0, 10)}`;
    yield printable(`${id}${name && ` (${name})`}  ${dates}`);
  }
  if (isEmpty) yield 'the trash is empty';
}

// `zukan remove`: takes images down at once and for good, with the files that no other image uses.

interface RemoveFlags extends TargetFlags {
  reason: string;
  block: boolean;
  allowAgain: boolean;
  dryRun: boolean;
  yes?: boolean;
}

export async function removeCommand(
  config: Config,
  parameters: string[],
  flags: RemoveFlags,
  terminal: Terminal,
): Promise<void> {
  const { reason, block, allowAgain, dryRun } = flags;
  const [kind] = namedKinds(flags);
  if (block && kind === 'category')
    throw new UsageError(
      '--block is for --artist and --character; "zukan entry category <name> --remove --block" blocks a category',
    );
  if (block && (kind === undefined || allowAgain))
    throw new UsageError('--block needs --artist or --character, and cannot be combined with --allow-again');
  const target = await readTarget(parameters, flags, terminal);
  // After the commit the signal has no effect, so that the files are removed too.
  using interrupt = listenForInterrupt('interrupted; nothing was removed');
  const found = dryRun ? 0 : await countFound(config, target, flags);
  if (found > 0)
    await confirm(
      `This removes ${count(found, 'image')} for good; "zukan trash" keeps them for a while.`,
      flags,
      terminal,
    );
  const { images, copies, allowed, blocked, removeFiles } = await removeImages(target, {
    ...enginesOf(config, terminal),
    now: new Date().toISOString(),
    reason,
    allowAgain,
    blocks: block,
    isDryRun: dryRun,
    toTrash: false,
    signal: interrupt.signal,
  });
  const others = copies > 0 ? ` (${copies} not named, with the same bytes)` : '';
  const removed = count(images.length, 'image') + others;
  if (dryRun) {
    const result = `${DRY_RUN}; ${removed} would be removed`;
    if (images.length > 0) printLines(terminal, [`${result}:`, ...images]);
    else if (allowed === 0) printLine(terminal, result);
    if (block) printLine(terminal, `would block ${quoteAll(blocked)}`);
    if (allowed > 0)
      printLine(terminal, `${DRY_RUN}; ${count(allowed, 'image')} removed before could be imported again`);
    return;
  }
  const files = await removeFiles().catch((error) => {
    throw new CommandError(
      `removed ${removed}, but not the files: ${error.message}; "zukan check --repair" removes them`,
    );
  });
  if (images.length > 0 || allowed === 0)
    printLine(terminal, `removed ${removed} and ${count(files, 'file')}`);
  if (block) printLine(terminal, `blocked ${quoteAll(blocked)}; imports of folders skip their pictures`);
  if (allowed > 0) printLine(terminal, `${count(allowed, 'image')} removed before can be imported again`);
}

const quoteAll = (names: string[]) => names.map((name) => `"${name}"`).join(', ');

// Which images `zukan trash` and `zukan remove` are about.

type TargetFlags = Partial<Record<MentionedKind, string>>;

const namedKinds = (flags: TargetFlags): MentionedKind[] =>
  MENTIONED_KINDS.filter((kind) => flags[kind] !== undefined);

async function readTarget(
  parameters: string[],
  flags: TargetFlags,
  terminal: Terminal,
): Promise<RemovalTarget> {
  const [kind, ...others] = namedKinds(flags);
  // Whether several mean all of them or what they share is anyone's guess.
  if (others.length > 0 || (kind === undefined) === (parameters.length === 0))
    throw new UsageError(
      'name either ids, or one of --artist, --character and --category; "zukan find … | zukan trash -" combines them',
    );
  return kind ? { kind, reference: flags[kind] as string } : { ids: await readIds(parameters, terminal) };
}

async function countFound(config: Config, target: RemovalTarget, flags: RemoveFlags): Promise<number> {
  await using snapshot = await openSnapshot(config);
  return await countTakeDown(target, snapshot, flags);
}
