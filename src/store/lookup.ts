/** Finds entries and images by what identifies them. */

import { findUnused, MAX_PREVIEWS_LENGTH, possibleOriginals } from '../catalogue/documents/thumbnails.ts';
import { foldName, normaliseName } from '../catalogue/names.ts';
import type { Lookup, SavedEntry, SavedImage } from '../catalogue/writer.ts';
import { inBatches } from '../lib/parallel.ts';
import { nameKey } from './contract/decisions.ts';
import { IMAGE_COLUMNS, SHELF_BATCH_SIZE } from './queries.ts';
import type { Dialect, ReadSession } from './session.ts';

/** `aliases` and `images` are JSON. */
export type EntryRow = Omit<SavedEntry, 'aliases' | 'images'> & {
  aliases: string | null;
  images: string | null;
};

/** `aliases` is null if there are none: imports look up many entries, and sorting nothing takes time too. */
export function entryColumns({ jsonArray }: Dialect): string {
  const aliases = 'from alias where alias.shelf = shelf.number';
  return `number as shelf, kind, id, name, created_at as "createdAt", document,
    case when exists (select 1 ${aliases}) then (select ${jsonArray('alias.name')} ${aliases}) end as aliases,
    case when kind = 'album' then (select ${jsonArray('image', 'album_image.position')}
      from album_image where album = shelf.number) end as images`;
}

export function toEntry(row: EntryRow): SavedEntry {
  const { aliases, images, ...entry } = row;
  const list = (json: string | null): string[] => (json === null ? [] : JSON.parse(json));
  return { ...entry, aliases: list(aliases), ...(row.kind === 'album' && { images: list(images) }) };
}

export function createLookup(session: ReadSession): Lookup {
  const { isOneOf } = session.dialect;
  const columns = entryColumns(session.dialect);
  const findEntries = async (condition: string, keys: string[], ...more: string[]): Promise<SavedEntry[]> => {
    if (keys.length === 0) return [];
    const text = `select ${columns} from shelf where ${condition} order by number`;
    return (await session.query<EntryRow>(text, [keys, ...more])).map(toEntry);
  };
  return {
    entriesById: (kind, ids) => findEntries(`kind = $2 and id ${isOneOf('$1', 'text')}`, ids, kind),
    entriesByName: (kind, names) =>
      kind === 'category'
        ? findEntries(`category ${isOneOf('$1', 'text')}`, names.map(foldName))
        : findEntries(`kind = $2 and name ${isOneOf('$1', 'text')}`, names.map(normaliseName), kind),
    entriesByAlias: (kind, aliases) =>
      findEntries(
        `number in (select alias.shelf from alias where alias.kind = $2 and alias.key ${isOneOf('$1', 'text')})`,
        aliases.map((alias) => nameKey(kind, alias)),
        kind,
      ),
    albumsOf: (images) =>
      findEntries(`number in (select album from album_image where image ${isOneOf('$1', 'text')})`, images),
    async entryNames(kind) {
      const text = 'select name from shelf where kind = $1 order by position';
      return (await session.query<{ name: string }>(text, [kind])).map(({ name }) => name);
    },
    async imagesById(ids) {
      if (ids.length === 0) return [];
      return session.query(
        `select ${IMAGE_COLUMNS} from image where id ${isOneOf('$1', 'text')} order by number`,
        [ids],
      );
    },
    countByAlbum: (ids) =>
      session.query(
        `select id, name, images from shelf join
           (select album, cast(count(*) as int) as images from album_image
            where image ${isOneOf('$1', 'text')} group by album) as found on number = album
         order by number`,
        [ids],
      ),
    async findImageIds(ids) {
      const find = async (table: string) => {
        const text = `select id from ${table} where id ${isOneOf('$1', 'text')}`;
        return new Set((await session.query<{ id: string }>(text, [ids])).map(({ id }) => id));
      };
      return {
        images: await find('image'),
        trashed: await find(`(select id from trash where kind = 'image') as trashed`),
      };
    },
    async *imagesOn(shelf) {
      // The numbers first: positions change when images are moved.
      const numbers: number[] = [];
      const placed = 'select image from placement where shelf = $1 order by position';
      for await (const { image } of session.stream<{ image: number }>(placed, [shelf])) numbers.push(image);
      for (const batch of inBatches(numbers, SHELF_BATCH_SIZE)) yield readImages(session, batch);
    },
  };
}

/** In the order of their numbers. */
export function readImages(session: ReadSession, numbers: number[]): Promise<SavedImage[]> {
  const isWanted = session.dialect.isOneOf('$1', 'int');
  return session.query(`select ${IMAGE_COLUMNS} from image where number ${isWanted} order by number`, [
    numbers,
  ]);
}

/** Documents are longer than this. */
const tail = `substr(document, length(document) - ${MAX_PREVIEWS_LENGTH - 1})`;

/** The trash uses its files, too. Scans all images: an index of keys would slow down every import for the sake of this rare question. */
export async function findUnusedKeys(session: ReadSession, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const isPossible = session.dialect.isOneOf('$1', 'text');
  const uses = (table: string) => `select key, ${tail} as tail from ${table} where key ${isPossible}`;
  const text = `${uses('image')} union all ${uses('trash')}`;
  return findUnused(keys, await session.query(text, [possibleOriginals(keys)]));
}
