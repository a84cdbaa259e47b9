/** Tells whether the picture of a folder, and what is next to it, changed since it was imported. */
import { hash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import { join } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import type { FolderCategories } from './folder-file.ts';

/** Increase it when a picture or a sidecar would be read differently. Every file is then read once more. */
const READER_VERSION = 2;

/**
 * A file that was written less than this before it was read may be written again without a change of its times: some file
 * systems count in steps of two seconds. It is read again the next time.
 */
const MIN_AGE_MS = 2100;

/** What an import reads, and how. */
interface ReadOptions {
  keepsLocation: boolean;
  thumbnailSizes: readonly number[];
  folderCategories: FolderCategories;
}

/** Options that change what is stored are part of every fingerprint. */
export function describeOptions({ keepsLocation, thumbnailSizes, folderCategories }: ReadOptions): string {
  return JSON.stringify([READER_VERSION, keepsLocation, thumbnailSizes, folderCategories]);
}

interface Fingerprint {
  text: string;
  /** Whether the file may still change without its fingerprint. */
  isRecent: boolean;
}

/**
 * The size and times of a picture and of the files next to it that may be its sidecars. The time of the last change of the
 * inode is one of them: a file that is moved over another one keeps the time of its contents.
 * Undefined if one of the files cannot be read, which the import then reports.
 */
export function takeFingerprint(
  folder: string,
  path: string,
  companions: string[],
  options: string,
  now: number,
): Fingerprint | undefined {
  const facts: string[] = [];
  let newest = 0;
  try {
    for (const name of [path, ...companions]) {
      // Synchronous, because that is much faster, and a folder has many files.
      const stats = statSync(join(folder, name), { bigint: true });
      facts.push(`${normaliseName(name)} ${describeStats(stats)}`);
      newest = Math.max(newest, Number(stats.ctimeMs), Number(stats.mtimeMs));
    }
  } catch {
    return undefined;
  }
  return { text: hash('sha256', [options, ...facts].join('\n')), isRecent: newest > now - MIN_AGE_MS };
}

function describeStats({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs}`;
}
