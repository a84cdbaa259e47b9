/** What an operator may want to look at: pictures that look alike, and problems of the catalogue. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { checkCatalogue } from '../catalogue/documents/check.ts';
import { hasCategories, parseStored, readDocument, UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import { readArtistRights, rightsOf } from '../catalogue/rights.ts';
import { KINDS, type Kind, parseDetails } from '../catalogue/schemas.ts';
import { groupLookAlikes } from '../catalogue/sets/look-alikes.ts';
import type { CatalogueSnapshot, LastBackup, SavedImage } from '../catalogue/writer.ts';
import { findByHash, findLookAlikes, hashPicture, loadHashes, MAX_LIKE } from '../import/plan/looks.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { inBatches } from '../lib/concurrency.ts';
import { type Disk, isNearlyFull } from '../lib/file-system.ts';
import { type Alike, type Found, type Health, LACKING, type ResponseOf } from './contract.ts';
import { summarise, toTile } from './summary.ts';

const BATCH_SIZE = 500;
const MAX_GROUPS = 100;
/** Of one group. */
const MAX_MEMBERS = 12;
/** That a new picture is shown with. */
const MAX_ALIKE = 4;
const MAX_PROBLEMS = 100;

type Lacking = (typeof LACKING)[number];

/** The first groups of pictures that look alike, and how many there are. The largest picture of each comes first. */
export async function findAlike(snapshot: CatalogueSnapshot): Promise<ResponseOf<'/data/alike'>> {
  const found = await groupNumbers(snapshot);
  const groups: Alike[][] = [];
  for (const numbers of found.slice(0, MAX_GROUPS)) {
    const images = (await snapshot.imagesByNumber(numbers.slice(0, MAX_MEMBERS))).map(toAlike);
    const pixels = ({ width, height }: Alike) => width * height;
    groups.push(images.sort((a, b) => pixels(b) - pixels(a) || b.size - a.size));
  }
  return { total: found.length, groups };
}

/** The pictures that a new one looks like, the nearest first. */
export async function findAlikeOf(snapshot: CatalogueSnapshot, bytes: Buffer): Promise<Found[]> {
  const found: Found[] = [];
  for (const row of await findLookAlikes(bytes, snapshot, MAX_ALIKE))
    found.push({ ...toAlike(row), version: (await summarise(snapshot, [row.id])).version });
  return found;
}

/** The ids of all pictures that look like another one. */
export async function findAlikeIds(snapshot: CatalogueSnapshot): Promise<Set<string>> {
  const numbers = (await groupNumbers(snapshot)).flat();
  const ids = new Set<string>();
  for (const batch of inBatches(numbers, BATCH_SIZE))
    for (const { id } of await snapshot.imagesByNumber(batch)) ids.add(id);
  return ids;
}

/** The ids of those that have nearly the same perceptual hash. */
export async function findLikeIds(snapshot: CatalogueSnapshot, hash: string): Promise<Set<string>> {
  return new Set((await findByHash(hash, snapshot, MAX_LIKE)).map(({ id }) => id));
}

/**
 * The fields that the picture lacks. The licence of its artist or of the site is one. The public JSON, which is most of a document,
 * is not parsed: every visit counts all pictures.
 */
function lackingOf({ document }: SavedImage, siteLicence: string): (Lacking | 'category')[] {
  const { artist, details } = parseStored(document);
  const { title, alt, licence } = parseDetails(details);
  const { name, url } = rightsOf({ licence }, readArtistRights(artist), siteLicence).licence;
  const texts = { title, alt, licence: name || url };
  const fields = LACKING.filter((field) => texts[field] === '');
  return hasCategories(document) ? fields : [...fields, 'category'];
}

/** The ids of all pictures that lack these fields. */
export async function findLackingIds(
  snapshot: CatalogueSnapshot,
  fields: readonly Lacking[],
  siteLicence: string,
): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { id, lacking } of findLacking(snapshot, siteLicence))
    if (fields.every((field) => lacking.includes(field))) ids.add(id);
  return ids;
}

