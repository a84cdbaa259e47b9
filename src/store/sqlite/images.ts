/** Images of the embedded store by their ids and numbers: from memory, or from the database in the moment that is being read. */

import { ImageDocument } from '../../catalogue/image-document.ts';
import type { Document } from '../../catalogue/types.ts';
import type { Metric } from '../../metrics.ts';
import { DocumentCache } from './document-cache.ts';
import type { SqliteStatements } from './statements.ts';

/** Of how many images that were asked for by their id the number is kept: what was shown once is often shown again. */
const MAX_NUMBERS = 20_000;

export class SqliteImages {
  readonly #statements: Pick<SqliteStatements, 'image' | 'document'>;
  readonly #documents = new DocumentCache();
  /** By id. */
  readonly #numbers = new Map<string, number>();

  constructor(statements: Pick<SqliteStatements, 'image' | 'document'>) {
    this.#statements = statements;
  }

  /** The catalogue is another one, with numbers up to this. */
  forget(lastImage: number): void {
    this.#documents.forget(lastImage);
    this.#numbers.clear();
  }

  byId(id: string): ImageDocument | undefined {
    const number = this.#numbers.get(id) ?? this.#lookUp(id);
    return number === undefined ? undefined : this.byNumber(number);
  }

  byNumber(number: number): ImageDocument {
    const known = this.#documents.get(number);
    if (known) return known;
    const [document] = this.#statements.document.get(number) as unknown as [Document];
    const image = new ImageDocument(document);
    this.#documents.add(number, document, image.extraBytes);
    return image;
  }

  metrics(): Metric[] {
    return this.#documents.metrics();
  }

  #lookUp(id: string): number | undefined {
    const [number] = (this.#statements.image.get(id) ?? []) as [number?];
    if (number !== undefined && this.#numbers.size < MAX_NUMBERS) this.#numbers.set(id, number);
    return number;
  }
}
