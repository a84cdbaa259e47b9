/** Open descriptors of this process. */
import { readdirSync, readlinkSync } from 'node:fs';

/** How many descriptors are open files in the folder. */
export function countOpenFiles(folder: string): number {
  const isInFolder = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc/self/fd').filter(isInFolder).length;
}
