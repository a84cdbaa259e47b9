/**
 * What a batch of records means for the catalogue, worked out without touching it: given the records and what the
 * store holds of what they mention, which rows are to be saved and which lines are wrong.
 * Lines that depend on each other are never planned together (see save.ts).
 */
import {
  byNameThenId,
  composeDocument,
  dimensions,
  readDocument,
  type StoredImage,
} from '../catalogue/document.ts';
import { fold } from '../catalogue/fold.ts';
import type { Kind } from '../catalogue/types.ts';
import type { Entry, FixedShelves, ImageRow, SavedEntry } from '../catalogue/writer.ts';
import type { PictureFacts } from '../media/picture.ts';
import { uuidPattern } from '../schemas.ts';
import { nameIdentity } from './batch.ts';
import { LineError } from './lines.ts';
import type { EntryLine, ImageLine } from './record.ts';

/** A picture's bytes: read from a file, or taken from the record's word, whose entity tag stands for the hash then. */
export interface Picture extends PictureFacts {
  key: string;
  /** What the bytes are sent with. */
  eTag: string;
}

/** Identity and time for what is new. */
export interface Fresh {
  now: string;
  newId: () => string;
}

/** `was` is all that the record was known by before. */
export type Outcome<Row> =
  | { outcome: 'added'; row: Row }
  | { outcome: 'updated'; row: Row; was: string[] }
  | { outcome: 'unchanged' };

const uuid = new RegExp(uuidPattern);

export function planEntry(line: EntryLine, candidates: SavedEntry[], fresh: Fresh): Outcome<Entry> {
  if (line.isOnlyNamed && candidates.length > 0) return { outcome: 'unchanged' };
  const existing = findExisting(line, candidates);
  const id = existing?.id ?? line.id ?? fresh.newId();
  const createdAt = line.createdAt ?? existing?.createdAt ?? fresh.now;
  const entry: Entry = {
    kind: line.type,
    id,
    name: line.name,
    createdAt,
    document: entryDocument(line, id, createdAt),
  };
  if (!existing) return { outcome: 'added', row: entry };
  if (existing.document === entry.document && existing.createdAt === createdAt)
    return { outcome: 'unchanged' };
  const was = [nameIdentity(existing.kind, existing.name), existing.id];
  return { outcome: 'updated', row: { ...entry, shelf: existing.shelf }, was };
}

/** A record is known by its id or, without one, by what it is called. */
function findExisting(line: EntryLine, candidates: SavedEntry[]): SavedEntry | undefined {
  const sameName = candidates.filter(
    (entry) => identityOf(entry.document, entry.kind) === identityOf(line, line.type),
  );
  if (line.id === undefined) {
    if (sameName.length > 1)
      throw new LineError(`there are ${sameName.length} of this ${line.type}; give the "id"`);
    return sameName[0];
  }
  const taken = line.type === 'category' && sameName.find((entry) => entry.id !== line.id);
  if (taken) throw new LineError(`the category "${line.name}" exists already, with the id ${taken.id}`);
  return candidates.find((entry) => entry.id === line.id);
}

function identityOf(record: string | EntryLine, kind: Kind): string {
  const { name, url, source }: { name: string; url?: string; source?: string } =
    typeof record === 'string' ? JSON.parse(record) : record;
  if (kind === 'category') return fold(name);
  return JSON.stringify([name, (kind === 'artist' ? url : source) ?? '']);
}

function entryDocument(line: EntryLine, id: string, createdAt: string): string {
  const { name } = line;
  switch (line.type) {
    case 'artist':
      return JSON.stringify({ id, name, url: line.url ?? '' });
    case 'category':
      return JSON.stringify({
        id,
        name,
        description: line.description ?? '',
        nsfw: line.nsfw ?? false,
        createdAt,
      });
    case 'character': {
      const { description = '', source = '', gender = '', ages = [] } = line;
      const { birth_date = '', nationality = '', occupations = [] } = line;
      const about = { description, source, gender, ages, birth_date, nationality, occupations };
      return JSON.stringify({ id, name, ...about, createdAt });
    }
  }
}

/** What the store holds of the entries that a batch mentions, by id and by name. */
export class KnownEntries {
  readonly #entries = new Map<string, SavedEntry[]>();

