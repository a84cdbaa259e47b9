/** What was read from the catalogue, kept for as long as the catalogue is the same. */
import { Unavailable } from '../../errors.ts';

/** How often something is read anew because the catalogue has changed meanwhile. Imports are not that quick. */
export const MAX_TRIES = 100;

export const changedTooOften = () => new Unavailable('the catalogue changes faster than it can be read');

export class Kept<T extends { version: number }> {
  readonly #read: () => Promise<T>;
  readonly #version: () => number | Promise<number>;
  #reading: Promise<T> | undefined;

  /** `version` tells which version is the newest, as far as is known. */
  constructor(read: () => Promise<T>, version: () => number | Promise<number>) {
    this.#read = read;
    this.#version = version;
  }

  async current(): Promise<T> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // Whoever asks while it is being read waits for the same reading.
      this.#reading ??= this.#read();
      const reading = this.#reading;
      try {
        const value = await reading;
        if (value.version === (await this.#version())) return value;
        this.#forget(reading);
      } catch (error) {
        // A reading that failed is not kept: the next one who asks reads anew.
        this.#forget(reading);
        throw error;
      }
    }
    throw changedTooOften();
  }

  #forget(reading: Promise<T>): void {
    if (this.#reading === reading) this.#reading = undefined;
  }
}
