/** A queue of records between the two phases of an import: in memory while it is short, else in a temporary file. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLines } from '../records/lines.ts';

const MAX_LENGTH_IN_MEMORY = 4 * 1024 * 1024;

export class Spool<T> implements AsyncDisposable {
  #lines: string[] = [];
  #length = 0;
  #file: FileHandle | undefined;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  async add(items: T[]): Promise<void> {
    for (const item of items) {
      const line = JSON.stringify(item);
      this.#lines.push(line);
      this.#length += line.length;
      this.#count++;
      if (this.#length > MAX_LENGTH_IN_MEMORY) await this.#write();
    }
  }

  /** In the order in which they were added, some at a time. `size` is the length of an item's JSON. */
  async *items(): AsyncGenerator<{ item: T; size: number }[], void> {
    if (this.#file) {
      const stream = this.#file.createReadStream({ start: 0, autoClose: false });
      for await (const lines of readLines(stream, Number.POSITIVE_INFINITY))
        yield lines.map(({ bytes }) => ({ item: JSON.parse(bytes.toString()), size: bytes.length }));
    }
    yield this.#lines.map((line) => ({ item: JSON.parse(line), size: line.length }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }

  async #write(): Promise<void> {
    try {
      this.#file ??= await openTemporaryFile();
      await this.#file.appendFile(`${this.#lines.join('\n')}\n`);
    } catch (error) {
      const advice = 'set TMPDIR to a folder on a disk with more room';
      throw new Error(`cannot write a temporary file: ${(error as Error).message}; ${advice}`);
    }
    this.#lines = [];
    this.#length = 0;
  }
}

/** The name is removed at once, so that nothing is left behind even if the process is killed. */
async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `zukan-${randomUUID()}`);
  const file = await open(path, 'ax+', 0o600);
  await rm(path);
  return file;
}
