/** Reading a catalogue that imports may change at any time. */
import { Unavailable } from '../../errors.ts';
import type { Tuning } from '../../tuning.ts';

/** Imports are not so frequent that a read fails this often by accident. */
const MAX_ATTEMPTS = 100;

/** Repeats an attempt for as long as it returns undefined, which means that the catalogue changed meanwhile. */
export async function retryOnChange<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Unavailable('the catalogue changes faster than it can be read');
}

/** A value read from the catalogue, cached until the catalogue has another version. */
export class VersionedCache<T extends { version: number }> {
  readonly #read: () => Promise<T>;
  readonly #currentVersion: () => number | Promise<number>;
  readonly #isCaching: boolean;
  /** Callers that come while the value is being read wait for the same read. */
  #reading: Promise<T> | undefined;

  constructor(
    read: () => Promise<T>,
    currentVersion: () => number | Promise<number>,
    { isCaching }: Pick<Tuning, 'isCaching'>,
  ) {
    this.#read = read;
    this.#currentVersion = currentVersion;
    this.#isCaching = isCaching;
  }

  get(): Promise<T> {
    return retryOnChange(async () => {
      this.#reading ??= this.#read();
      const reading = this.#reading;
      try {
        const value = await reading;
        if (!this.#isCaching) this.#drop(reading);
        if (value.version === (await this.#currentVersion())) return value;
        this.#drop(reading);
        return undefined;
      } catch (error) {
        this.#drop(reading);
        throw error;
      }
    });
  }

  #drop(reading: Promise<T>): void {
    if (this.#reading === reading) this.#reading = undefined;
  }
}
