/** What an operator may want to look at: tiles and fields of pictures, pictures that look alike, and problems of the catalogue. */
import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { ChangeLogReader } from '../catalogue/change-log.ts';
import { checkCatalogue } from '../catalogue/documents/check.ts';
import {
  hasCategories,
  parseStored,
  readDocument,
  readPreviews,
  readStored,
  UNKNOWN_ARTIST,
} from '../catalogue/documents/document.ts';
import { type ImageState, parseEdited, stateOf } from '../catalogue/documents/edit-image.ts';
import { readArtistRights, rightsOf, titleOf } from '../catalogue/rights.ts';
import {
  type Artist,
  DETAIL_FIELDS,
  type Image,
  KINDS,
  type Kind,
  parseDetails,
} from '../catalogue/schemas.ts';
import { groupLookAlikes } from '../catalogue/sets/look-alikes.ts';
import type { CatalogueSnapshot, Entry, LastBackup, Lookup, SavedImage } from '../catalogue/writer.ts';
import { countImages } from '../changes/describe.ts';
import { describeMissing } from '../changes/images.ts';
import { findByHash, findLookAlikes, loadHashes, MAX_LIKE } from '../import/plan/looks.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { inBatches } from '../lib/concurrency.ts';
import { type Disk, isNearlyFull } from '../lib/file-system.ts';
import type { Counted, SelectionSummary, Tile } from './contract.ts';
import { type Alike, type Found, type Health, LACKING, type ResponseOf } from './contract.ts';
import { StudioError } from './requests.ts';

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
  const unused = Array.from(counts, ([kind, sizes]) => {
    const empty = [...sizes.values()].filter((size) => size === 0);
    return [kind, empty.length];
  });
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

// What the page shows of images: tiles in the grid, and the common fields of a selection.

/** More than anyone reads. The counts of the most frequent ones come first. */
const MAX_LISTED = 200;

export function toTile({ id, document, edited }: SavedImage): Tile {
  const image = readDocument(document);
  const { nsfw, meta, fileName } = image;
  const { width, height } = meta.dimens;
  const artist: Artist = JSON.parse(parseStored(document).artist);
  const by = artist.id === UNKNOWN_ARTIST.id ? '' : ` by ${artist.name}`;
  const label = titleOf(image) || fileName || 'Picture';
  const thumbHash = readPreviews(document)?.thumbHash;
  return {
    id,
    rating: nsfw,
    label: label + by,
    fileName,
    isEdited: edited !== '',
    width,
    height,
    color: meta.color,
    ...(thumbHash !== undefined && { thumbHash }),
  };
}

type Logged = { changeLog: Pick<ChangeLogReader, 'list' | 'trashed'> };
type LoggedLookup = Lookup & Logged;

export async function lastChange({ changeLog }: Logged): Promise<number> {
  const [last] = await changeLog.list({ limit: 1 });
  return last?.number ?? 0;
}

export async function summarise(lookup: LoggedLookup, ids: string[]): Promise<SelectionSummary> {
  const total = new Total();
  for await (const rows of readSelected(lookup, ids)) {
    for (const row of rows) total.add(row);
    total.addAlbums(await lookup.countByAlbum(rows.map(({ id }) => id)));
  }
  const summary = total.finish(await lastChange(lookup));
  if (!summary.details) return summary;
  const former = (await lookup.changeLog.trashed(ids)).findLast(({ kind }) => kind === 'file');
  return { ...summary, details: { ...summary.details, replacedAt: former?.removedAt } };
}

/** Refuses a change that is based on another state than the current one. */
export async function refuseStaleImages(lookup: LoggedLookup, ids: string[], version: string): Promise<void> {
  const found = new Version();
  for await (const rows of readSelected(lookup, ids)) for (const row of rows) found.add(stateOf(row));
  if (found.finish() === version) return;
  const summary = await summarise(lookup, ids);
  throw new StudioError(409, `${countImages(ids.length)} changed meanwhile; look again`, { summary });
}

/** In batches, in the order of the ids. Images that were removed meanwhile are an error. */
async function* readSelected(lookup: Lookup, ids: string[]): AsyncGenerator<SavedImage[], void> {
  for (const batch of inBatches(ids, BATCH_SIZE)) {
    const rows = new Map((await lookup.imagesById(batch)).map((row) => [row.id, row]));
    const missing = batch.filter((id) => !rows.has(id));
    if (missing.length > 0) throw new StudioError(409, describeMissing(missing), { missing });
    yield batch.map((id) => rows.get(id) as SavedImage);
    if (batch.length === BATCH_SIZE) await nextTick();
  }
}

