/** `zukan remove`: removes images at once, and the files that no other image uses. */
import { fileKeys } from '../catalogue/thumbnails.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { openFiles, openWriter } from '../engines.ts';
import { removeAbandonedFiles, removeUnusedFiles } from '../import/cleanup.ts';
import type { Files, Journal } from '../media/files.ts';
import { CommandError } from './errors.ts';
import { listenForInterrupt } from './interrupt.ts';
import { printLine, type Terminal } from './terminal.ts';
import { count } from './text.ts';

export async function removeCommand(config: Config, ids: string[], terminal: Terminal): Promise<void> {
  const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
  const files = openFiles(config);
  // After the commit the signal has no effect, so that the files are removed too.
  using interrupt = listenForInterrupt('interrupted; nothing was removed');
  const { keys, journal } = await removeImages(config, files, unique, interrupt.signal);
  const removed = await removeJournaled(config, files, keys, journal).catch((error) => {
    throw new CommandError(
      `removed ${count(unique.length, 'image')}, but not the files: ${error.message}; "zukan check --repair" removes them`,
    );
  });
  printLine(terminal, `removed ${count(unique.length, 'image')} and ${count(removed, 'file')}`);
}

/** Returns the keys of the removed images' files, and the journal that lists them. */
async function removeImages(
  config: Config,
  files: Files,
  ids: string[],
  signal: AbortSignal,
): Promise<{ keys: string[]; journal: Journal }> {
  await using writer = await openWriter(config);
  await removeAbandonedFiles(files, writer);
  const removed = await writer.removeImages(ids);
  const missing = ids.filter((id) => !removed.some((row) => row.id === id));
  if (missing.length > 0)
    throw new CommandError(`nothing was removed: there is no image with the id ${missing.join(', ')}`);
  const keys = [...new Set(removed.flatMap(fileKeys))];
  return { keys, journal: await commitWithJournal(writer, files, keys, signal) };
}

async function commitWithJournal(
  writer: CatalogueWriter,
  files: Files,
  keys: string[],
  signal: AbortSignal,
): Promise<Journal> {
  const journal = await files.startJournal();
  try {
    await Promise.all(keys.map((key) => journal.add(key)));
    if (!signal.aborted) await writer.commit();
  } catch (error) {
    // Whether the commit succeeded may be unknown. The next command looks up which files are unused.
    await journal.abandon();
    throw error;
  }
  if (!signal.aborted) return journal;
  await journal.finish();
  throw signal.reason;
}

async function removeJournaled(
  config: Config,
  files: Files,
  keys: string[],
  journal: Journal,
): Promise<number> {
  try {
    const removed = await removeUnusedFiles(files, keys, () => openWriter(config));
    await journal.finish();
    return removed;
  } catch (error) {
    await journal.abandon();
    throw error;
  }
}
