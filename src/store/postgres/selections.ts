/** What filters select in PostgreSQL: from sizes of shelves that are kept in memory, and where all of it is needed, from sets. */

import type { Filter, FilterProblem } from '../../catalogue/catalogue.ts';
import type { ImageSet } from '../../catalogue/image-set.ts';
import type { Kind } from '../../catalogue/types.ts';
import { Members, type ReadShelf } from '../shared/image-sets.ts';
import { kindsById, type Selection, selectionOf } from '../shared/selection.ts';
import type { CatalogueVersion, Shelf } from '../shared/shelves.ts';
import { changedTooOften, MAX_TRIES } from '../shared/versioned.ts';
import { Directory } from './directory.ts';
import type { Servers } from './servers.ts';
import { statements } from './statements.ts';

/** Images of a shelf that are read at once: a round trip for fewer would take longer than they do. */
const MEMBERS_AT_ONCE = 5000;

interface Found {
  version: number;
  shelf: Shelf | undefined;
}

export class PostgresSelections {
  readonly #servers: Servers;
  readonly #directory: Directory;
  readonly #members: Members;

  constructor(servers: Servers, readShelf: ReadShelf) {
    this.#servers = servers;
    this.#directory = new Directory(servers);
    this.#members = new Members(MEMBERS_AT_ONCE, readShelf);
  }

  /** Reads anew what draws need, before anyone asks. */
  async refresh(): Promise<void> {
    await this.#directory.current();
  }

  /** Does the work with what the filter selects, and anew as long as it gives nothing: then the catalogue has changed. */
  async select<T extends object>(
    filter: Filter,
    work: (selection: Selection, moment: CatalogueVersion) => Promise<T | undefined>,
  ): Promise<T | FilterProblem> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const directory = await this.#directory.current();
      const found = await this.#shelvesById(filter);
      if ([...found.values()].some(({ version }) => version !== directory.version)) continue;
      const selection = selectionOf(directory, filter, (kind) => found.get(kind)?.shelf);
      if ('problem' in selection) {
        // Only a fresh look can tell that there is no such category: it may have come with an import just now.
        if (await this.#directory.isCurrent(directory)) return selection;
      } else {
        const answer = await work(selection, directory);
        if (answer) return answer;
      }
    }
    throw changedTooOften();
  }

  async check(filter: Filter): Promise<FilterProblem | undefined> {
    const found = await this.select(filter, async () => ({}));
    return 'problem' in found ? (found as FilterProblem) : undefined;
  }

  /** Where it is in memory already. */
  known(selection: Selection, moment: CatalogueVersion): ImageSet | undefined {
    return this.#members.known(selection, moment);
  }

  /** Undefined when the catalogue is no longer the one of that moment. */
  all(selection: Selection, moment: CatalogueVersion): Promise<ImageSet | undefined> {
    return this.#members.of(selection, moment);
  }

  /** The shelves of the artist and the character that a filter names, where there are such. */
  async #shelvesById(filter: Filter): Promise<Map<Kind, Found>> {
    const found = new Map<Kind, Found>();
    for (const kind of kindsById) {
      if (filter[kind] === undefined) continue;
      const { version, rows } = await this.#servers.read(statements.shelf, [kind, filter[kind]]);
      const [, number, size] = rows[0] as [number, number | null, number];
      found.set(kind, { version, shelf: number === null ? undefined : { number, size } });
    }
    return found;
  }
}
