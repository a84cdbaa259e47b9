/**
 * Which new or changed files are ready to be read. A program may still be writing one: it is ready when two scans in a row
 * find the same fingerprint. A file that was read and could not be imported waits until it changes.
 */
import type { Readiness } from '../import/source.ts';

interface Candidate {
  fingerprint: string;
  wasRead: boolean;
}

export class Settling {
  #previous = new Map<string, Candidate>();
  #current = new Map<string, Candidate>();
  #isWaiting = false;

  /** Whether the last scan found files that were not ready. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  startScan(): void {
    this.#previous = this.#current;
    this.#current = new Map();
    this.#isWaiting = false;
  }

  /** Whether to read a new or changed file. */
  readonly readiness = (path: string, fingerprint: string): Readiness => {
    const before = this.#previous.get(path);
    const isSame = before?.fingerprint === fingerprint;
    this.#current.set(path, { fingerprint, wasRead: isSame });
    if (isSame) return before.wasRead ? 'failed' : 'ready';
    this.#isWaiting = true;
    return 'settling';
  };

  /** The last scan failed as a whole: what it read has to be read again. */
  forget(): void {
    for (const candidate of this.#current.values()) candidate.wasRead = false;
    this.#isWaiting = true;
  }
}
