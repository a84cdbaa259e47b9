/**
 * What imports have read and could not commit yet: one table of a small local database next to the journals. Each row has records
 * that are ready to be saved. That of a picture of a folder or of a backup stays if the import fails or is killed, and
 * keeps the stored files from being removed as leftovers, so that the next attempt need not read the picture again.
 *
 * It is not in the catalogue's own database: servers would take every batch for a new version of the catalogue, and imports
 * would wait for each other.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { originalKey } from '../catalogue/documents/document.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { inBatches } from '../lib/concurrency.ts';
import { makeFolder, PRIVATE_FOLDER, removeDatabase } from '../lib/file-system.ts';
import type { StagedPicture, StagedPlace, StagedRecords, StagingTable, Upload } from './files.ts';

/** How long an import can be continued. */
const MAX_AGE_MS = 7 * DAY_MS;
/** How long to wait for another process. */
const TIMEOUT_MS = 5000;
/** SQLite's codes for a file that is damaged, no database, or of another version. The others may not last. */
const UNUSABLE = [1, 11, 14, 26];
/** The file is not the one at its path any more. */
const MOVED = 1032;
const BATCH_SIZE = 1000;
const MAX_ATTEMPTS = 3;

/** `import` is the id of its journal. A row is `kept` for the next attempt once its import has ended. */
const SCHEMA = `
  create table if not exists staged (
    import text not null, source int not null, position int not null, records text not null, path text, fingerprint text,
    key text, keys text not null, hashes text not null, facts text, kept int not null, staged_at int not null,
    unique (import, source, position)
  ) strict;
  create index if not exists staged_path on staged (path);
  create index if not exists staged_key on staged (key);`;
const COLUMNS = 'source, position, records, path, fingerprint, keys, hashes, facts';

type Row = { source: number; position: number } & Record<
  'records' | 'path' | 'fingerprint' | 'keys' | 'hashes' | 'facts',
  string
>;
const isGiven = 'in (select value from json_each(?))';
const IS_BELOW = 'substr(path, 1, length(?1)) = ?1';

/** A table without a path is temporary, and needs nobody who removes it. */
export function openStaging(path: string, clock: Clock): StagingTable {
  let temporary: DatabaseSync | undefined;
  const open = (): DatabaseSync => {
    if (temporary) return temporary;
    const database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
    try {
      database.exec(SCHEMA);
    } catch (error) {
      database.close();
      throw error;
    }
    if (path === '') temporary = database;
    return database;
  };
  /** Returns `otherwise` if there is no database, or none that can be used. Fails if it is locked, or the disk does. */
  const use = <T>(otherwise: T, work: (database: DatabaseSync) => T): T => {
    if (path !== '' && !existsSync(path)) return otherwise;
    let database: DatabaseSync | undefined;
    try {
      database = open();
      return work(database);
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      if (errcode === undefined || !UNUSABLE.includes(errcode & 0xff)) throw error;
      discard(path);
      return otherwise;
    } finally {
      if (database?.isOpen && database !== temporary) database.close();
    }
  };
  const readKeys = (where: string, ...parameters: SQLInputValue[]): string[] =>
    use([], (database) => {
      const rows = database.prepare(`select keys from staged where ${where}`).all(...parameters) as Row[];
      return rows.flatMap(({ keys }) => JSON.parse(keys));
    });
  /** The database goes with its last row, which is much faster than deleting many of them. */
  const forget = (where: string, ...parameters: SQLInputValue[]): void =>
    use(undefined, (database) => {
      // Under a lock: what another command adds meanwhile is lost before it relies on it.
      database.exec('begin immediate');
      const others = database.prepare(`select 1 from staged where not coalesce(${where}, 0) limit 1`);
      const isLast = path !== '' && others.get(...parameters) === undefined;
      if (isLast) return removeDatabase(database, path);
      database.prepare(`delete from staged where ${where}`).run(...parameters);
      database.exec('end');
    });
  const change = (sql: string, parameter: string): void =>
    use(undefined, (database) => void database.prepare(sql).run(parameter));
  const oldest = () => clock() - MAX_AGE_MS;

  return {
    find: (paths) =>
      use([], (database) => {
        const text = `select ${COLUMNS} from staged where path ${isGiven} order by staged_at`;
        return (database.prepare(text).all(JSON.stringify(paths)) as Row[]).map(toPicture);
      }),

    add(owner, rows) {
      for (let attempt = 1; ; attempt++)
        try {
          if (path !== '') createFile(path);
          if (use(false, (database) => insert(database, owner, rows, clock()))) return;
          throw new Error(`${path} cannot be written`);
        } catch (error) {
          // Another process has removed the file since it was opened.
          if ((error as { errcode?: number }).errcode !== MOVED || attempt === MAX_ATTEMPTS) throw error;
        }
    },

    *rows(owner, places) {
      const database = open();
      try {
        // One by one: other imports must not wait for a reader, and a row may be long.
        const find = database.prepare(
          `select ${COLUMNS} from staged where import = ? and source = ? and position = ?`,
        );
        for (const { source, position } of places) {
          const row = find.get(owner, source, position) as Row | undefined;
          // No record may be lost: it may be the one that says how a picture is rated.
          if (!row) throw new Error('some of what was read is lost; import again');
          yield { source, position, records: row.records, ...(row.facts && { picture: toPicture(row) }) };
        }
      } finally {
        if (database !== temporary) database.close();
      }
    },

    running: () =>
      use([], (database) =>
        database
          .prepare('select distinct import from staged where kept = 0')
          .all()
          .map((row) => String(row.import)),
      ),
    keep(owners) {
      const ids = JSON.stringify(owners);
      if (owners.length === 0) return;
      forget(`import ${isGiven} and path is null`, ids);
      change(`update staged set kept = 1 where import ${isGiven}`, ids);
    },
    drop(owner, folders = []) {
      for (const folder of folders) forget(`kept = 1 and path is not null and ${IS_BELOW}`, prefixOf(folder));
      forget('import = ?', owner);
    },

    keysOf: (hashes) =>
      readKeys(`exists (select 1 from json_each(hashes) where value ${isGiven})`, JSON.stringify(hashes)),
    keysBelow: (folder) => readKeys(IS_BELOW, prefixOf(folder)),

    forget(keys) {
      for (const originals of originalsIn(keys)) {
        forget(`kept = 1 and key ${isGiven}`, originals);
        // An import that still runs counts on its records.
        change(`update staged set path = null, key = null, keys = '[]' where key ${isGiven}`, originals);
      }
    },

    listed(keys) {
      const batches = originalsIn(keys).map((originals) =>
        readKeys(`key ${isGiven} and staged_at >= ?`, originals, oldest()),
      );
      return new Set([...batches].flat());
    },

    expiredKeys: () => readKeys('kept = 1 and staged_at < ?', oldest()),
    forgetExpired: () => forget('kept = 1 and staged_at < ?', oldest()),
  };
}

