/** `zukan remove`: takes images out at once, and the bytes that no other image uses. */
import type { Config } from '../config/config.ts';
import { openFiles, openWriter } from '../engines.ts';
import { removeUnused } from '../import/leftovers.ts';
import { CommandError } from './errors.ts';

export async function removeCommand(config: Config, ids: string[]): Promise<void> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const keys = await removeImages(config, wanted);
  const bytes = await removeUnused(openFiles(config), keys, () => openWriter(config));
  console.log(`${wanted.length} removed, with the bytes of ${bytes}`);
}

/** Gives the keys of their bytes. */
async function removeImages(config: Config, ids: string[]): Promise<string[]> {
  await using writer = await openWriter(config);
  const removed = await writer.removeImages(ids);
  const missing = ids.filter((id) => !removed.some((row) => row.id === id));
  if (missing.length > 0)
    throw new CommandError(`nothing was removed: there is no image ${missing.join(', ')}`);
  await writer.commit();
  return [...new Set(removed.map(({ key }) => key))];
}
