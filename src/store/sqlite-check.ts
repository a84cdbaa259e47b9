/**
 * Whether the embedded catalogue agrees with itself. What images say (their documents) and what entries are is taken for
 * true; shelves, sizes, orders and the entries that documents repeat are derived from it, can be compared with it, and can
 * be made anew.
 */
import type { DatabaseSync } from 'node:sqlite';
import { composeDocument, readDocument, type StoredImage } from '../catalogue/document.ts';
import type { ImageRow, Kind, SavedEntry } from '../model.ts';
import { catalogueSchema } from './schema.ts';
import { openDatabase } from './sqlite-file.ts';
import { readFixedShelves } from './sqlite-shelves.ts';
import { openWriter } from './sqlite-writer.ts';

export interface Finding {
  problem: string;
  canBeRepaired: boolean;
}

type Image = ImageRow & { number: number };

const shelfProblems = `
  select 'the shelf of ' || kind || ' "' || name || '" has gaps or a wrong size' as problem
  from shelf left join placement on shelf = number group by number
  having size <> count(image) or (count(image) > 0 and max(placement.position) <> count(image) - 1)
  union all
  select 'the shelf of ' || kind || ' "' || name || '" is out of order'
  from (select shelf, image, lag(image) over (partition by shelf order by position) as before from placement)
  join shelf as s on s.number = shelf where before >= image group by shelf
  union all
  select 'a shelf holds an image that does not exist' from placement where image not in (select number from image)
  union all
  select 'the list of ' || kind || 's is out of order'
  from (select kind, position, row_number() over (partition by kind order by name, id) - 1 as due from shelf
        where kind in ('artist', 'category', 'character'))
  where position <> due group by kind`;

export function* checkStore(path: string): Generator<Finding, void> {
  const database = openDatabase(path, catalogueSchema);
  try {
    database.exec('begin');
    for (const { problem } of database.prepare(shelfProblems).iterate())
      yield { problem: problem as string, canBeRepaired: true };
    for (const { id, finding } of checkImages(database))
      if (finding) yield { ...finding, problem: `image ${id}: ${finding.problem}` };
  } finally {
    database.close();
  }
}

/** Makes anew what is derived. Nothing that an image or an entry says is changed. */
export async function repairStore(path: string): Promise<void> {
  const database = openDatabase(path, catalogueSchema);
  const mended = [...checkImages(database)].flatMap(({ mended }) => mended ?? []);
  database.close();
  const writer = openWriter(path);
  await writer.saveImages(mended);
  await writer.renumberAll();
  await writer.commit();
}

interface Checked {
  id: string;
  finding?: Finding;
  /** How the image should be saved. */
  mended?: { row: Image; shelves: number[] };
}

function* checkImages(database: DatabaseSync): Generator<Checked, void> {
  const entries = readEntries(database);
  const fixed = readFixedShelves(database);
  const shelvesOf = database.prepare('select shelf from placement where image = ? order by shelf');
  const images = database.prepare('select number, id, etag as eTag, key, mimetype, document from image');
  for (const row of images.iterate() as unknown as Iterable<Image>) {
    const image = tryRead(row);
    if (!image) {
      yield { id: row.id, finding: { problem: 'its document cannot be read', canBeRepaired: false } };
      continue;
    }
    const find = (kind: Kind, id: string) => entries.get(`${kind} ${id}`);
    const artist = image.artist === null ? [] : [find('artist', image.artist)];
    const categories = image.categories.map(({ id }) => find('category', id));
    const characters = image.characters.map(({ id }) => find('character', id));
    const mentioned = [...artist, ...categories, ...characters];
    if (!mentioned.every((entry) => entry !== undefined)) {
      yield { id: row.id, finding: { problem: 'it mentions what does not exist', canBeRepaired: false } };
      continue;
    }
    const own = [fixed.catalogue, fixed.rating[image.nsfw], fixed.orientation[image.meta.dimens.orientation]];
    const shelves = [...own, ...mentioned.map((entry) => (entry as SavedEntry).shelf)];
    const texts = (known: (SavedEntry | undefined)[]) => known.map((entry) => entry?.document ?? '');
    const document = composeDocument(image, texts(categories), texts(characters));
    const placed = shelvesOf.all(row.number).map((place) => place.shelf as number);
    const isPlaced = placed.join() === shelves.toSorted((a, b) => a - b).join();
    if (isPlaced && document === row.document) continue;
    const problem = isPlaced
      ? 'its document repeats old categories or characters'
      : 'it stands on the wrong shelves';
    yield {
      id: row.id,
      finding: { problem, canBeRepaired: true },
      mended: { row: { ...row, document }, shelves },
    };
  }
}

function readEntries(database: DatabaseSync): Map<string, SavedEntry> {
  const rows = database.prepare(
    `select number as shelf, kind, id, name, created_at as createdAt, document from shelf
     where kind in ('artist', 'category', 'character')`,
  );
  return new Map(
    (rows.all() as unknown as SavedEntry[]).map((entry) => [`${entry.kind} ${entry.id}`, entry]),
  );
}

function tryRead({ id, eTag, mimetype, document }: Image): StoredImage | undefined {
  try {
    const image = readDocument(document);
    return image.id === id && image.meta.eTag === eTag && image.meta.mimetype === mimetype
      ? image
      : undefined;
  } catch {
    return undefined;
  }
}