class Total {
  #images = 0;
  readonly #version = new Version();
  readonly #ratings: SelectionSummary['ratings'] = {};
  /** By their documents, of which there are fewer than images. */
  readonly #artists = new Map<string, number>();
  readonly #categories = new Map<string, Counted>();
  readonly #characters = new Map<string, Counted>();
  readonly #albums = new Map<string, Counted>();
  readonly #sources = new Map<string, Image['source']>();
  readonly #texts = new Map(DETAIL_FIELDS.map((field) => [field, new Set<string>()]));
  readonly #edited: Record<string, number> = {};
  #details: SelectionSummary['details'];

  add(row: SavedImage): void {
    const stored = parseStored(row.document);
    const image = readStored(stored);
    const { nsfw, categories, characters, source, createdAt, meta } = image;
    this.#images++;
    this.#version.add(stateOf(row, image));
    this.#ratings[nsfw] = (this.#ratings[nsfw] ?? 0) + 1;
    this.#artists.set(stored.artist, (this.#artists.get(stored.artist) ?? 0) + 1);
    count(this.#categories, categories);
    count(this.#characters, characters);
    if (this.#sources.size < 2) this.#sources.set(JSON.stringify([source.name, source.url]), source);
    for (const [field, texts] of this.#texts) if (texts.size < 2) texts.add(image[field]);
    for (const field of parseEdited(row.edited)) this.#edited[field] = (this.#edited[field] ?? 0) + 1;
    const { size, mimetype, dimens } = meta;
    const { width, height } = dimens;
    this.#details = { createdAt, size, mimetype, width, height, fileName: image.fileName };
  }

  /** Images do not mention their albums. */
  addAlbums(albums: Counted[]): void {
    count(this.#albums, albums);
  }

  finish(base: number): SelectionSummary {
    const artists = new Map<string, Counted>();
    for (const [document, images] of this.#artists) count(artists, [{ ...JSON.parse(document), images }]);
    const [source] = this.#sources.size === 1 ? this.#sources.values() : [];
    const common = [...this.#texts].filter(([, texts]) => texts.size === 1);
    return {
      images: this.#images,
      version: this.#version.finish(),
      base,
      ratings: this.#ratings,
      artists: mostFrequent(artists),
      categories: mostFrequent(this.#categories),
      characters: mostFrequent(this.#characters),
      albums: mostFrequent(this.#albums),
      source,
      ...Object.fromEntries(common.map(([field, texts]) => [field, [...texts][0]])),
      edited: this.#edited,
      ...(this.#images === 1 && this.#details && { details: this.#details }),
    };
  }
}

/** Each entry counts as many images as it says, or one. */
export function count(
  counts: Map<string, Counted>,
  entries: (Omit<Counted, 'images'> & Partial<Counted>)[],
): void {
  for (const { id, name, images = 1 } of entries) {
    const counted = counts.get(id) ?? { id, name, images: 0 };
    counted.images += images;
    counts.set(id, counted);
  }
}

function mostFrequent(counts: Map<string, Counted>): Counted[] {
  return [...counts.values()].sort((a, b) => b.images - a.images).slice(0, MAX_LISTED);
}

// Versions of images and entries. A change names the one that it is based on, so that nobody overwrites what they have not seen.

const VERSION_LENGTH = 16;

/** Of images. Differs if an operator or an import changed one, but not if an entry was renamed or a thumbnail was made. */
class Version {
  readonly #hash = createHash('sha256');

  add(state: ImageState): void {
    const { rating, artist, categories, characters, source, edited, eTag } = state;
    const texts = [source.name, source.url, ...DETAIL_FIELDS.map((field) => state[field])];
    const fields = [rating, artist, categories, characters, ...texts, edited, eTag];
    this.#hash.update(JSON.stringify(fields));
  }

  finish(): string {
    return this.#hash.digest('base64url').slice(0, VERSION_LENGTH);
  }
}

export function entryVersion({ name, document, aliases = [] }: Entry): string {
  const fields = JSON.stringify([name, document, aliases.toSorted()]);
  return hash('sha256', fields, 'base64url').slice(0, VERSION_LENGTH);
}
