/** How much space disks have left. */
import { statfsSync, statSync } from 'node:fs';

export interface Disk {
  /** The first of the folders that are on it. */
  folder: string;
  free: number;
  size: number;
}

const MIN_FREE_BYTES = 1024 ** 3;
/** A small disk is allowed to have little space. */
const MIN_FREE_SHARE = 0.05;
/** SQLite needs a few pages to do anything. */
const FULL_BYTES = 128 * 1024;

export const isNearlyFull = ({ free, size }: Disk): boolean =>
  free < Math.min(MIN_FREE_BYTES, size * MIN_FREE_SHARE);

export const isFull = ({ free }: Disk): boolean => free < FULL_BYTES;

/** Folders that do not exist, and file systems that do not tell, are left out. */
export function measureDisks(folders: string[]): Disk[] {
  const disks = new Map<number, Disk>();
  for (const folder of folders)
    try {
      const { dev } = statSync(folder);
      const { bavail, blocks, bsize } = statfsSync(folder);
      if (blocks > 0 && !disks.has(dev))
        disks.set(dev, { folder, free: bavail * bsize, size: blocks * bsize });
    } catch {}
  return [...disks.values()];
}
