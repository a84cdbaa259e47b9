/** Which shelves draws are made from, and how long each is, kept in memory with the revision that it is of. */

import {
  SHELF_COLUMNS,
  SHELF_KINDS,
  type ShelfRow,
  type ShelfSnapshot,
  shelvesIn,
} from '../shared/shelves.ts';
import { Kept } from '../shared/versioned.ts';
import type { Servers, Statement } from './servers.ts';

const directory: Statement = {
  name: 'directory',
  text: `select revision.number, (select coalesce(max(number), 0) from image), ${SHELF_COLUMNS}
         from revision left join shelf on kind in ${SHELF_KINDS}`,
};

const revision: Statement = { name: 'revision', text: 'select number from revision' };

export class Directory {
  readonly #servers: Servers;
  readonly #kept: Kept<ShelfSnapshot>;

  constructor(servers: Servers) {
    this.#servers = servers;
    this.#kept = new Kept(
      () => this.#read(),
      () => servers.revision,
    );
  }

  /** As of the newest revision that is known of. */
  current(): Promise<ShelfSnapshot> {
    return this.#kept.current();
  }

  /** Whether nothing newer is to be had. */
  async isCurrent({ version }: ShelfSnapshot): Promise<boolean> {
    return (await this.#servers.read(revision, [])).version === version;
  }

  async #read(): Promise<ShelfSnapshot> {
    const { version, rows } = await this.#servers.read(directory, []);
    return shelvesIn(version, rows[0]?.[1] as number, rows.map(([, , ...shelf]) => shelf) as ShelfRow[]);
  }
}
