/** `zukan remove`: takes images out at once, and the bytes that no other image uses. */
import type { Config } from '../config.ts';
import { filesOf, writerOf } from '../engines.ts';
import { CommandError } from './failure.ts';

export async function removeCommand(config: Config, ids: string[]): Promise<void> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const writer = await writerOf(config);
  const removed = await writer.removeImages(wanted);
  const missing = wanted.filter((id) => !removed.some((row) => row.id === id));
  if (missing.length > 0) {
    await writer.rollback();
    throw new CommandError(`nothing was removed: there is no image ${missing.join(', ')}`);
  }
  const unused = await writer.unusedKeys([...new Set(removed.map(({ key }) => key))]);
  await writer.commit();
  const files = filesOf(config);
  for (const key of unused) await files.remove(key);
  console.log(`${removed.length} removed, with the bytes of ${unused.length}`);
}
