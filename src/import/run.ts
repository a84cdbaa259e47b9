/**
 * An import from the first line to the commit: all or nothing, in batches, in bounded memory. Every wrong line is
 * looked for, and one is enough to leave the catalogue as it was.
 */
import type { CatalogueWriter, Files, ImageLine, Kind } from '../model.ts';
import { cutAtRepeats, identities, LARGEST_BATCH } from './batch.ts';
import { keepPicture } from './files.ts';
import { LineError, lineText, readLines } from './lines.ts';
import {
  type Fresh,
  isId,
  KnownEntries,
  KnownImages,
  type Outcome,
  type Picture,
  planEntry,
  planImage,
} from './plan.ts';
import { type EntryLine, parseRecord, type RecordLine } from './record.ts';

export const MOST_PROBLEMS = 100;

export interface Problem {
  source: string;
  line: number;
  reason: string;
}

/** A catalogue file, or what stands for one. */
export interface Source {
  name: string;
  /** The folder that `file` is relative to and must stay in. */
  folder: string;
  chunks: AsyncIterable<Buffer>;
}

export interface Summary {
  added: number;
  updated: number;
  unchanged: number;
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

interface Place {
  source: Source;
  number: number;
}

interface Numbered<T> extends Place {
  bytes: number;
  record: T;
}

type WithPicture = Numbered<ImageLine> & { picture: Picture };

export async function runImport(
  sources: Source[],
  writer: CatalogueWriter,
  options: ImportOptions,
): Promise<Summary> {
  const run = new ImportRun(writer, options);
  try {
    for (const source of sources) await run.read(source);
    const summary = run.finish();
    await writer.commit();
    return summary;
  } catch (error) {
    await writer.rollback();
    await run.removeNewFiles();
    throw error;
  }
}

class ImportRun {
  readonly #writer: CatalogueWriter;
  readonly #options: ImportOptions;
  readonly #problems: Problem[] = [];
  readonly #summary: Summary = { added: 0, updated: 0, unchanged: 0 };
  readonly #newFiles: string[] = [];

  constructor(writer: CatalogueWriter, options: ImportOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  async read(source: Source): Promise<void> {
    const earlier = this.#problems.length;
    let batch: Numbered<RecordLine>[] = [];
    for await (const { number, bytes } of readLines(source.chunks)) {
      this.#options.signal.throwIfAborted();
      const record = this.#attempt({ source, number }, () => parseRecord(lineText(bytes)));
      if (this.#problems.length >= MOST_PROBLEMS) break;
      if (!record) continue;
      if (batch.length === LARGEST_BATCH || (batch[0] && batch[0].record.type !== record.type)) {
        await this.#save(batch);
        batch = [];
      }
      batch.push({ source, number, bytes: bytes.length, record });
    }
    await this.#save(batch);
    // A line is parsed before the batches ahead of it are planned.
    this.#problems.push(...this.#problems.splice(earlier).sort((a, b) => a.line - b.line));
  }

  finish(): Summary {
    if (this.#problems.length > 0) throw new ImportRefused(this.#problems.slice(0, MOST_PROBLEMS));
    return this.#summary;
  }

  async removeNewFiles(): Promise<void> {
    for (const key of this.#newFiles) await this.#options.files.remove(key);
  }

  /** The batch is all of one type. */
  async #save(batch: Numbered<RecordLine>[]): Promise<void> {
    if (batch[0]?.record.type === 'image') {
      const images = await this.#readPictures(batch as Numbered<ImageLine>[]);
      const identify = ({ record, picture }: WithPicture) => [picture.eTag, record.id ?? picture.eTag];
      for (const piece of cutAtRepeats(images, identify)) await this.#saveImages(piece);
    } else {
      const entries = batch as Numbered<EntryLine>[];
      for (const piece of cutAtRepeats(entries, ({ record }) => identities(record)))
        await this.#saveEntries(piece);
    }
    for (const { bytes } of batch) this.#options.onProgress(bytes);
  }

  async #saveEntries(batch: Numbered<EntryLine>[]): Promise<void> {
    const known = new KnownEntries();
    for (const [kind, lines] of Map.groupBy(batch, ({ record }) => record.type)) {
      known.add(
        await this.#writer.entriesById(
          kind,
          lines.flatMap(({ record }) => record.id ?? []),
        ),
      );
      known.add(
        await this.#writer.entriesByName(
          kind,
          lines.map(({ record }) => record.name),
        ),
      );
    }
    const plan = ({ record }: Numbered<EntryLine>) =>
      planEntry(record, known.like(record), this.#options.fresh);
    await this.#writer.saveEntries(this.#planAll(batch, plan));
  }

  async #saveImages(batch: WithPicture[]): Promise<void> {
    const known = await this.#mentionedEntries(batch);
    const images = new KnownImages(
      await this.#writer.imagesById(batch.flatMap(({ record }) => record.id ?? [])),
      await this.#writer.imagesByETag(
        batch.flatMap(({ record, picture }) => (record.id ? [] : picture.eTag)),
      ),
    );
    const plan = ({ record, picture }: WithPicture) => {
      const existing = images.find(record, picture.eTag);
      return planImage(record, picture, existing, known, this.#writer.fixedShelves, this.#options.fresh);
    };
    await this.#writer.saveImages(this.#planAll(batch, plan));
  }

