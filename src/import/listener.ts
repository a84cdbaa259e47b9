/** What an import tells those who report it. */
import type { Difference } from '../catalogue/change-log.ts';
import type { RemovedFile } from '../catalogue/records.ts';
import type { RecordLine } from './records/record.ts';

/** What becomes of pictures, and of names that they mention. */
export type NoteKind =
  /** Not read again: it did not change, or an operator removed it. */
  | 'unread'
  /** Not read again, because an earlier attempt of the import had read it. */
  | 'continued'
  /** Has a location, which was removed or kept. */
  | 'location'
  /** Got this rating by default, because nothing says how explicit it is. */
  | 'unrated'
  /** An image has a safer rating than before. */
  | 'lowered'
  /** Rated as explicit, because this marker is not understood. */
  | 'marker'
  /** New, and rated at least as strictly as the one whose place it takes. */
  | 'as-former'
  /** Skipped, because it has the same bytes as this earlier one. */
  | 'duplicate'
  /** Skipped, because it is private. */
  | 'hidden'
  /** Skipped, because it is a thumbnail of this one. */
  | 'thumbnail'
  /** Skipped, because an operator removed it. */
  | 'removed'
  /** Skipped, because an operator took down all pictures of this artist or character. */
  | 'taken-down'
  /** A name was left out, because an operator blocked it. */
  | 'blocked'
  /** The album of a folder was not made, or lacks images. */
  | 'album';

/** Receives the outcome of each record. */
export interface ImportListener {
  /** `differences` are those of an update. */
  record(record: RecordLine, outcome: 'added' | 'updated' | 'unchanged', differences?: Difference[]): void;
  /** A file of a folder was not read again, because it did not change. */
  unchanged(path: string): void;
  /** `label` names the picture or album; `about` says the rest. */
  note(kind: NoteKind, label: string, about?: string): void;
}

export function describeRemoved({ image, removedAt, reason }: RemovedFile): string {
  return `image ${image}, removed on ${removedAt.slice(0, 10)}${reason && ` (${reason})`}`;
}