  add(entries: SavedEntry[]): void {
    for (const entry of entries) {
      if (this.#find(entry.kind, entry.id).length > 0) continue;
      for (const key of [entry.id, nameKey(entry.kind, entry.name)])
        addTo(this.#entries, `${entry.kind} ${key}`, entry);
    }
  }

  /** Those that a line may mean: by its id or by its name. */
  like(line: EntryLine): SavedEntry[] {
    const byId = line.id === undefined ? [] : this.#find(line.type, line.id);
    return [...new Set([...byId, ...this.#find(line.type, nameKey(line.type, line.name))])];
  }

  /** The one that an image refers to. */
  resolve(kind: Kind, reference: string): SavedEntry {
    const found = this.#find(kind, isId(reference) ? reference.toLowerCase() : nameKey(kind, reference));
    if (found.length > 1)
      throw new LineError(`${found.length} ${kind}s are called "${reference}"; refer to one by its id`);
    if (!found[0]) throw new LineError(`there is no ${kind} "${reference}"; define it on an earlier line`);
    return found[0];
  }

  #find(kind: Kind, key: string): SavedEntry[] {
    return this.#entries.get(`${kind} ${key}`) ?? [];
  }
}

export const isId = (reference: string): boolean => uuid.test(reference);

const nameKey = (kind: Kind, name: string) => (kind === 'category' ? fold(name) : name);

/** What the store holds of the images that a batch mentions. */
export class KnownImages {
  readonly #byId = new Map<string, StoredRow>();
  readonly #byETag = new Map<string, StoredRow[]>();

  constructor(byId: StoredRow[], byETag: StoredRow[]) {
    for (const row of byId) this.#byId.set(row.id, row);
    for (const row of byETag) addTo(this.#byETag, row.eTag, row);
  }

  /** An image is known by its id or, without one, by its bytes. */
  find(line: ImageLine, hash: string): StoredRow | undefined {
    if (line.id !== undefined) return this.#byId.get(line.id);
    const same = this.#byETag.get(hash) ?? [];
    if (same.length > 1) throw new LineError(`${same.length} images have these bytes; give the "id"`);
    return same[0];
  }
}

type StoredRow = ImageRow & { number: number };

function addTo<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

export interface Placed {
  row: ImageRow;
  shelves: number[];
}

export function planImage(
  line: ImageLine,
  picture: Picture,
  existing: ImageRow | undefined,
  known: KnownEntries,
  fixed: FixedShelves,
  fresh: Fresh,
): Outcome<Placed> {
  const before = existing && readDocument(existing.document);
  const artist = line.artist ? known.resolve('artist', line.artist) : undefined;
  const categories = resolveAll('category', line.categories, known);
  const characters = resolveAll('character', line.characters, known);
  const { key, hash, eTag, size, mimetype, color, width, height } = picture;
  const image: Omit<StoredImage, 'categories' | 'characters'> = {
    id: existing?.id ?? line.id ?? fresh.newId(),
    artist: artist?.id ?? null,
    source: line.source ?? null,
    nsfw: line.nsfw,
    createdAt: line.createdAt ?? before?.createdAt ?? fresh.now,
    meta: { eTag, size, mimetype, color, dimens: dimensions(width, height) },
  };
  const row: ImageRow = {
    id: image.id,
    key,
    eTag: hash,
    mimetype,
    document: composeDocument(image, key, documentsOf(categories), documentsOf(characters)),
  };
  const entries = [...(artist ? [artist] : []), ...categories, ...characters];
  const shelves = [
    fixed.catalogue,
    fixed.rating[image.nsfw],
    fixed.orientation[image.meta.dimens.orientation],
    ...entries.map((entry) => entry.shelf),
  ];
  if (existing?.number === undefined) return { outcome: 'added', row: { row, shelves } };
  if (existing.document === row.document && existing.eTag === hash) return { outcome: 'unchanged' };
  return {
    outcome: 'updated',
    row: { row: { ...row, number: existing.number }, shelves },
    was: [existing.eTag, existing.id],
  };
}

function resolveAll(kind: Kind, named: string[] | undefined, known: KnownEntries): SavedEntry[] {
  const entries = (named ?? []).map((reference) => known.resolve(kind, reference));
  return [...new Set(entries)].sort(byNameThenId);
}

function documentsOf(entries: SavedEntry[]): string[] {
  return entries.map(({ document }) => document);
}