  async #mentionedEntries(batch: WithPicture[]): Promise<KnownEntries> {
    const mentioned: Record<Kind, Set<string>> = {
      artist: new Set(),
      category: new Set(),
      character: new Set(),
    };
    for (const { record } of batch) {
      if (record.artist) mentioned.artist.add(record.artist);
      for (const name of record.categories ?? []) mentioned.category.add(name);
      for (const name of record.characters ?? []) mentioned.character.add(name);
    }
    const known = new KnownEntries();
    for (const [kind, references] of Object.entries(mentioned) as [Kind, Set<string>][]) {
      const ids = [...references].filter(isId).map((id) => id.toLowerCase());
      known.add(await this.#writer.entriesById(kind, ids));
      known.add(
        await this.#writer.entriesByName(
          kind,
          [...references].filter((reference) => !isId(reference)),
        ),
      );
    }
    return known;
  }

  async #readPictures(batch: Numbered<ImageLine>[]): Promise<WithPicture[]> {
    const { parallel, signal } = this.#options;
    const pictures: (Picture | undefined)[] = [];
    const queue = batch.entries();
    const readOn = async () => {
      for (const [index, line] of queue) {
        signal.throwIfAborted();
        pictures[index] =
          line.record.file === undefined ? pictureOf(line.record) : await this.#keep(line, line.record.file);
      }
    };
    await Promise.all(Array.from({ length: parallel }, readOn));
    return batch.flatMap((line, index) => (pictures[index] ? { ...line, picture: pictures[index] } : []));
  }

  async #keep(line: Numbered<ImageLine>, file: string): Promise<Picture | undefined> {
    try {
      const { isNew, ...picture } = await keepPicture(line.source.folder, file, this.#options.files);
      if (isNew) this.#newFiles.push(picture.key);
      return picture;
    } catch (error) {
      return this.#note(line, error);
    }
  }

  /** Plans each line and gives the rows that are to be saved. */
  #planAll<Line extends Numbered<unknown>, Row>(batch: Line[], plan: (line: Line) => Outcome<Row>): Row[] {
    const rows: Row[] = [];
    for (const line of batch) {
      const planned = this.#attempt(line, () => plan(line));
      if (!planned) continue;
      this.#summary[planned.outcome]++;
      if (planned.outcome !== 'unchanged') rows.push(planned.row);
    }
    return rows;
  }

  #attempt<T>(line: Place, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.#note(line, error);
    }
  }

  /** Remembers a wrong line; anything else that went wrong goes on up. */
  #note({ source, number }: Place, error: unknown): undefined {
    if (!(error instanceof LineError)) throw error;
    this.#problems.push({ source: source.name, line: number, reason: error.message });
  }
}

/** The picture of a record that carries its own facts (parseRecord saw to it that they are there). */
function pictureOf({ key, meta }: ImageLine): Picture {
  const { dimens, ...facts } = meta as NonNullable<ImageLine['meta']>;
  return { key: key as string, ...facts, ...dimens };
}