/** Batch by batch, as lists in JSON. */
function* originalsIn(keys: string[]): Generator<string> {
  for (const batch of inBatches(keys, BATCH_SIZE))
    yield JSON.stringify(batch.map((key) => originalKey(key) ?? key));
}

function insert(database: DatabaseSync, owner: string, rows: StagedRecords[], now: number): true {
  // Ends with `end`: tests kill commands before and after the `commit` of the catalogue.
  database.exec('begin immediate');
  const add = database.prepare(
    `insert into staged (import, ${COLUMNS}, key, kept, staged_at) values (${Array(12).fill('?').join()})`,
  );
  const replace = database.prepare('delete from staged where path = ? and kept = 1');
  for (const { source, position, records, picture } of rows) {
    if (picture?.fingerprint) replace.run(picture.path);
    const { fingerprint = null, keys = [], hashes = [], facts = null } = picture ?? {};
    const path = picture?.fingerprint ? picture.path : null;
    const found = [path, fingerprint, JSON.stringify(keys), JSON.stringify(hashes), facts] as const;
    add.run(owner, source, position, records, ...found, (path && keys[0]) ?? null, 0, now);
  }
  database.exec('end');
  return true;
}

function toPicture({ path, fingerprint, keys, hashes, facts }: Row): StagedPicture {
  return { path, fingerprint, keys: JSON.parse(keys), hashes: JSON.parse(hashes), facts };
}

const prefixOf = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);

/** Names of folders and metadata of pictures are nobody else's business. SQLite's own journal gets the mode of the file. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  try {
    makeFolder(dirname(path), PRIVATE_FOLDER);
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // Another process may have created it just now.
  }
}

function discard(path: string): void {
  for (const name of [path, `${path}-journal`])
    try {
      rmSync(name, { force: true, recursive: true });
    } catch {
      // It is tried again the next time.
    }
}

// What one import stages: in memory while it is little, else in the table.

/** A killed import loses about this many pictures. */
const PICTURES_IN_MEMORY = 50;
const MAX_LENGTH_IN_MEMORY = 4 * 1024 * 1024;

export class Staging {
  readonly #table: StagingTable;
  readonly #upload: Upload;
  readonly #isKept: boolean;
  readonly #places = new Places();
  #waiting: StagedRecords[] = [];
  #length = 0;
  #pictures = 0;
  #written = 0;
  #writing = Promise.resolve();

  /** A dry run keeps nothing. */
  constructor(upload: Upload, table: StagingTable, isKept: boolean) {
    this.#upload = upload;
    this.#table = table;
    this.#isKept = isKept;
  }

  get isEmpty(): boolean {
    return this.#written + this.#waiting.length === 0;
  }

