/** `zukan trash`: lists the images in the trash, restores some, or deletes all of them. */
import { nameOf } from '../../changes/describe.ts';
import { changeCatalogue } from '../../changes/transaction.ts';
import { emptyTrash, restoreTrashed } from '../../changes/trash.ts';
import type { Config } from '../../config/config.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import { listenForInterrupt, UsageError } from '../terminal/errors.ts';
import { printLine, printStream, type Terminal } from '../terminal/terminal.ts';
import { count, printable } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { readIds } from './image-ids.ts';

export interface TrashFlags {
  restore?: string[];
  empty: boolean;
  json: boolean;
}

export async function trashCommand(config: Config, flags: TrashFlags, terminal: Terminal): Promise<void> {
  const { restore, empty, json } = flags;
  if (restore && empty) throw new UsageError('name either --restore or --empty');
  if (restore) await restoreCommand(config, restore, terminal);
  else if (empty) await emptyCommand(config, terminal);
  else await listTrash(config, json, terminal);
}

async function restoreCommand(config: Config, parameters: string[], terminal: Terminal): Promise<void> {
  const ids = await readIds(parameters, terminal);
  await changeCatalogue(writersFor(config, terminal), false, (writer) => restoreTrashed(writer, ids));
  printLine(terminal, `restored ${count(ids.length, 'image')}`);
}

async function emptyCommand(config: Config, terminal: Terminal): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was deleted');
  const deleted = await emptyTrash(undefined, {
    files: openFiles(config),
    openWriter: writersFor(config, terminal),
    signal: interrupt.signal,
  });
  printLine(
    terminal,
    `deleted ${count(deleted.images, 'image')} and ${count(deleted.files, 'file')} for good`,
  );
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
