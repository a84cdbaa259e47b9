/** In which order an import adds the pictures of its folders: the newest one last, so that it comes first where the latest do. Pure. */

import { DAY_MS } from '../../lib/clock.ts';

/** Older dates of files are those of archives and clocks that had none. */
const FIRST_PLAUSIBLE = Date.UTC(1990);

export interface OrderedFile {
  source: number;
  path: string;
  /** When the file was changed. */
  modified: number;
  takenAt?: string | undefined;
}

/**
 * Sorts after the places of older pictures. `group` is that of the source: what is not a picture of a folder stays at its place
 * between them. Files that were written within a day are likely to be copies that somebody made for the import, and those
 * of one minute to be made by one command: they are in the natural order of their names.
 */
export function placeOf(group: number, file: OrderedFile | undefined, now: number): string {
  const start = String(group).padStart(6, '0');
  if (!file) return start;
  const { source, path, takenAt, modified } = file;
  const date = takenAt ? dateOf(takenAt) : fileDate(Math.min(modified, now - DAY_MS));
  const name = path.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(20, '0'));
  return [start, date, String(source).padStart(6, '0'), name].join(' ');
}

/** Empty if the file has no date that is worth anything. */
function fileDate(modified: number): string {
  return modified < FIRST_PLAUSIBLE
    ? ''
    : `${new Date(modified).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)}`;
}

/** A time without a time zone is taken for one of UTC. */
function dateOf(takenAt: string): string {
  const hasZone = !takenAt.includes('T') || /(?:Z|[+-]\d\d:\d\d)$/.test(takenAt);
  return new Date(hasZone ? takenAt : `${takenAt}Z`).toISOString();
}