  /**
   * What earlier attempts have read, by path. Their files belong to this one from now on, also those that turn out to be
   * outdated.
   */
  async find(paths: string[]): Promise<Map<string, StagedPicture>> {
    const listed = this.#isKept && paths.length > 0 ? attempt(() => this.#table.find(paths), []) : [];
    if (listed.length === 0) return new Map();
    const lost = new Set(await this.#upload.takeOver([...new Set(listed.flatMap(({ keys }) => keys))]));
    const usable = listed.filter(({ keys }) => !keys.some((key) => lost.has(key)));
    return new Map(usable.map((picture) => [picture.path, picture]));
  }

  async add(row: StagedRecords): Promise<void> {
    this.#places.add(row);
    this.#waiting.push(row);
    this.#length += lengthOf(row);
    if (row.picture?.fingerprint) this.#pictures++;
    if (this.#length > MAX_LENGTH_IN_MEMORY || (this.#isKept && this.#pictures >= PICTURES_IN_MEMORY))
      await this.#write();
  }

  async *rows(): AsyncGenerator<Omit<StagedRecords, 'place'>, void> {
    await this.#writing;
    if (this.#written > 0) {
      await this.#write(true);
      yield* this.#table.rows(this.#upload.id, this.#places);
      return;
    }
    const nameOf = ({ source, position }: StagedPlace) => `${source} ${position}`;
    const waiting = new Map(this.#waiting.map((row) => [nameOf(row), row]));
    for (const place of this.#places) yield waiting.get(nameOf(place)) as StagedRecords;
  }

  /** What was staged below the folders, and what this import does not use, becomes unused with its commit. */
  async release(folders: readonly string[]): Promise<void> {
    if (!this.#isKept) return;
    const used = new Set(this.#upload.newKeys());
    const kept = folders.flatMap((folder) => attempt(() => this.#table.keysBelow(folder), []));
    await this.#upload.release(kept.filter((key) => !used.has(key)));
  }

  /** After the commit. What earlier attempts left below the folders is not needed any more, either. */
  finish(folders: readonly string[]): void {
    if (this.#isKept) attempt(() => this.#table.drop(this.#upload.id, folders), undefined);
  }

  /** The import failed. Keeps the pictures for the next attempt, if there is a point in one. */
  async fail(isKept: boolean): Promise<void> {
    if (!this.#isKept) return;
    await this.#writing.catch(() => {});
    this.#writing = Promise.resolve();
    this.#waiting = isKept ? this.#waiting.filter(({ picture }) => picture?.fingerprint) : [];
    await this.#write().catch(() => {});
    const owner = this.#upload.id;
    attempt(() => (isKept ? this.#table.keep([owner]) : this.#table.drop(owner)), undefined);
  }

  /** One after the other: what is added meanwhile waits for the next time. */
  #write(isNeeded = false): Promise<void> {
    this.#pictures = 0;
    this.#writing = this.#writing.then(async () => {
      const rows = [...this.#waiting];
      if (rows.length === 0) return;
      try {
        // They must not be listed if a power failure can still lose them.
        if (rows.some(({ picture }) => picture)) await this.#upload.flush();
        this.#table.add(this.#upload.id, rows);
      } catch (error) {
        // What has room in memory need not be written. If nothing can be kept, the next attempt does it again.
        if (isNeeded || this.#length > MAX_LENGTH_IN_MEMORY) throw error;
        return;
      }
      this.#waiting = this.#waiting.slice(rows.length);
      this.#written += rows.length;
      for (const row of rows) this.#length -= lengthOf(row);
    });
    return this.#writing;
  }
}

/** In what order an import saves its rows: on disk if they are many, and gone with the process. */
class Places implements Iterable<StagedPlace> {
  readonly #database = new DatabaseSync('');
  readonly #add: StatementSync;

  constructor() {
    // Never committed: the process reads it through the same connection.
    this.#database.exec(`pragma journal_mode = off; begin;
      create table place (source int, position int, place text, picture text) strict`);
    this.#add = this.#database.prepare('insert into place values (?, ?, ?, ?)');
  }

  add({ source, position, place, picture }: StagedRecords): void {
    this.#add.run(source, position, place, picture?.hashes.at(-1) ?? `${source} ${position}`);
  }

  /** Copies of a picture have the place of the first of them, and stay in the order of their paths. */
  *[Symbol.iterator](): Iterator<StagedPlace> {
    const ordered = `select source, position, min(place) over (partition by picture) as first from place
      order by first, source, position`;
    for (const row of this.#database.prepare(ordered).iterate()) yield row as unknown as StagedPlace;
  }
}

const lengthOf = ({ records, picture }: StagedRecords) => records.length + (picture?.facts.length ?? 0);

/** What can be done again is not worth a failure. */
function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
