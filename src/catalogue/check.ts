/**
 * Whether a catalogue agrees with itself, whatever store it is in. What images say (their documents) and what entries are
 * is taken for true; shelves, sizes, orders and the entries that documents repeat are derived from it, can be compared
 * with it, and can be made anew.
 */

import { composeDocument, readDocument, type StoredImage } from './document.ts';
import type { Kind } from './types.ts';
import type { CatalogueSnapshot, CatalogueWriter, SavedEntry, SavedImage } from './writer.ts';

export interface Finding {
  problem: string;
  canBeRepaired: boolean;
}

interface Mended {
  row: SavedImage;
  shelves: number[];
}

const BATCH = 500;
const kinds: Kind[] = ['artist', 'category', 'character'];

export async function* checkCatalogue(snapshot: CatalogueSnapshot): AsyncGenerator<Finding, void> {
  for await (const problem of snapshot.misnumbered()) yield { problem, canBeRepaired: true };
  for await (const { id, finding } of checkImages(snapshot))
    yield { ...finding, problem: `image ${id}: ${finding.problem}` };
}

/** Makes anew what is derived. Nothing that an image or an entry says is changed. */
export async function repairCatalogue(snapshot: CatalogueSnapshot, writer: CatalogueWriter): Promise<void> {
  let batch: Mended[] = [];
  for await (const { mended } of checkImages(snapshot)) {
    if (mended) batch.push(mended);
    if (batch.length < BATCH) continue;
    await writer.saveImages(batch);
    batch = [];
  }
  await writer.saveImages(batch);
  await writer.renumberAll();
}

interface Checked {
  id: string;
  finding: Finding;
  /** How the image should be saved. */
  mended?: Mended;
}

async function* checkImages(snapshot: CatalogueSnapshot): AsyncGenerator<Checked, void> {
  const entries = new Map<string, SavedEntry>();
  for (const kind of kinds)
    for await (const entry of snapshot.entries(kind)) entries.set(`${kind} ${entry.id}`, entry);
  const check = async (rows: SavedImage[]) => {
    const placed = await snapshot.shelvesOf(rows.map(({ number }) => number));
    return rows.flatMap((row) => checkImage(row, placed.get(row.number) ?? [], entries, snapshot) ?? []);
  };
  let batch: SavedImage[] = [];
  for await (const row of snapshot.images()) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield* await check(batch);
    batch = [];
  }
  yield* await check(batch);
}

/** What is wrong with an image, or undefined. */
function checkImage(
  row: SavedImage,
  placed: number[],
  entries: Map<string, SavedEntry>,
  { fixedShelves }: CatalogueSnapshot,
): Checked | undefined {
  const { id } = row;
  const image = tryRead(row);
  if (!image) return { id, finding: { problem: 'its document cannot be read', canBeRepaired: false } };
  const find = (kind: Kind, id: string) => entries.get(`${kind} ${id}`);
  const artist = image.artist === null ? [] : [find('artist', image.artist)];
  const categories = image.categories.map(({ id }) => find('category', id));
  const characters = image.characters.map(({ id }) => find('character', id));
  const mentioned = [...artist, ...categories, ...characters];
  if (!mentioned.every((entry) => entry !== undefined))
    return { id, finding: { problem: 'it mentions what does not exist', canBeRepaired: false } };
  const { orientation } = image.meta.dimens;
  const own = [
    fixedShelves.catalogue,
    fixedShelves.rating[image.nsfw],
    fixedShelves.orientation[orientation],
  ];
  const shelves = [...own, ...mentioned.map((entry) => entry.shelf)];
  const texts = (known: (SavedEntry | undefined)[]) => known.map((entry) => entry?.document ?? '');
  const document = composeDocument(image, row.key, texts(categories), texts(characters));
  const isPlaced = inOrder(placed) === inOrder(shelves);
  if (isPlaced && document === row.document) return undefined;
  const problem = isPlaced
    ? 'its document repeats old categories or characters'
    : 'it stands on the wrong shelves';
  return { id, finding: { problem, canBeRepaired: true }, mended: { row: { ...row, document }, shelves } };
}

function inOrder(numbers: number[]): string {
  return numbers.toSorted((a, b) => a - b).join();
}

function tryRead({ id, mimetype, document }: SavedImage): StoredImage | undefined {
  try {
    const image = readDocument(document);
    return image.id === id && image.meta.mimetype === mimetype ? image : undefined;
  } catch {
    return undefined;
  }
}
