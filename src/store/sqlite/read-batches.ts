/**
 * Reads gathered into rounds: all that were asked for in one turn of the event loop are answered after each other, from one
 * moment of the catalogue, which begins when all of them have been asked. So nobody gets an answer that was old when they
 * asked, and a moment of its own for each, which would cost more than most reads, is not needed.
 */
import { batchPerTick } from '../../event-loop.ts';

interface Read<CatalogueVersion> {
  work: (moment: CatalogueVersion) => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

export class Rounds<CatalogueVersion> {
  readonly #begin: () => CatalogueVersion;
  readonly #end: () => void;
  readonly #ask = batchPerTick<Read<CatalogueVersion>>((asked) => this.#answer(asked));

  constructor(begin: () => CatalogueVersion, end: () => void) {
    this.#begin = begin;
    this.#end = end;
  }

  /** What `work`, which must not wait for anything, makes of the moment. */
  read<T>(work: (moment: CatalogueVersion) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => this.#ask({ work, resolve, reject }));
  }

  #answer(asked: Read<CatalogueVersion>[]): void {
    try {
      const moment = this.#begin();
      try {
        for (const read of asked) settle(read, moment);
      } finally {
        this.#end();
      }
    } catch (error) {
      // For those that have their answer already, this changes nothing.
      for (const { reject } of asked) reject(error);
    }
  }
}

function settle<CatalogueVersion>(
  { work, resolve, reject }: Read<CatalogueVersion>,
  moment: CatalogueVersion,
): void {
  try {
    resolve(work(moment) as never);
  } catch (error) {
    reject(error);
  }
}
