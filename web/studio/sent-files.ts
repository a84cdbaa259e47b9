/**
 * Which files of an unfinished batch were added already, as long as the tab is open: after a reload or a lost connection,
 * somebody who chooses the same folder again goes on with the rest.
 */
import type { ChosenFile } from './dropped-files.ts';

const PREFIX = 'sent ';

/** The same name, size and time are the same file. */
const keyOf = ({ file, folders }: ChosenFile) =>
  PREFIX + JSON.stringify([...folders, file.name, file.size, file.lastModified]);

/** A file that is added with other fields is sent again, because it then gets these. */
export function wasSent(chosen: ChosenFile, fields: object): boolean {
  return sessionStorage.getItem(keyOf(chosen)) === JSON.stringify(fields);
}

export function rememberSent(chosen: ChosenFile, fields: object): void {
  try {
    sessionStorage.setItem(keyOf(chosen), JSON.stringify(fields));
  } catch {
    // The storage is full: the file would only be sent twice.
  }
}

/** The batch is complete, or what it added may be gone. */
export function forgetSent(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}
