/** What the page shows of images: tiles in the grid, and the common fields of a selection. */
import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ChangeLogReader } from '../catalogue/change-log.ts';
import {
  parseStored,
  readDocument,
  readPreviews,
  readStored,
  UNKNOWN_ARTIST,
} from '../catalogue/documents/document.ts';
import { type ImageState, parseEdited, stateOf } from '../catalogue/documents/edit-image.ts';
import { titleOf } from '../catalogue/rights.ts';
import { type Artist, DETAIL_FIELDS, type Image } from '../catalogue/schemas.ts';
import type { Entry, Lookup, SavedImage } from '../catalogue/writer.ts';
import { countImages } from '../changes/describe.ts';
import { describeMissing } from '../changes/images.ts';
import { inBatches } from '../lib/concurrency.ts';
import type { Counted, SelectionSummary, Tile } from './contract.ts';
import { StudioError } from './requests.ts';

const BATCH_SIZE = 500;
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

type LoggedLookup = Lookup & { changeLog: Pick<ChangeLogReader, 'list' | 'trashed'> };

export async function lastChange({
  changeLog,
}: {
  changeLog: Pick<ChangeLogReader, 'list'>;
}): Promise<number> {
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
