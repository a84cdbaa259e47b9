/** Reads a backup. Nothing in it is trusted: every checksum is verified, and every file is inside its folder. */
import { hash } from 'node:crypto';
import type { TokenRecord } from '../access/tokens.ts';
import type { ChosenFolder, SourceFile } from '../catalogue/records.ts';
import type { Mimetype } from '../catalogue/schemas.ts';
import { lineText, MAX_LINE_BYTES, readLines } from '../import/records/lines.ts';
import { RecordError, withSubject } from '../import/records/problems.ts';
import { openInside, readInside, sizeInside } from '../import/sources/files.ts';
import { Budget } from '../lib/concurrency.ts';
import { hashChunks } from '../lib/file-system.ts';
import {
  fileName,
  type ListName,
  listNames,
  MANIFEST,
  MAX_MANIFEST_BYTES,
  MAX_PICTURE_BYTES,
  type Manifest,
  MIN_KEY_LENGTH,
  type ParsedLine,
  parseHistory,
  parseLine,
  parseManifest,
  parseSource,
  parseToken,
  type Stored,
} from './format.ts';
import { findGeneration } from './generations.ts';

const MAX_TOKENS_BYTES = 256 * 1024 * 1024;
const MAX_KEYS_BYTES = 1024 * 1024;
/** Of pictures at the same time; a larger one is read alone. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

/** Longer than those of the catalogue: an item has an entry before and after the change, and a folder may exclude much. */
const MAX_LONG_LINE_BYTES = 4 * 1024 * 1024;

/** A line that is not parsed yet. */
export interface BackupLine<Parsed = ParsedLine> {
  label: string;
  size: number;
  /** Throws a `RecordError` if it is invalid. */
  parse(): Parsed;
}

const counted = {
  images: 'images',
  tokens: 'tokens',
  changes: 'changes',
  trash: 'images in the trash',
  sources: 'source files and folders',
};

export class Backup {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly #memory = new Budget(MAX_MEMORY_BYTES);

  private constructor(folder: string, manifest: Manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  /** Verifies the checksums of all lists, but not of the pictures. `time` is that of a generation, or how it begins. */
  static async open(folder: string, time?: string): Promise<Backup> {
    const name = await findGeneration(folder, time);
    const text = await readInside(folder, name, MAX_MANIFEST_BYTES);
    const backup = new Backup(folder, parseManifest(text.toString()));
    for (const name of listNames) await backup.#verifyList(name);
    return backup;
  }

  /** The history first: the log says which numbers the images in the trash have. */
  async *lines(): AsyncGenerator<BackupLine, void> {
    yield* this.#parseLines('history.ndjson', MAX_LONG_LINE_BYTES, parseHistory);
    yield* this.#parseLines('catalogue.ndjson', MAX_LINE_BYTES, parseLine);
  }

  /** Throws a `RecordError` at one that is invalid. */
  async *sources(): AsyncGenerator<SourceFile | ChosenFolder, void> {
    let count = 0;
    for await (const { label, parse } of this.#parseLines(
      'sources.ndjson',
      MAX_LONG_LINE_BYTES,
      parseSource,
    )) {
      count++;
      yield withSubject(label, parse);
    }
    this.checkCount('sources', count);
  }

  async tokens(): Promise<TokenRecord[]> {
    const tokens = (await this.#readList('tokens.ndjson', MAX_TOKENS_BYTES)).map((line, index) =>
      withSubject(`${this.#pathOf('tokens.ndjson')}:${index + 1}`, () => parseToken(line)),
    );
    this.checkCount('tokens', tokens.length);
    return tokens;
  }

  async linkKeys(): Promise<string[]> {
    const keys = await this.#readList('link.keys', MAX_KEYS_BYTES);
    if (keys.some((key) => key.length < MIN_KEY_LENGTH))
      throw new RecordError(
        `${this.#pathOf('link.keys')}: has a key of less than ${MIN_KEY_LENGTH} characters`,
      );
    return keys;
  }

  /** Passes on the bytes of a picture. Throws a `RecordError` if they are missing or damaged. */
  async usePicture<T>(
    { hash: expected }: Pick<Stored, 'hash'>,
    mimetype: Mimetype,
    use: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    const name = fileName(expected, mimetype);
    return this.#memory.spend(await sizeInside(this.folder, name), async () => {
      const bytes = await readInside(this.folder, name, MAX_PICTURE_BYTES);
      if (hash('sha256', bytes) !== expected)
        throw new RecordError(`${name}: is damaged; delete it and back up again`);
      return use(bytes);
    });
  }

  checkCount(name: keyof typeof counted, found: number): void {
    const named = this.manifest.counts[name];
    if (named !== found)
      throw new RecordError(`${MANIFEST}: names ${named} ${counted[name]}, but the backup has ${found}`);
  }

  async *#parseLines<Parsed>(
    name: ListName,
    maxBytes: number,
    parse: (text: string) => Parsed,
  ): AsyncGenerator<BackupLine<Parsed>, void> {
    const path = this.#pathOf(name);
    await using file = await openInside(this.folder, path);
    for await (const lines of readLines(file.createReadStream({ autoClose: false }), maxBytes))
      for (const { number, bytes } of lines)
        yield {
          label: `${path}:${number}`,
          size: bytes.length,
          parse: () => parse(lineText(bytes, maxBytes)),
        };
  }

  #pathOf(name: ListName): string {
    return `${this.manifest.folder}/${name}`;
  }

  async #readList(name: ListName, maxBytes: number): Promise<string[]> {
    const bytes = await readInside(this.folder, this.#pathOf(name), maxBytes);
    return bytes.toString().split('\n').filter(Boolean);
  }

  async #verifyList(name: ListName): Promise<void> {
    await using file = await openInside(this.folder, this.#pathOf(name));
    const sum = await hashChunks(file.createReadStream({ autoClose: false }));
    if (sum !== this.manifest.lists[name].sha256) throw new RecordError(`${this.#pathOf(name)}: is damaged`);
  }
}
