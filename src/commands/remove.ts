/** `zukan remove`: removes images at once, and the files that no other image uses. */
import type { Config } from '../config/config.ts';
import { openFiles, openWriter } from '../engines.ts';
import { removeUnusedFiles } from '../import/cleanup.ts';
import { CommandError } from './errors.ts';
import { printLine, type Terminal } from './terminal.ts';
import { count } from './text.ts';

export async function removeCommand(config: Config, ids: string[], terminal: Terminal): Promise<void> {
  const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
  const keys = await removeImages(config, unique);
  const files = await removeUnusedFiles(openFiles(config), keys, () => openWriter(config));
  printLine(terminal, `removed ${count(unique.length, 'image')} and ${count(files, 'file')}`);
}

/** Returns the keys of the removed images' files. */
async function removeImages(config: Config, ids: string[]): Promise<string[]> {
  await using writer = await openWriter(config);
  const removed = await writer.removeImages(ids);
  const missing = ids.filter((id) => !removed.some((row) => row.id === id));
  if (missing.length > 0)
    throw new CommandError(`nothing was removed: there is no image with the id ${missing.join(', ')}`);
  await writer.commit();
  return [...new Set(removed.map(({ key }) => key))];
}
