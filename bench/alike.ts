/**
 * Perceptual hashes: how many copies of pictures they recognise, and how many different pictures they take for copies; then
 * the cost of similar images and of finding groups in a large catalogue with random hashes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { NO_DETAILS } from '../src/catalogue/documents/details.ts';
import { composeDocument, dimensions } from '../src/catalogue/documents/document.ts';
import { popCount } from '../src/catalogue/sets/bits.ts';
import {
  HashIndex,
  MAX_COPY_DISTANCE,
  MAX_SIMILAR_DISTANCE,
  parseHash,
} from '../src/catalogue/sets/hash-index.ts';
import { groupLookAlikes } from '../src/catalogue/sets/look-alikes.ts';
import { readConfig } from '../src/config/config.ts';
import { inParallel } from '../src/lib/parallel.ts';
import { readPicture } from '../src/media/picture.ts';
import { createCatalogue, openStore } from '../src/server/engines.ts';
import { demoPictures } from './demo.ts';
import { median } from './statistics.ts';

export const usage = `Usage: npm run bench -- alike [options]
  --images <n>     images with random hashes (1000000)`;

const CALLS = 100;
/** Images among which groups are searched. */
const MAX_GROUPED = 100_000;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      images: { type: 'string', default: '1000000' },
    },
  });
  await measureAccuracy();
  await measureScale(Number(values.images));
}

/** With the pictures of the demo. */
async function measureAccuracy(): Promise<void> {
  const originals: Int32Array[] = [];
  const distances = new Map<string, number[]>();
  const pictures = demoPictures();
  await inParallel(pictures.entries(), availableParallelism(), async ([number, picture]) => {
    const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const original = await hashOf(toSharp(data, info).png({ compressionLevel: 1 }));
    originals.push(original);
    for (const [kind, copy] of Object.entries(copiesOf(data, info, number))) {
      const ofKind = distances.get(kind) ?? [];
      distances.set(kind, ofKind);
      ofKind.push(distance(await hashOf(copy), original));
    }
  });
  console.log(
    `${pictures.length} pictures; share of copies within ${MAX_COPY_DISTANCE} and ${MAX_SIMILAR_DISTANCE} bits`,
  );
  for (const [kind, all] of distances) {
    const share = (limit: number) => (all.filter((bits) => bits <= limit).length / all.length).toFixed(4);
    console.log(`  ${kind.padEnd(34)} ${share(MAX_COPY_DISTANCE)}  ${share(MAX_SIMILAR_DISTANCE)}`);
  }
  reportFalsePositives(originals);
}

function reportFalsePositives(originals: Int32Array[]): void {
  for (const limit of [MAX_COPY_DISTANCE, MAX_SIMILAR_DISTANCE]) {
    let pairs = 0;
    const involved = new Set<number>();
    for (const [a, one] of originals.entries())
      for (let b = a + 1; b < originals.length; b++) {
        if (distance(one, originals[b] as Int32Array) > limit) continue;
        pairs++;
        involved.add(a).add(b);
      }
    const all = (originals.length * (originals.length - 1)) / 2;
    console.log(
      `  different pictures within ${limit} bits: ${pairs} of ${all} pairs (${((pairs / all) * 100).toFixed(5)} %), ` +
        `${((involved.size / originals.length) * 100).toFixed(2)} % of pictures`,
    );
  }
}

/** What people do with pictures, with sizes and qualities that depend on the number. */
function copiesOf(data: Buffer, info: OutputInfo, number: number): Record<string, Sharp> {
  const between = (from: number, to: number, salt: number) =>
    from + ((Math.imul(number + salt, 2_654_435_761) >>> 8) / 2 ** 24) * (to - from);
  const quality = (salt: number) => Math.round(between(40, 90, salt));
  const resized = (salt: number) =>
    toSharp(data, info).resize(Math.round(info.width * between(0.25, 0.9, salt)));
  const crop = between(0.01, 0.03, 7);
  const [left, top] = [
    Math.round(info.width * crop * between(0, 1, 8)),
    Math.round(info.height * crop * 0.5),
  ];
  const area = {
    ...{
      left,
      top,
      width: Math.round(info.width * (1 - crop)),
      height: Math.round(info.height * (1 - crop)),
    },
  };
  return {
    'JPEG, quality 40 to 90': toSharp(data, info).jpeg({ quality: quality(1) }),
    'resized to 25 to 90 %, JPEG': resized(2).jpeg({ quality: quality(3) }),
    'resized to 25 %, JPEG, quality 40': toSharp(data, info)
      .resize(info.width >> 2)
      .jpeg({ quality: 40 }),
    'resized to 25 to 90 %, WebP': resized(4).webp({ quality: quality(5), effort: 0 }),
    'greyscale, JPEG': resized(6).greyscale().jpeg({ quality: 80 }),
    'cropped by 1 to 3 %, JPEG': toSharp(data, info)
      .extract(area)
      .jpeg({ quality: quality(9) }),
  };
}