async function countLacking(snapshot: CatalogueSnapshot, siteLicence: string): Promise<Health['lacking']> {
  const counts = { title: 0, licence: 0, alt: 0, category: 0 };
  for await (const { lacking } of findLacking(snapshot, siteLicence))
    for (const field of lacking) counts[field]++;
  return counts;
}

/** What each image lacks. Other requests are served meanwhile. */
async function* findLacking(snapshot: CatalogueSnapshot, siteLicence: string) {
  let read = 0;
  for await (const row of snapshot.images()) {
    yield { id: row.id, lacking: lackingOf(row, siteLicence) };
    if (++read % BATCH_SIZE === 0) await nextTick();
  }
}

/** The perceptual hash of a picture. */
export async function findLooks(bytes: Buffer): Promise<ResponseOf<'/data/looks'>> {
  return { like: await hashPicture(bytes) };
}

/** The numbers of the images in each group, the largest group first. */
async function groupNumbers(snapshot: CatalogueSnapshot): Promise<number[][]> {
  const index = await loadHashes(snapshot);
  return groupLookAlikes(index).map((positions) => positions.map((position) => index.imageAt(position)));
}

function toAlike(row: SavedImage): Alike {
  const { size, mimetype } = readDocument(row.document).meta;
  return { ...toTile(row), size, mimetype };
}

/** The first sentences that `zukan check` would print about the catalogue itself. It also reads the files. */
export async function findProblems(snapshot: CatalogueSnapshot): Promise<string[]> {
  const problems: string[] = [];
  for await (const { problem } of checkCatalogue(snapshot)) {
    problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
    await nextTick();
  }
  return problems;
}

// What of the catalogue needs attention, as far as that is cheap to say.

/** In a larger catalogue, counting takes too long to do it for every visit. */
const MAX_COUNTED = 20_000;
const MAX_IMPORTS = 3;
/** As in docs/alerts.yaml. */
const MAX_BACKUP_AGE_MS = 2 * DAY_MS;

export interface HealthEngines {
  catalogue: Pick<Catalogue, 'statistics'>;
  lastBackup(): Promise<LastBackup | undefined>;
  disks(): Disk[];
  site(): { licence: string };
  clock: Clock;
}

export async function readHealth(
  snapshot: CatalogueSnapshot,
  { catalogue, lastBackup, disks, site, clock }: HealthEngines,
): Promise<Health> {
  const images = (await catalogue.statistics()).images.count;
  const backup = await lastBackup();
  const isCounted = images <= MAX_COUNTED;
  const unrated = { shelves: [snapshot.fixedShelves.catalogue], isUnrated: true };
  const counts = new Map<Kind, Map<string, number>>();
  for (const kind of KINDS) counts.set(kind, await snapshot.imageCounts(kind));
  const withoutArtist = counts.get('artist')?.get(UNKNOWN_ARTIST.id) ?? 0;
  // It is made when needed, so it may be empty.
  counts.get('artist')?.delete(UNKNOWN_ARTIST.id);
  const unused = Array.from(counts, ([kind, sizes]) => [
    kind,
    sizes
      .values()
      .filter((size) => size === 0)
      .toArray().length,
  ]);
  return {
    images,
    unrated: isCounted ? await snapshot.countImages(unrated) : undefined,
    withoutArtist,
    lacking: isCounted ? await countLacking(snapshot, site().licence) : undefined,
    unused: Object.fromEntries(unused),
    imports: await snapshot.changeLog.list({ limit: MAX_IMPORTS, isImport: true }),
    disks: disks().map((disk) => ({ ...disk, isNearlyFull: isNearlyFull(disk) })),
    backup: backup && { ...backup, isOld: clock() - Date.parse(backup.at) > MAX_BACKUP_AGE_MS },
  };
}
