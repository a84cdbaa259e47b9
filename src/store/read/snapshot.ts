/** The whole catalogue as of one version, and what finds entries and images in it. */
import { crc32 } from 'node:zlib';
import { findUnused, MAX_PREVIEWS_LENGTH, possibleOriginals } from '../../catalogue/documents/document.ts';
import { foldName, normaliseName } from '../../catalogue/names.ts';
import { KINDS } from '../../catalogue/schemas.ts';
import {
  addSizes,
  blockOf,
  IMAGES_PER_BLOCK,
  lastOf,
  listImages,
  packImages,
} from '../../catalogue/sets/blocks.ts';
import { ImageSizes, type Placed, type Placement } from '../../catalogue/sets/image-set.ts';
import type {
  CatalogueSnapshot,
  FixedShelves,
  ImageIdFilter,
  Lookup,
  SavedEntry,
  SavedImage,
} from '../../catalogue/writer.ts';
import { nameKey } from '../../catalogue/writer.ts';
import { inBatches, mapEach } from '../../lib/concurrency.ts';
import { createChangeLogReader } from '../change-log/log.ts';
import {
  type BlockedRow,
  type Dialect,
  IMAGE_COLUMNS,
  IS_EDITED,
  IS_FILE_CHANGED,
  IS_UNRATED,
  isOfChange,
  isOnNo,
  LIST_PROBLEMS,
  PLACEMENT_COLUMNS,
  type PlacementRow,
  REMOVED_COLUMNS,
  type ReadSession,
  readFixedShelves,
  readValues,
  SHELF_BATCH_SIZE,
  type SqlValue,
  selectBlocked,
  toBlockedName,
  toPlacements,
} from '../session.ts';

