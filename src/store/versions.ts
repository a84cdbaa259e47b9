/** Reading a catalogue that imports may change at any time. */
import { Unavailable } from '../lib/errors.ts';
import type { Tuning } from '../lib/tuning.ts';

/** Imports are not so frequent that a read fails this often by accident. */
const MAX_ATTEMPTS = 100;

/** What was read belongs to different versions of the catalogue. */
export class CatalogueChanged extends Error {}

/** Repeats an attempt for as long as the catalogue changes meanwhile. */
export async function retryOnChange<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CatalogueChanged)) throw error;
    }
  }
  throw new Unavailable('the catalogue changes faster than it can be read');
}

/** Throws CatalogueChanged if the versions differ. */
export function expectVersion(actual: number, expected: number): void {
  if (actual !== expected) throw new CatalogueChanged();
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
        expectVersion(value.version, await this.#currentVersion());
        return value;
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
