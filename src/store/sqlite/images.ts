/** Images of the embedded store by their ids and numbers: from memory, or from the database in the moment that is being read. */
import { LinkableDocument } from '../../catalogue/image-document.ts';
import type { Document, Figure, Linkable } from '../../model.ts';
import { Documents } from './document-cache.ts';
import type { SqliteStatements } from './statements.ts';

/** Of how many images that were asked for by their id the number is kept: what was shown once is often shown again. */
const MOST_NUMBERS = 20_000;

export class SqliteImages {
  readonly #statements: Pick<SqliteStatements, 'image' | 'document'>;
  readonly #documents = new Documents();
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

  byId(id: string): Linkable | undefined {
    const number = this.#numbers.get(id) ?? this.#lookUp(id);
    return number === undefined ? undefined : this.byNumber(number);
  }

  byNumber(number: number): Linkable {
    const known = this.#documents.get(number);
    if (known) return known;
    const [document] = this.#statements.document.get(number) as unknown as [Document];
    const image = new LinkableDocument(document);
    this.#documents.add(number, document, image.surplus);
    return image;
  }

  figures(): Figure[] {
    return this.#documents.figures();
  }

  #lookUp(id: string): number | undefined {
    const [number] = (this.#statements.image.get(id) ?? []) as [number?];
    if (number !== undefined && this.#numbers.size < MOST_NUMBERS) this.#numbers.set(id, number);
    return number;
  }
}
