/** Reads the JSON of Google Takeout. People, places and the address of the picture there stay private. */
import type { SidecarFields } from './fields.ts';
import { descriptionText, titleText } from './texts.ts';

type Fields = Record<string, unknown>;

export function isTakeout({ photoTakenTime, title }: Fields): boolean {
  return typeof photoTakenTime === 'object' && photoTakenTime !== null && typeof title === 'string';
}

export function readTakeout(fields: Fields): SidecarFields {
  const title = titleText(fields.title);
  // The title is the name that the file had, which may have been cut since, or one that somebody gave.
  const isFileName = title !== undefined && /\.[a-z0-9]{2,5}$/i.test(title) && !/[/\\]/.test(title);
  const takenAt = timeIn(fields.photoTakenTime);
  return {
    title: isFileName ? undefined : title,
    fileName: isFileName ? title : undefined,
    description: descriptionText(fields.description),
    createdAt: takenAt,
    takenAt,
    marked: { rating: undefined, unknown: [] },
    hidden: hiddenReason(fields),
  };
}

function hiddenReason({ archived, trashed, inLockedFolder }: Fields): string | undefined {
  if (inLockedFolder === true) return 'locked in Google Photos';
  if (trashed === true) return 'in the trash of Google Photos';
  return archived === true ? 'archived in Google Photos' : undefined;
}

function timeIn(value: unknown): string | undefined {
  const { timestamp } = (value ?? {}) as { timestamp?: unknown };
  const seconds = /^-?\d{1,11}$/.test(String(timestamp)) ? Number(timestamp) : Number.NaN;
  const time = new Date(seconds * 1000);
  const iso = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  // Pictures without a date have the first moment of 1970.
  return /^\d{4}-/.test(iso) && seconds !== 0 ? iso : undefined;
}

const ENDING = '.supplemental-metadata';
/** Takeout cuts longer names of files. */
const MAX_LENGTH = 46;

/**
 * The picture that a JSON file with such a name is about, or undefined: `a.jpg.supplemental-metadata(1).json` and `a.jpg(1).json`
 * are about `a(1).jpg`. The ending may be cut.
 */
export function takeoutSubject(name: string): string | undefined {
  const [, body = '', number = ''] = /^(.+?)(\(\d{1,4}\))?\.json$/i.exec(name) ?? [];
  const dot = body.search(/\.(?:s[a-z-]*)?$/i);
  const hasEnding = dot > 0 && ENDING.startsWith(body.slice(dot).toLowerCase());
  if (!hasEnding && number === '') return undefined;
  const subject = hasEnding ? body.slice(0, dot) : body;
  return subject.replace(/(\.[^.]*)?$/, `${number}$1`);
}

/** The names that a picture has in those of its JSON files: its own, cut, and that of the picture it was made from. */
export function takeoutNames(picture: string): string[] {
  const original = picture.replace(/-edited(\(\d+\))?(?=\.[^.]*$)/i, '$1');
  return [...new Set([picture, picture.slice(0, MAX_LENGTH), original])];
}
