/**
 * The pictures of folders, by their bytes. Of several copies the first one counts, in the order of the command line and then
 * of paths.
 */
import type { KnownFile, SourceFile } from '../catalogue/source-files.ts';
import type { RecordLocation } from './problems.ts';
import type { ImageWithPicture, Report } from './save.ts';

export interface First extends RecordLocation {
  /** The id of its image, when it is known. */
  image?: string;
  /** If the file did not change, and was not read. */
  unchanged?: KnownFile;
}

export class Firsts {
  readonly #byHash = new Map<string, First>();
  readonly #report: Report;
  /** Files whose state in the catalogue changed. */
  #changed: SourceFile[] = [];

  constructor(report: Report) {
    this.#report = report;
  }

  /** Returns false if the file has to be read: it was a copy, and what it is a copy of is not there any more. */
  addUnchanged(location: RecordLocation, known: KnownFile): boolean {
    const first = this.#byHash.get(known.eTag);
    if (!first && known.state === 'copy') return false;
    if (first) {
      this.#report.duplicate(location.label, first.label);
    } else {
      this.#byHash.set(known.eTag, { ...location, image: known.image, unchanged: known });
      this.#report.unchangedFile(known.path);
    }
    return true;
  }

  /** The earlier picture with the same bytes, or undefined if this one counts. */
  add({ picture: { hashes }, source, position, label }: ImageWithPicture): First | undefined {
    const first = hashes.map((hash) => this.#byHash.get(hash)).find((found) => found !== undefined);
    if (first && isBefore(first, { source, position, label })) {
      this.#report.duplicate(label, first.label);
      return first;
    }
    if (first?.unchanged) {
      this.#report.duplicate(first.label, label);
      this.#changed.push({ ...first.unchanged, state: 'copy' });
    }
    for (const hash of hashes) this.#byHash.set(hash, { source, position, label });
    return undefined;
  }

  /** Notes the image of a picture that counts. */
  setImage({ picture: { hashes } }: ImageWithPicture, image: string): void {
    for (const hash of hashes) {
      const first = this.#byHash.get(hash);
      if (first) first.image = image;
    }
  }

  /** Returns the files whose state changed since the last call. */
  takeChanged(): SourceFile[] {
    const changed = this.#changed;
    this.#changed = [];
    return changed;
  }
}

function isBefore(a: RecordLocation, b: RecordLocation): boolean {
  return a.source < b.source || (a.source === b.source && a.position < b.position);
}
