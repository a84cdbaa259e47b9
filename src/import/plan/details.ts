/** The title, description, date and file name of an image: what its record states, or else what it has. Pure. */
import {
  cutText,
  type Details,
  MAX_FILE_NAME_LENGTH,
  MAX_TITLE_LENGTH,
  NO_DETAILS,
} from '../../catalogue/documents/details.ts';
import { cleanName } from '../../catalogue/hidden-characters.ts';
import type { ImageLine } from '../records/record.ts';

/**
 * `isDecided` is whether an operator decided the title. A title that nobody stated is the name of the file made readable, and
 * follows the name.
 */
export function planDetails(record: ImageLine, before: Details = NO_DETAILS, isDecided = false): Details {
  const { title, description = before.description, takenAt = before.takenAt } = record;
  const fileName = record.fileName ?? planFileName(record, before.fileName);
  const isDerived = !isDecided && (before.title === '' || before.title === readableName(before.fileName));
  return {
    title: title ?? (isDerived ? readableName(fileName) : before.title),
    description,
    takenAt,
    fileName,
  };
}

/**
 * A picture of a folder may be renamed. A catalogue file may have two records of the same bytes, and importing it again changes
 * nothing. A hash tells less than a former name.
 */
function planFileName({ file = '', isFromFolder }: ImageLine, before: string): string {
  const name = baseName(file);
  return before !== '' && (!isFromFolder || readableName(name) === '') ? before : name;
}

/** The last part of a path, whichever system wrote it. */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return cutText(name.replaceAll('\0', '').toWellFormed().normalize(), MAX_FILE_NAME_LENGTH);
}

const EXTENSION = /(?!^)\.[a-z0-9]{1,5}$/i;
/** A letter or two and a number, as cameras, phones and sites name files: `IMG_2041`, `PXL_20240501_120000`, `1234_p0`. */
const CAMERA_NAME = /^[a-z]{0,10}[-_]?\d[\d_.-]*([-_]?[a-z]{1,3}\d*)?$/i;
/** What file managers add to the name of a copy: ` (2)`, ` - Copy`, ` copy 3`. */
const COPY_MARK = /(?:\s*\(\d{1,3}\)|[\s_-]+copy(?:[\s_-]*\d{1,3})?)$/i;
/** A UUID, or 32 and more hexadecimal digits. */
const HASH = /(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,128})(?![0-9a-z])/gi;

/**
 * The name of a file as a title: `fox-in_the snow (2).jpg` is "fox in the snow". Names that cameras give stay as they are: people
 * know them. A hash or a UUID says nothing to anyone, so it is left out; the title is empty if nothing else is there.
 */
export function readableName(fileName: string): string {
  const stem = decodePercent(fileName.normalize().replace(EXTENSION, ''));
  const plain = withoutCopyMarks(cleanName(stem.replace(/\p{Cc}/gu, ' ')));
  if (CAMERA_NAME.test(plain)) return cutText(plain, MAX_TITLE_LENGTH);
  const named = plain.replace(HASH, ' ');
  const words = named.replace(/_+/g, ' ').replace(/(?<=\S)-+(?=\S)/g, ' ');
  const title = words.replace(/\s+/g, ' ').replace(/^[\s-]+|[\s-]+$/g, '');
  // Nothing but signs: as it is.
  return cutText(title || (named.trim() === '' ? '' : plain), MAX_TITLE_LENGTH);
}

function withoutCopyMarks(name: string): string {
  let left = name;
  // A copy of a copy has two. A name of nothing else stays.
  for (let marks = 0; marks < 3; marks++) left = left.replace(COPY_MARK, '') || left;
  return left.trim() || name;
}

/** `%20` is a space in names that come from a web address. Other percent signs stay. */
function decodePercent(name: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(name) ? decodeURIComponent(name).normalize() : name;
  } catch {
    return name;
  }
}
