/**
 * An import from the first line to the commit: all or nothing, in batches of bounded size. Every wrong line is
 * looked for, and one is enough to leave the catalogue as it was.
 */
import type { CatalogueWriter, Files, ImageLine } from '../model.ts';
import { Batch } from './batch.ts';
import { keepPicture } from './files.ts';
import { lineText, readLines } from './lines.ts';
import type { Fresh, Picture } from './plan.ts';
import { type Place, type Problem, Problems } from './problems.ts';
import { type EntryLine, parseRecord, type RecordLine } from './record.ts';
import { type ImageWithPicture, Saver, type Summary } from './save.ts';

/** A catalogue file, or what stands for one. */
export interface Source {
  name: string;
  /** The folder that `file` is relative to and must stay in. */
  folder: string;
  /** Opened when its turn comes. */
  open: () => AsyncIterable<Buffer>;
}

export interface ImportOptions {
  files: Files;
  fresh: Fresh;
  /** How many pictures are read at a time. */
  parallel: number;
  /** Called for each record that is done with, with the length of its line in bytes. */
  onProgress: (bytes: number) => void;
  /** Stops the import, which then leaves the catalogue as it was. */
  signal: AbortSignal;
}

/** Some lines were wrong; nothing was changed. */
export class ImportRefused extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('nothing was imported');
    this.problems = problems;
  }
}

interface Gathered extends Place {
  folder: string;
  bytes: number;
  record: RecordLine;
}

export async function runImport(
  sources: Source[],
  writer: CatalogueWriter,
  options: ImportOptions,
): Promise<Summary> {
  const run = new ImportRun(writer, options);
  try {
    for (const [index, source] of sources.entries()) await run.read(source, index);
    const summary = run.finish(sources.map(({ name }) => name));
    await writer.commit();
    return summary;
  } catch (error) {
    // Before the lock is given up: another import may count on the same bytes as soon as it has it.
    await run.removeNewFiles();
    await writer.rollback();
    throw error;
  }
}

class ImportRun {
  readonly #options: ImportOptions;
  readonly #problems = new Problems();
  readonly #saver: Saver;
  readonly #newFiles: string[] = [];

  constructor(writer: CatalogueWriter, options: ImportOptions) {
    this.#options = options;
    this.#saver = new Saver(writer, options.fresh, this.#problems);
  }

  async read({ open, folder }: Source, source: number): Promise<void> {
    const batch = new Batch<Gathered>(({ record }) => record.type);
    for await (const { number, bytes } of readLines(open())) {
      this.#options.signal.throwIfAborted();
      const record = this.#problems.attempt({ source, number }, () => parseRecord(lineText(bytes)));
      if (this.#problems.areMany) break;
      if (!record) continue;
      const line = { source, number, folder, bytes: bytes.length, record };
      if (batch.isFullFor(line)) await this.#save(batch.take());
      batch.add(line);
    }
    await this.#save(batch.take());
  }

  finish(names: string[]): Summary {
    if (this.#problems.areNone) return this.#saver.summary;
    throw new ImportRefused(this.#problems.list(names));
  }

  async removeNewFiles(): Promise<void> {
    for (const key of this.#newFiles) await this.#options.files.remove(key);
  }

  /** The batch is all of one type. */
  async #save(batch: Gathered[]): Promise<void> {
    if (batch[0]?.record.type === 'image') {
      await this.#saver.saveImages(await this.#withPictures(batch as (Gathered & { record: ImageLine })[]));
    } else {
      await this.#saver.saveEntries(batch as (Gathered & { record: EntryLine })[]);
      for (const { bytes } of batch) this.#options.onProgress(bytes);
    }
  }

  /** The lines with their pictures, without those whose picture is of no use. */
  async #withPictures(batch: (Gathered & { record: ImageLine })[]): Promise<ImageWithPicture[]> {
    const { parallel, signal, onProgress } = this.#options;
    const pictures: (Picture | undefined)[] = [];
    const queue = batch.entries();
    const readOn = async () => {
      for (const [index, line] of queue) {
        signal.throwIfAborted();
        const { file } = line.record;
        pictures[index] = file === undefined ? pictureOf(line.record) : await this.#keep(line, file);
        onProgress(line.bytes);
      }
    };
    // All have to be done before what they kept can be removed again.
    const readers = await Promise.allSettled(Array.from({ length: parallel }, readOn));
    const failed = readers.find((reader) => reader.status === 'rejected');
    if (failed) throw failed.reason;
    return batch.flatMap((line, index) => (pictures[index] ? { ...line, picture: pictures[index] } : []));
  }

  async #keep(line: Gathered, file: string): Promise<Picture | undefined> {
    try {
      const { isNew, ...picture } = await keepPicture(line.folder, file, this.#options.files);
      if (isNew) this.#newFiles.push(picture.key);
      return picture;
    } catch (error) {
      return this.#problems.note(line, error);
    }
  }
}

/** The picture of a record that carries its own facts (parseRecord saw to it that they are there). */
function pictureOf({ key, meta }: ImageLine): Picture {
  const { dimens, ...facts } = meta as NonNullable<ImageLine['meta']>;
  return { key: key as string, ...facts, ...dimens };
}
