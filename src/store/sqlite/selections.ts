/** Answers from the images that a filter asks for: from shelves at once where that will do, else when all of them are known. */

import type { Filter, FilterProblem } from '../../catalogue/catalogue.ts';
import type { ImageSet } from '../../catalogue/image-set.ts';
import type { Look } from '../shared/draws.ts';
import { Members, type ReadShelf } from '../shared/image-sets.ts';
import { type Selection, selectionOf } from '../shared/selection.ts';
import type { CatalogueVersion, ShelfSnapshot } from '../shared/shelves.ts';
import { changedTooOften, MAX_TRIES } from '../shared/versioned.ts';
import type { SqliteStatements } from './statements.ts';

/** Images of a shelf that are read at once: each time takes a turn of the event loop, and must not make it long. */
const MEMBERS_AT_ONCE = 8000;

/** What is made of a selection and, where it is known, the set of its images. Undefined where that has to be known first. */
type Work<T> = (selection: Selection, set: ImageSet | undefined, moment: ShelfSnapshot) => T | undefined;

export class SqliteSelections {
  readonly #statements: Pick<SqliteStatements, 'shelf' | 'imageAt' | 'standsOn'>;
  readonly #read: <T>(work: (shelves: ShelfSnapshot) => T) => Promise<T>;
  readonly #members: Members;

  constructor(
    statements: Pick<SqliteStatements, 'shelf' | 'imageAt' | 'standsOn'>,
    read: <T>(work: (shelves: ShelfSnapshot) => T) => Promise<T>,
    readShelf: ReadShelf,
  ) {
    this.#statements = statements;
    this.#read = read;
    this.#members = new Members(MEMBERS_AT_ONCE, readShelf);
  }

  async select<T extends object>(filter: Filter, work: Work<T>): Promise<T | FilterProblem> {
    let found: { set: ImageSet | undefined; version: number } | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const attempt = await this.#read((moment) => {
        const selection = this.#selectionOf(moment, filter);
        if ('problem' in selection) return { answer: selection };
        // After an import, what was worked out is of a catalogue that is gone.
        const set = found?.version === moment.version ? found.set : this.#members.known(selection, moment);
        const answer = work(selection, set, moment);
        return answer ? { answer } : { selection, moment };
      });
      if ('answer' in attempt) return attempt.answer;
      const { selection, moment } = attempt;
      found = { set: await this.#members.of(selection, moment), version: moment.version };
    }
    throw changedTooOften();
  }

  check(filter: Filter): Promise<FilterProblem | undefined> {
    return this.#read((shelves) => {
      const selection = this.#selectionOf(shelves, filter);
      return 'problem' in selection ? selection : undefined;
    });
  }

  /** From memory, or from the database until it is there. */
  lookAt(moment: CatalogueVersion): Look {
    const { imageAt, standsOn } = this.#statements;
    return {
      finder: (shelf) => {
        const set = this.#members.shelf(shelf, moment);
        if (set) return (position) => set.at(position);
        return (position) => (imageAt.get(shelf.number, position) as unknown as [number])[0];
      },
      tester: (shelf) => {
        const set = this.#members.shelf(shelf, moment);
        if (set) return (image) => set.has(image);
        return (image) => standsOn.get(image, shelf.number) !== undefined;
      },
    };
  }

  #selectionOf(shelves: ShelfSnapshot, filter: Filter): Selection | FilterProblem {
    return selectionOf(shelves, filter, (kind, id) => {
      const row = this.#statements.shelf.get(kind, id) as [number, number] | undefined;
      return row && { number: row[0], size: row[1] };
    });
  }
}
