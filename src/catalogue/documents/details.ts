/**
 * What an image is called, and where it came from. Its document has these behind the public JSON (document.ts), and none of
 * them if all are empty, as those of versions up to 0.5. `include=details` adds all but the file name, which never leaves the server.
 */

/** Texts are empty if unknown. */
export interface Details {
  title: string;
  description: string;
  /** When it was taken or published, as ISO 8601: a date, or a date and time, with an offset if that is known. */
  takenAt: string;
  /** Of its source file, without folders. */
  fileName: string;
}

export type DetailField = Exclude<keyof Details, 'fileName'>;
/** Those that an operator can change. */
export const DETAIL_FIELDS: readonly DetailField[] = ['title', 'description', 'takenAt'];

export function isDetailField(name: string): name is DetailField {
  return (DETAIL_FIELDS as readonly string[]).includes(name);
}

export const MAX_TITLE_LENGTH = 255;
export const MAX_DESCRIPTION_LENGTH = 10_000;
export const MAX_FILE_NAME_LENGTH = 255;

export const NO_DETAILS: Details = { title: '', description: '', takenAt: '', fileName: '' };

/** The public JSON of an image without any. */
export const EMPTY_DETAILS_JSON = '{"title":"","description":"","takenAt":""}';

/** Two parts of a document: what responses may contain, and the file name, both as JSON. None if all are empty. */
export function formatDetails({ title, description, takenAt, fileName }: Details): string[] {
  if (!title && !description && !takenAt && !fileName) return [];
  return [JSON.stringify({ title, description, takenAt }), JSON.stringify(fileName)];
}

export function parseDetails([details, fileName]: string[]): Details {
  if (details === undefined || fileName === undefined) return NO_DETAILS;
  return { ...(JSON.parse(details) as Omit<Details, 'fileName'>), fileName: JSON.parse(fileName) };
}

export const takenAtPattern =
  '^(\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})?)?)?$';
const takenAtShape = new RegExp(takenAtPattern);

/** Whether it is empty, or a date that exists. A time without an offset stays local: nobody knows where it was. */
export function isTakenAt(text: string): boolean {
  if (text === '') return true;
  if (!takenAtShape.test(text)) return false;
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  const exists = !Number.isNaN(day) && new Date(day).toISOString().startsWith(text.slice(0, 10));
  return exists && !Number.isNaN(Date.parse(text));
}

/** The first characters, without half of the last one. */
export function cutText(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}