export async function openSnapshot(session: ReadSession): Promise<CatalogueSnapshot> {
  await using opening = new AsyncDisposableStack();
  opening.use(session);
  const fixedShelves = await readFixedShelves(session);
  opening.move();
  const snapshot: CatalogueSnapshot = {
    ...createLookup(session),
    fixedShelves,
    identity: () => session.identity(),
    async isEmpty() {
      const records = [
        snapshot.images(),
        ...KINDS.map((kind) => snapshot.entries(kind)),
        snapshot.blockedNames(),
        snapshot.siteTexts(),
        snapshot.removedFiles(),
        snapshot.changeLog.changes(),
        snapshot.changeLog.trash(),
      ];
      for (const each of records) for await (const _record of each) return false;
      return true;
    },
    entries(kind) {
      const text = `select ${entryColumns(session.dialect)} from shelf where kind = $1 order by position`;
      return mapEach(session.stream<EntryRow>(text, [kind]), toEntry);
    },
    images: () => session.stream<SavedImage>(`select ${IMAGE_COLUMNS} from image order by number`),
    imageNumbers: () => readValues(session, 'select number as value from image'),
    editedImages() {
      const text = 'select image from edited order by image desc';
      return mapEach(session.stream<{ image: number }>(text), ({ image }) => image);
    },
    imageIds: (filter) => readOfImages(session, fixedShelves, filter, 'image.id', 'order by image.number'),
    async countImages(filter) {
      const [count] = await readOfImages<number>(session, fixedShelves, filter, 'cast(count(*) as int)');
      return count as number;
    },
    async imageCounts(kind) {
      const rows = await session.query<{ id: string; size: number }>(
        'select id, size from shelf where kind = $1',
        [kind],
      );
      return new Map(rows.map(({ id, size }) => [id, size]));
    },
    changeLog: createChangeLogReader(session),
    blockedNames: () =>
      mapEach(session.stream<BlockedRow>(selectBlocked('order by kind, key')), toBlockedName),
    siteTexts: () => session.stream('select field, value as text from site_text order by field'),
    removedFiles: () => session.stream(`select ${REMOVED_COLUMNS} from removed_file order by hash`),
    sourceFiles: () =>
      session.stream(
        'select folder, path, image, state, fingerprint from source_file order by folder, path, image',
      ),
    chosenFolders() {
      const rows = session.stream<{ folder: string; choice: string }>(
        'select folder, choice from source_folder order by folder',
      );
      return mapEach(rows, ({ folder, choice }) => ({ folder, choice: JSON.parse(choice) }));
    },
    imagesByNumber: (numbers) => readImages(session, 'number', numbers),
    perceptualHashes: () => session.stream('select image, hash from perceptual_hash order by image'),
    textBlocks: () => session.stream('select term, block, images from text_block'),
    placementsOf: (images) => readPlacements(session, images),
    async *misnumbered() {
      yield* findShelfProblems(session, fixedShelves);
      for await (const { problem } of session.stream<{ problem: string }>(LIST_PROBLEMS)) yield problem;
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
  return snapshot;
}

/** The values of an expression for images that pass a filter. */
function readOfImages<T>(
  session: ReadSession,
  { catalogue }: FixedShelves,
  { shelves, without = [], isEdited, isUnrated, isFileChanged, change }: ImageIdFilter,
  expression: string,
  order = '',
): Promise<T[]> {
  const { dialect } = session;
  const values: SqlValue[] = [];
  const bind = (value: SqlValue) => `$${values.push(value)}`;
  const conditions = shelves
    .filter((shelf) => shelf !== catalogue)
    .map((shelf) => dialect.hasShelf(bind(shelf)));
  if (without.length > 0) conditions.push(isOnNo(dialect, `= any(${bind(without)})`));
  if (isEdited) conditions.push(IS_EDITED);
  if (isUnrated) conditions.push(IS_UNRATED);
  if (isFileChanged) conditions.push(IS_FILE_CHANGED);
  if (change !== undefined) conditions.push(isOfChange(bind(change)));
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  const images = 'image_shelves as listed join image on image.number = listed.image';
  return readValues(session, `select ${expression} as value from ${images} ${where} ${order}`, values);
}

/** `aliases` and `images` are JSON. */
type EntryRow = Omit<SavedEntry, 'aliases' | 'images'> & {
  aliases: string | null;
  images: string | null;
};

/** `aliases` is null if there are none: imports look up many entries, and sorting nothing takes time too. */
function entryColumns({ jsonArray }: Dialect): string {
  const aliases = 'from alias where alias.shelf = shelf.number';
  return `number as shelf, kind, id, name, created_at as "createdAt", document,
    case when exists (select 1 ${aliases}) then (select ${jsonArray('alias.name')} ${aliases}) end as aliases,
    case when kind = 'album' then (select ${jsonArray('image', 'album_image.position')}
      from album_image where album = shelf.number) end as images`;
}

function toEntry(row: EntryRow): SavedEntry {
  const { aliases, images, ...entry } = row;
  const list = (json: string | null): string[] => (json === null ? [] : JSON.parse(json));
  return { ...entry, aliases: list(aliases), ...(row.kind === 'album' && { images: list(images) }) };
}

export function createLookup(session: ReadSession): Lookup {
  const columns = entryColumns(session.dialect);
  const findEntries = async (
    condition: string,
    keys: string[],
    ...more: SqlValue[]
  ): Promise<SavedEntry[]> => {
    if (keys.length === 0) return [];
    const text = `select ${columns} from shelf where ${condition} order by number`;
    return (await session.query<EntryRow>(text, [keys, ...more])).map(toEntry);
  };
  return {
    entriesById: (kinds, ids) => findEntries('kind = any($2) and id = any($1)', ids, [kinds].flat()),
    entriesByName: (kind, names) =>
      kind === 'category'
        ? findEntries('category = any($1)', names.map(foldName))
        : findEntries('kind = $2 and name = any($1)', names.map(normaliseName), kind),
    entriesByAlias: (kind, aliases) =>
      findEntries(
        'number in (select alias.shelf from alias where alias.kind = $2 and alias.key = any($1))',
        aliases.map((alias) => nameKey(kind, alias)),
        kind,
      ),
    albumsOf: (images) =>
      findEntries('number in (select album from album_image where image = any($1))', images),
    entryNames: (kind) =>
      readValues(session, 'select name as value from shelf where kind = $1 order by position', [kind]),
    imagesById: (ids) => readImages(session, 'id', ids),
    imagesByETag: (eTags) => readImages(session, 'etag', eTags),
    countByAlbum: (ids) =>
      session.query(
        `select id, name, images from shelf join
           (select album, cast(count(*) as int) as images from album_image
            where image = any($1) group by album) as found on number = album
         order by number`,
        [ids],
      ),
    async findImageIds(ids) {
      const find = async (table: string) => {
        const text = `select id as value from ${table} where id = any($1)`;
        return new Set(await readValues<string>(session, text, [ids]));
      };
      return {
        images: await find('image'),
        trashed: await find(`(select id from trash where kind = 'image') as trashed`),
      };
    },
    async *imagesOn(shelf) {
      for (const batch of inBatches(await readShelf(session, shelf), SHELF_BATCH_SIZE))
        yield readImages(session, 'number', batch);
    },
    unusedKeys: (keys) => findUnusedKeys(session, keys),
  };
}

/** Those with one of the values, in the order of their numbers. */
async function readImages(
  session: ReadSession,
  column: 'number' | 'id' | 'etag',
  wanted: number[] | string[],
): Promise<SavedImage[]> {
  if (wanted.length === 0) return [];
  const text = `select ${IMAGE_COLUMNS} from image where ${column} = any($1) order by number`;
  return session.query(text, [wanted]);
}

/** Documents are longer than this. */
const tail = `substr(document, length(document) - ${MAX_PREVIEWS_LENGTH - 1})`;

/** The trash uses its files, too. Scans all images: an index of keys would slow down every import for the sake of this rare question. */
async function findUnusedKeys(session: ReadSession, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const uses = (table: string) => `select key, ${tail} as tail from ${table} where key = any($1)`;
  const text = `${uses('image')} union all ${uses('trash')}`;
  return findUnused(keys, await session.query(text, [possibleOriginals(keys)]));
}

// What is stored about shelves, as a whole: the images of one, and whether all of them say what the images say.

/** The numbers of the images on a shelf, in ascending order. */
export async function readShelf(session: ReadSession, shelf: number): Promise<number[]> {
  const text = 'select block, images from shelf_block where shelf = $1 order by block';
  const rows = await session.query<{ block: number; images: string }>(text, [shelf]);
  return rows.flatMap(({ block, images }) => listImages([block, images]));
}

/** What images say about their shelves and sizes, by their numbers. */
export async function readPlacements(
  session: ReadSession,
  images: number[],
): Promise<Map<number, Placement>> {
  const text = `select ${PLACEMENT_COLUMNS} from image_shelves where image = any($1)`;
  return toPlacements(await session.query<PlacementRow>(text, [images]), session.dialect);
}

/** What all images say about their shelves and sizes, block by block. */
export async function* readInBlocks(session: ReadSession): AsyncGenerator<[block: number, Placed[]], void> {
  for (let above = 0; ; ) {
    const [next] = await session.query<{ image: number }>(
      'select image from image_shelves where image > $1 order by image limit 1',
      [above],
    );
    if (!next) return;
    const block = blockOf(next.image);
    above = lastOf(block);
    const rows = await session.query<PlacementRow>(
      `select ${PLACEMENT_COLUMNS} from image_shelves where image >= $1 and image <= $2 order by image`,
      [next.image, above],
    );
    yield [
      block,
      Array.from(toPlacements(rows, session.dialect), ([image, placed]) => ({ image, ...placed })),
    ];
  }
}

/** Of the images of a shelf: how many they are, the newest one rated sfw, and what tells whether they are the same. */
interface Summary {
  size: number;
  cover: number;
  checksum: number;
}

/** One sentence for each problem. */
export async function* findShelfProblems(
  session: ReadSession,
  { rating }: FixedShelves,
): AsyncGenerator<string, void> {
  const expected = new Map<number, Summary>();
  const summaryOf = (summaries: Map<number, Summary>, shelf: number) => {
    const summary = summaries.get(shelf) ?? { size: 0, cover: 0, checksum: 0 };
    summaries.set(shelf, summary);
    return summary;
  };
  let hasWrongSizes = false;
  for await (const [block, placed] of readInBlocks(session)) {
    for (const [shelf, { content, size }] of packImages(placed)) {
      const summary = summaryOf(expected, shelf);
      summary.size += size;
      summary.checksum ^= crc32(content, block);
    }
    for (const { image, shelves } of placed)
      if (shelves.includes(rating.sfw)) for (const shelf of shelves) summaryOf(expected, shelf).cover = image;
    hasWrongSizes ||= !(await haveSizes(session, block, placed));
  }
  if (hasWrongSizes) yield 'the list of sizes differs from those of the images';
  const stored = new Map<number, Summary>();
  const blocks = 'select shelf, block, images from shelf_block';
  for await (const row of session.stream<{ shelf: number; block: number; images: string }>(blocks))
    summaryOf(stored, row.shelf).checksum ^= crc32(row.images, row.block);
  const shelves = session.stream<{
    number: number;
    kind: string;
    name: string;
    size: number;
    cover: number | null;
  }>('select number, kind, name, size, cover from shelf order by number');
  for await (const { number, kind, name, size, cover } of shelves) {
    const [wanted, found] = [summaryOf(expected, number), summaryOf(stored, number)];
    const shelf = `the image list of ${kind} "${name}"`;
    if (size !== wanted.size) yield `${shelf} has a wrong size`;
    if (found.checksum !== wanted.checksum) yield `${shelf} has other images than those that belong on it`;
    if (isEntry(kind) && (cover ?? 0) !== wanted.cover)
      yield `the cover of ${kind} "${name}" is not its newest sfw image`;
    stored.delete(number);
  }
  if (stored.size > 0) yield 'images are on a list that does not exist';
}

const isEntry = (kind: string) => KINDS.some((one) => one === kind);

async function haveSizes(session: ReadSession, block: number, placed: Placed[]): Promise<boolean> {
  const [row] = await session.query<{ sizes: string }>('select sizes from size_block where block = $1', [
    block,
  ]);
  if (!row) return false;
  const sizes = new ImageSizes(lastOf(0));
  addSizes(sizes, [0, row.sizes]);
  return placed.every(
    ({ image, width, height }) =>
      sizes.passes((...size) => size[0] === width && size[1] === height, image % IMAGES_PER_BLOCK) ||
      width === 0,
  );
}
