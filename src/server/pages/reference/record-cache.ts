/** Looks up the records of the examples, at most once a minute. The page does not depend on a catalogue that works. */
import { demoRecords, type ExampleRecords } from '../../../api/examples.ts';
import type { Services } from '../../../api/services.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import { findRecords } from './live-examples.ts';

export class RecordCache {
  readonly #services: Services;
  #latest: ExampleRecords | undefined;
  #lookup: Promise<ExampleRecords> | undefined;
  #startedAt = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Only the first visitors wait for a look-up; later ones get the previous result meanwhile. */
  async get(exchange: Exchange): Promise<ExampleRecords> {
    const { clock, tuning } = this.#services;
    const now = clock();
    const isOld = Math.abs(now - this.#startedAt) >= tuning.maxExampleAgeMs;
    if (!this.#lookup && (!this.#latest || isOld)) {
      this.#startedAt = now;
      this.#lookup = this.#find(exchange);
    }
    return this.#latest ?? (this.#lookup as Promise<ExampleRecords>);
  }

  /** Its own caller, because the client that triggers a look-up may disconnect while others wait for it. */
  async #find({ log, id }: Exchange): Promise<ExampleRecords> {
    const caller = { client: 'reference', signal: new AbortController().signal };
    try {
      this.#latest = await findRecords(this.#services.catalogue, caller);
    } catch (error) {
      log.warn({ request: id, ...errorField(error) }, 'no examples from the catalogue');
      this.#latest ??= demoRecords;
    }
    this.#lookup = undefined;
    return this.#latest;
  }
}
