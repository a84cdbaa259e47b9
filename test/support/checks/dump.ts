/** Everything in a catalogue, as text that can be compared. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import { rowsIn, tablesIn } from '../servers/engines.ts';
import { filesFolder } from '../zukan/service.ts';

export function snapshot(config: Config): string {
  const tables = tablesIn(config, {
    shelf: 'select * from shelf order by number',
    image: 'select * from image order by number',
    perceptualHash: 'select * from perceptual_hash order by image',
    edited: 'select * from edited order by image',
    alias: 'select * from alias order by kind, key',
    blockedName: 'select * from blocked_name order by kind, key',
    removedFile: 'select * from removed_file order by hash',
    placement: 'select * from placement order by shelf, position',
  });
  return JSON.stringify({ ...tables, files: filesIn(filesFolder(config)) }, undefined, 1);
}

/** Each file with the hash of its bytes, but for the one that says whose they are. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => !name.endsWith('.catalogue') && statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );
}

/** Shelves with a gap, a wrong order or a wrong size. */
export function shelfProblems(config: Config): object[] {
  return rowsIn(
    config,
    `select s.kind, s.name, s.size, count(p.image) as images, max(p.position) as last
     from shelf s left join placement p on p.shelf = s.number group by s.number
     having s.size <> count(p.image) or (count(p.image) > 0 and max(p.position) <> count(p.image) - 1)
     union all
     select 'order', 'of an image', shelf, position, image
     from (select shelf, position, image, lag(image) over (partition by shelf order by position) as before from placement) o
     where before >= image`,
  );
}
