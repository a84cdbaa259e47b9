/**
 * What imports have stored of source files before they could commit: a small local database next to the journals. It keeps
 * the stored files from being removed as leftovers, so that the next attempt need not read the source files again. It is
 * only a memory aid: a database that cannot be used is removed, and the import does its work again.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { originalKey } from '../catalogue/documents/thumbnails.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { makeFolder, PRIVATE_FOLDER, removeDatabase } from '../lib/file-system.ts';
import { inBatches } from '../lib/parallel.ts';
import type { PreparedFile, PreparedFiles } from './files.ts';

/** How long an import can be continued. */
const MAX_AGE_MS = 7 * DAY_MS;
const TIMEOUT_MS = 5000;
/** SQLite's codes for a file that is damaged, no database, or of another version. The others may not last. */
const UNUSABLE = [1, 11, 14, 26];
const BATCH_SIZE = 1000;

const SCHEMA = `
  create table if not exists prepared (
    path text primary key, fingerprint text not null, key text not null, keys text not null, hashes text not null,
    facts text not null, prepared_at integer not null
  ) strict;
  create index if not exists prepared_key on prepared (key);`;

type Row = Record<'path' | 'fingerprint' | 'keys' | 'hashes' | 'facts', string>;
const isGiven = 'in (select value from json_each(?))';

export function openPrepared(path: string, clock: Clock): PreparedFiles {
  /** Returns `otherwise` if there is no database, or none that can be used. Fails if it is locked, or the disk does. */
  const use = <T>(otherwise: T, work: (database: DatabaseSync) => T): T => {
    if (!existsSync(path)) return otherwise;
    try {
      using database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
      database.exec(SCHEMA);
      return work(database);
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      if (errcode !== undefined && !UNUSABLE.includes(errcode & 0xff)) throw error;
      discard(path);
      return otherwise;
    }
  };
  const readKeys = (where: string, ...parameters: SQLInputValue[]): string[] =>
    use([], (database) => {
      const rows = database.prepare(`select keys from prepared where ${where}`).all(...parameters) as Row[];
      return rows.flatMap(({ keys }) => JSON.parse(keys));
    });
  /** The database goes with its last row. */
  const forget = (where: string, ...parameters: SQLInputValue[]): void =>
    use(undefined, (database) => {
      database.prepare(`delete from prepared where ${where}`).run(...parameters);
      // Under a lock: what another command adds meanwhile is lost before it relies on it.
      database.exec('begin immediate');
      const isEmpty = database.prepare('select 1 from prepared limit 1').get() === undefined;
      if (isEmpty) removeDatabase(database, path);
      else database.exec('rollback');
    });
  const oldest = () => clock() - MAX_AGE_MS;

  return {
    find: (paths) =>
      use([], (database) => {
        const text = `select path, fingerprint, keys, hashes, facts from prepared where path ${isGiven}`;
        return (database.prepare(text).all(JSON.stringify(paths)) as Row[]).map(parseRow);
      }),

    save(files) {
      createFile(path);
      use(undefined, (database) => {
        const fields = ['path', 'fingerprint', 'keys[0]', 'keys', 'hashes', 'facts'];
        const columns = fields.map((name) => `value ->> '$.${name}'`).join();
        database
          .prepare(`insert or replace into prepared select ${columns}, ? from json_each(?)`)
          .run(clock(), JSON.stringify(files));
      });
    },

    keysOf: (hashes) =>
      readKeys(`exists (select 1 from json_each(hashes) where value ${isGiven})`, JSON.stringify(hashes)),

    keysBelow: (folder) => readKeys('substr(path, 1, length(?1)) = ?1', prefixOf(folder)),
    forgetBelow: (folder) => forget('substr(path, 1, length(?1)) = ?1', prefixOf(folder)),

    forget: (keys) => {
      for (const batch of inBatches(keys, BATCH_SIZE))
        forget(`key ${isGiven}`, JSON.stringify(batch.map((key) => originalKey(key) ?? key)));
    },

    listed(keys) {
      const found = new Set<string>();
      for (const batch of inBatches(keys, BATCH_SIZE)) {
        const originals = JSON.stringify(batch.map((key) => originalKey(key) ?? key));
        const listed = readKeys(`key ${isGiven} and prepared_at >= ?`, originals, oldest());
        for (const key of listed) found.add(key);
      }
      return found;
    },

    expiredKeys: () => readKeys('prepared_at < ?', oldest()),
    forgetExpired: () => forget('prepared_at < ?', oldest()),
  };
}

function parseRow({ path, fingerprint, keys, hashes, facts }: Row): PreparedFile {
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
    // Another process may have created it just now. Otherwise nothing is kept.
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
