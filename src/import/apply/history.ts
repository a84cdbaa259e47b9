/** Keeps the change log and the trash of an exported catalogue or of a backup, when it is moved into an empty one. */
import type { LogPart } from '../../catalogue/change-log.ts';
import type { CatalogueWriter } from '../../catalogue/writer.ts';
import {
  checkTrashed,
  type HistoryHeader,
  type HistoryLine,
  planChange,
  planItem,
  planTrashed,
} from '../plan/history.ts';
import type { Picture } from '../plan/image.ts';
import { pictureFromRecord } from '../prepare/prepare.ts';
import { type Problem, type Problems, RecordError, type RecordLocation } from '../records/problems.ts';

export class HistoryMover {
  readonly #writer: CatalogueWriter;
  readonly #problems: Problems;
  /** Where the log begins, and how many images it is about. */
  #start: { label: string; images: number; trash: number } | undefined;
  #trash = 0;

  constructor(writer: CatalogueWriter, problems: Problems) {
    this.#writer = writer;
    this.#problems = problems;
  }

  /** Lines without a valid start are left out: it is reported instead. */
  async save(lines: (RecordLocation & { record: HistoryLine; picture?: Picture })[]): Promise<void> {
    const part: LogPart = { changes: [], items: [], trash: [] };
    for (const line of lines) {
      const { record } = line;
      if (record.type === 'history') await this.#begin(line, record);
      else if (!this.#start) continue;
      else if (record.type === 'change') part.changes.push(planChange(record));
      else if (record.type === 'change-item') part.items.push(planItem(record));
      else
        this.#problems.attempt(line, () => {
          const image = checkTrashed(record.image);
          const { thumbnails } = image;
          const recorded = () => ({
            ...pictureFromRecord(image),
            ...(thumbnails && { previews: thumbnails }),
          });
          part.trash.push(planTrashed(record, image, line.picture ?? recorded()));
        });
    }
    this.#trash += part.trash.length;
    if (this.#start) await this.#writer.changeLog.restore(part);
  }

  /** What is wrong if the records had this many images: the log is about other ones. */
  problemWith(images: number): Problem | undefined {
    if (!this.#start) return undefined;
    const { label, ...start } = this.#start;
    if (start.images === images && start.trash === this.#trash) return undefined;
    const expected = `${start.images} images and ${start.trash} in the trash`;
    return { label, reason: `the history needs ${expected}, but there are ${images} and ${this.#trash}` };
  }

  async #begin({ label, source, position }: RecordLocation, { images, trash }: HistoryHeader): Promise<void> {
    const { changeLog } = this.#writer;
    const isEmpty =
      changeLog.lastImage === 0 &&
      changeLog.current() === undefined &&
      (await changeLog.list({ limit: 1 })).length === 0;
    if (isEmpty && !this.#start) this.#start = { label, images, trash };
    else
      this.#problems.add(
        { label, source, position },
        new RecordError('a history needs an empty catalogue; export it without --history'),
      );
  }
}
