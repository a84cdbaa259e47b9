/**
 * An import from the first record to the commit: all or nothing, in batches of bounded size. Every wrong record is
 * looked for, and one is enough to leave the catalogue as it was.
 */
import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { Files, Upload } from '../media/files.ts';
import { inParallel } from '../parallel.ts';
import { Batch } from './batch.ts';
import { keepPicture } from './files.ts';
import { removeLeftovers, removeUnused } from './leftovers.ts';
import type { Fresh, Picture } from './plan.ts';
import { type Place, type Problem, Problems } from './problems.ts';
import type { EntryLine, ImageLine, RecordLine } from './record.ts';
import { type ImageWithPicture, type Report, Saver } from './save.ts';
import type { Source } from './source.ts';

export interface ImportOptions {
  files: Files;
  fresh: Fresh;
  /** How many pictures are read at a time. */
  parallel: number;
  /** Only works out what would change. */
  isRehearsal: boolean;
  /** Called for each record that is done with, with its weight. */
  onProgress: (weight: number) => void;
  report: Report;
  /** Stops the import, which then leaves the catalogue as it was. */
  signal: AbortSignal;
}

/** Some records were wrong; nothing was changed. */
export class ImportRefused extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('nothing was imported');
    this.problems = problems;
  }
}

interface Gathered extends Place {
  from: Source;
  weight: number;
  record: RecordLine;
}

export async function runImport(
  sources: Source[],
  openWriter: () => Promise<CatalogueWriter>,
  options: ImportOptions,
): Promise<void> {
  const { files, isRehearsal } = options;
  let upload = files.dryRunUpload();
  try {
    await using writer = await openWriter();
    await removeLeftovers(files, writer);
    if (!isRehearsal) upload = await files.beginUpload();
    const run = new ImportRun(writer, upload, options);
    for (const [index, source] of sources.entries()) await run.read(source, index);
    run.finish();
    await upload.flush();
    options.signal.throwIfAborted();
    if (!isRehearsal) await writer.commit();
  } catch (error) {
    await giveUp(upload, files, openWriter);
    throw error;
  }
  await upload.finish();
}

/**
 * Removes what was taken in for nothing. Which that is, is looked up anew: another import may count on the same bytes by
 * now, and a commit whose answer was lost may have been one. Where it cannot be known, the next import finds out.
 */
async function giveUp(
  upload: Upload,
  files: Files,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<void> {
  try {
    await removeUnused(files, upload.newKeys(), openWriter);
    await upload.finish();
  } catch {
    await upload.abandon();
  }
}

class ImportRun {
  readonly #options: ImportOptions;
  readonly #upload: Upload;
  readonly #problems = new Problems();
  readonly #saver: Saver;
  /** Where each picture was met first, for sources that leave copies out. */
  readonly #met = new Map<string, string>();

  constructor(writer: CatalogueWriter, upload: Upload, options: ImportOptions) {
    this.#options = options;
    this.#upload = upload;
    this.#saver = new Saver(writer, options.fresh, this.#problems, options.report);
  }

  async read(from: Source, source: number): Promise<void> {
    const batch = new Batch<Gathered>(({ record }) => record.type);
    for await (const { number, where, weight, read } of from.offers()) {
      this.#options.signal.throwIfAborted();
      const place = { source, number, where };
      const record = this.#problems.attempt(place, read);
      if (this.#problems.areMany) break;
      if (!record) continue;
      const gathered = { ...place, from, weight, record };
      if (batch.isFullFor(gathered)) await this.#save(batch.take());
      batch.add(gathered);
    }
    await this.#save(batch.take());
  }

  finish(): void {
    if (!this.#problems.areNone) throw new ImportRefused(this.#problems.list());
  }

  /** The batch is all of one type. */
  async #save(batch: Gathered[]): Promise<void> {
    this.#options.signal.throwIfAborted();
    if (this.#problems.areMany) return;
    if (batch[0]?.record.type === 'image') {
      const images = await this.#withPictures(batch as (Gathered & { record: ImageLine })[]);
      await this.#saver.saveImages(images.filter((image) => !this.#isCopy(image)));
    } else {
      await this.#saver.saveEntries(batch as (Gathered & { record: EntryLine })[]);
      for (const { weight } of batch) this.#options.onProgress(weight);
    }
  }

  /** The lines with their pictures, without those whose picture is of no use. */
  async #withPictures(batch: (Gathered & { record: ImageLine })[]): Promise<(ImageWithPicture & Gathered)[]> {
    const { parallel, signal, onProgress } = this.#options;
    const pictures: (Picture | undefined)[] = [];
    // Several records may name the same file, which need not be read for each.
    const read = new Map<string, Promise<Picture>>();
    await inParallel(batch, parallel, async (line, index) => {
      signal.throwIfAborted();
      const { file } = line.record;
      pictures[index] = file === undefined ? pictureOf(line.record) : await this.#keep(line, file, read);
      onProgress(line.weight);
    });
    return batch.flatMap((line, index) => (pictures[index] ? { ...line, picture: pictures[index] } : []));
  }

  async #keep(
    line: Gathered,
    file: string,
    read: Map<string, Promise<Picture>>,
  ): Promise<Picture | undefined> {
    const reading = read.get(file) ?? keepPicture(line.from.folder, file, this.#upload);
    read.set(file, reading);
    try {
      return await reading;
    } catch (error) {
      return this.#problems.note(line, error);
    }
  }

  #isCopy({ from, where, picture: { hash } }: ImageWithPicture & Gathered): boolean {
    if (!from.leavesOutCopies) return false;
    const first = this.#met.get(hash);
    if (first === undefined) this.#met.set(hash, where);
    else this.#options.report.copy(where, first);
    return first !== undefined;
  }
}

/** The picture of a record that carries its own facts (parseRecord saw to it that they are there). */
function pictureOf({ key, meta }: ImageLine): Picture {
  const { dimens, ...facts } = meta as NonNullable<ImageLine['meta']>;
  return { key: key as string, hash: facts.eTag, ...facts, ...dimens };
}
