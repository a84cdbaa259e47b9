/** Everything a catalogue holds, as text that can be compared byte for byte. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../src/config.ts';

export function dump({ databasePath, filesDir }: Config): string {
  const database = new DatabaseSync(databasePath, { readOnly: true });
  const rows = (sql: string) => database.prepare(sql).all();
  const tables = {
    shelf: rows('select * from shelf order by number'),
    image: rows('select * from image order by number'),
    placement: rows('select * from placement order by shelf, position'),
  };
  database.close();
  return JSON.stringify({ ...tables, files: filesIn(filesDir) }, undefined, 1);
}

/** Each file with the hash of its bytes. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );
}

/** Fails where a shelf has a gap, is out of order, or does not know its size. */
export function shelfProblems({ databasePath }: Config): object[] {
  const database = new DatabaseSync(databasePath, { readOnly: true });
  const problems = database
    .prepare(
      `select s.kind, s.name, s.size, count(p.image) as images, max(p.position) as last
       from shelf s left join placement p on p.shelf = s.number group by s.number
       having s.size <> images or (images > 0 and last <> images - 1)
       union all
       select 'order', shelf, position, image, 0
       from (select *, lag(image) over (partition by shelf order by position) as before from placement)
       where before >= image`,
    )
    .all();
  database.close();
  return problems;
}
