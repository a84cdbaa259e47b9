/** What an import tells those who report it. */
import type { Difference } from '../catalogue/change-log.ts';
import type { RemovedFile } from '../catalogue/records.ts';
import type { Kind, Rating } from '../catalogue/schemas.ts';
import type { RecordLine, UnknownMarker } from './records/record.ts';

export interface DecisionReport {
  /** A picture was skipped because an operator removed it. */
  removed(label: string, file: RemovedFile): void;
  /** A name was left out because an operator blocked it. */
  blocked(kind: Kind, name: string): void;
  /** A picture was skipped because an operator took down all pictures of this artist or character. */
  skipped(label: string, kind: Kind, name: string): void;
}

/** Receives the outcome of each record. */
export interface ImportListener extends DecisionReport {
  /** `differences` are those of an update. */
  record(record: RecordLine, outcome: 'added' | 'updated' | 'unchanged', differences?: Difference[]): void;
  /** A file of a folder was not read again, because it did not change. */
  unchangedFile(path: string): void;
  /** A file of a folder was not read again, because an earlier attempt of the import had read it. */
  continuedFile(): void;
  /** A file of a picture that an operator removed was not read again. */
  unreadRemoved(label: string, file: RemovedFile): void;
  /** A new picture of a folder got the default rating, because nothing says how explicit it is. */
  withoutMarker(label: string, rating: Rating): void;
  /** A new picture takes the place of another one, and is rated at least as strictly. */
  ratedAsFormer(label: string, rating: Rating): void;
  /** A picture is rated as explicit, because a marker is not understood. */
  unknownMarker(label: string, marker: UnknownMarker): void;
  /** An image has a safer rating than before. */
  lowered(label: string, before: Rating, after: Rating): void;
  /** A picture has a location, which was removed or kept. */
  location(): void;
  /** A picture was skipped because it has the same bytes as an earlier one. */
  duplicate(label: string, firstLabel: string): void;
  /** A picture was skipped because it is private. `isPublished` is whether the catalogue has had it before. */
  hidden(label: string, reason: string, isPublished: boolean): void;
  /** The album of a folder was not made, or lacks images. */
  albumProblem(name: string, problem: string): void;
  /** A picture was skipped because it is a thumbnail of another one. */
  thumbnail(label: string, original: string): void;
}
