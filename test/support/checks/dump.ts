/** Everything in a catalogue, as text that can be compared. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { listImages } from '../../../src/catalogue/sets/blocks.ts';
import type { Config } from '../../../src/config/config.ts';
import { tablesIn } from '../servers/engines.ts';
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
    shelfBlock: 'select * from shelf_block order by shelf, block',
    sizeBlock: 'select * from size_block order by block',
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

/** Shelves with other images than those that say that they are on them, or a wrong size. */
export function shelfProblems(config: Config): object[] {
  const { shelves, blocks, placed } = tablesIn(config, {
    shelves: 'select number, kind, name, size from shelf',
    blocks: 'select shelf, block, images from shelf_block order by shelf, block',
    placed: 'select image, shelves from image_shelves order by image',
  });
  const images = (placed as { image: number; shelves: string | number[] }[]).map(({ image, shelves }) => ({
    image,
    shelves: typeof shelves === 'string' ? shelves.split(',').map(Number) : shelves,
  }));
  return (shelves as { number: number; size: number }[]).filter(({ number, size }) => {
    const stored = (blocks as StoredBlock[]).flatMap(({ shelf, block, images }) =>
      shelf === number ? listImages([block, images]) : [],
    );
    const expected = images.flatMap(({ image, shelves }) => (shelves.includes(number) ? [image] : []));
    return size !== expected.length || !isDeepStrictEqual(stored, expected);
  });
}

export interface StoredBlock {
  shelf: number;
  block: number;
  images: string;
}