function toSharp(data: Buffer, { width, height, channels }: OutputInfo): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

async function hashOf(picture: Sharp): Promise<Int32Array> {
  const { perceptualHash } = (await readPicture(await picture.toBuffer(), [])).facts;
  return parseHash(perceptualHash ?? '') ?? new Int32Array(4);
}

function distance(one: Int32Array, other: Int32Array): number {
  return one.reduce((sum, word, index) => sum + popCount(word ^ (other[index] as number)), 0);
}

/** The images are all alike but for their ids and hashes. */
async function measureScale(images: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-bench-'));
  try {
    const config = readConfig({ DATA_DIR: folder });
    await createCatalogue(config);
    fill(join(folder, 'zukan.db'), images);
    await using store = await openStore(config);
    const caller = { client: 'bench', signal: new AbortController().signal };
    const call = (number: number) => store.catalogue.similarImages(idOf(number), {}, 10, caller);
    const before = process.memoryUsage().arrayBuffers;
    const load = await cpuOf(() => call(1));
    const bytes = process.memoryUsage().arrayBuffers - before;
    const calls: number[] = [];
    for (let number = 1; number <= CALLS; number++) calls.push(await cpuOf(() => call(number)));
    console.log(`${images} images with random hashes, SQLite`);
    console.log(
      `  first call, loads the hashes: ${load.toFixed(0)} ms of CPU, ${(bytes / 1e6).toFixed(1)} MB`,
    );
    console.log(`  similar, median of ${CALLS}: ${median(calls).toFixed(2)} ms of CPU`);
  } finally {
    await rm(folder, { recursive: true });
  }
  const index = new HashIndex();
  const grouped = Math.min(images, MAX_GROUPED);
  for (let number = 1; number <= grouped; number++) index.add(number, randomHash(number));
  const group = await cpuOf(async () => groupLookAlikes(index));
  console.log(`  groups of look-alikes among ${grouped}: ${(group / 1000).toFixed(1)} s of CPU`);
}

function fill(path: string, images: number): void {
  using database = new DatabaseSync(path);
  database.exec('create temp table template (template text)');
  database.prepare('insert into template values (?)').run(template());
  database.exec(`
    begin;
    update shelf set size = ${images} where kind = 'catalogue';
    with recursive numbered (number) as (select 1 union all select number + 1 from numbered where number < ${images})
    insert into image (number, id, etag, key, mimetype, document)
    select number, id, number, 'k', 'image/png', replace(template, 'ID', id)
    from (select number, '00000000-0000-4000-8000-' || printf('%012x', number) as id from numbered), template`);
  const insert = database.prepare('insert into perceptual_hash (image, hash) values (?, ?)');
  for (let number = 1; number <= images; number++) insert.run(number, randomHash(number));
  database.exec('commit');
}

/** A document with ID instead of the id. */
function template(): string {
  const meta = { eTag: 'tag', size: 1000, mimetype: 'image/png', color: '#102030' } as const;
  const artist = { id: 'artist', name: 'Artist', url: '' };
  const image = {
    id: 'ID',
    artist: artist.id,
    source: { name: '', url: '' },
    createdAt: '',
    nsfw: 'sfw',
    meta: { ...meta, dimens: dimensions(30, 20) },
  } as const;
  return composeDocument({ ...image, ...NO_DETAILS }, 'k', JSON.stringify(artist), [], []);
}

const idOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** Mixes the number (as MurmurHash3 does), so that a run repeats. */
function randomHash(number: number): string {
  let hash = '';
  let mixed = number;
  for (let word = 1; word <= 4; word++) {
    mixed = Math.imul(mixed + Math.imul(word, 0x9e3779b1), 0xcc9e2d51);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
    hash += (mixed >>> 0).toString(16).padStart(8, '0');
  }
  return hash;
}

/** In milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
