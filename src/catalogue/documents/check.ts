/**
 * Checks a catalogue for consistency, in any store. The documents of images, the entries and the orders of albums are the source of truth.
 * Shelves, their sizes and orders, and the entries that documents contain are derived from them, so they can be compared
 * and rebuilt.
 */

import { streamBatches } from '../../lib/parallel.ts';
import { titleWords } from '../search/title-words.ts';
import type { Kind } from '../types.ts';
import type {
  CatalogueSnapshot,
  CatalogueWriter,
  PlacedImage,
  Placement,
  SavedEntry,
  SavedImage,
} from '../writer.ts';
import { checkLog, type Finding, repairLog } from './check-log.ts';
import { checkEntryTexts, checkImageTexts, mayHaveFlaw } from './check-texts.ts';
import { parseStored, readDocument, readTitle, type StoredImage } from './document.ts';
import { formatEdited, parseEdited, parseMarks } from './edit-image.ts';
import { placeImage } from './place-image.ts';

const BATCH_SIZE = 500;
const kinds: Kind[] = ['artist', 'category', 'character'];

export async function* checkCatalogue(snapshot: CatalogueSnapshot): AsyncGenerator<Finding, void> {
  for await (const problem of snapshot.misnumbered()) yield { problem, canBeRepaired: true };
  const titles = new TitleComparison(snapshot);
  const unreadable: Finding[] = [];
  const onRow = async (row: SavedImage) => {
    await titles.add(row);
    unreadable.push(...checkImageTexts(row.id, mayHaveFlaw(row) ? tryRead(row) : undefined));
  };
  for await (const { id, finding } of checkImages(snapshot, onRow))
    yield { ...finding, problem: `image ${id}: ${finding.problem}` };
  yield* checkEntryTexts(snapshot);
  yield* unreadable;
  if (!(await titles.isSame()))
    yield { problem: 'the index of titles has other words than the titles', canBeRepaired: true };
  yield* checkLog(snapshot.changeLog);
}

/** Rebuilds derived data. The facts about images and entries do not change. */
export async function repairCatalogue(snapshot: CatalogueSnapshot, writer: CatalogueWriter): Promise<void> {
  for await (const faulty of streamBatches(checkImages(snapshot), BATCH_SIZE))
    await writer.saveImages(faulty.flatMap(({ repaired }) => repaired ?? []));
  await writer.renumberAll();
  await repairLog(snapshot.changeLog, writer.changeLog);
}

/** Compares the titles of all images, which are added in the order of their numbers, with the index of their words. */
class TitleComparison {
  readonly #indexed: AsyncIterator<IndexedTitle>;
  /** Read, but not compared yet. */
  #next: IteratorResult<IndexedTitle> | undefined;
  #isSame = true;

  constructor(snapshot: CatalogueSnapshot) {
    this.#indexed = snapshot.titleWords()[Symbol.asyncIterator]();
  }

  async add(row: SavedImage): Promise<void> {
    this.#next ??= await this.#indexed.next();
    const { done, value } = this.#next;
    const found: string[] = !done && value.image === row.number ? value.words : [];
    // Nobody knows the title of an image whose document cannot be read.
    if (!isSameSet(found, titleWords(readTitle(row.document))) && tryRead(row)) this.#isSame = false;
    if (found.length > 0) this.#next = undefined;
  }

  /** Call it at the end: the index must not have the words of any other image. */
  async isSame(): Promise<boolean> {
    return this.#isSame && (this.#next ?? (await this.#indexed.next())).done === true;
  }
}

interface IndexedTitle {
  image: number;
  words: string[];
}

function isSameSet(some: string[], others: string[]): boolean {
  const known = new Set(others);
  return some.length === known.size && some.every((one) => known.has(one));
}

interface FaultyImage {
  id: string;
  finding: Finding;
  /** What to save instead, if it can be repaired. */
  repaired?: PlacedImage;
}

async function* checkImages(
  snapshot: CatalogueSnapshot,
  onRow: (row: SavedImage) => Promise<void> = async () => {},
): AsyncGenerator<FaultyImage, void> {
  const entries = new Map<string, SavedEntry>();
  for (const kind of kinds)
    for await (const entry of snapshot.entries(kind)) entries.set(`${kind} ${entry.id}`, entry);
  const albums = new Map<string, number[]>();
  for await (const { shelf, images = [] } of snapshot.entries('album'))
    for (const id of images) albums.set(id, [...(albums.get(id) ?? []), shelf]);
  for await (const rows of streamBatches(snapshot.images(), BATCH_SIZE)) {
    const placed = await snapshot.placementsOf(rows.map(({ number }) => number));
    for (const row of rows) await onRow(row);
    yield* rows.flatMap((row) => {
      const shelves = albums.get(row.id) ?? [];
      return checkImage(row, placed.get(row.number), entries, shelves, snapshot) ?? [];
    });
  }
}

function checkImage(
  row: SavedImage,
  placed: Placement | undefined,
  entries: Map<string, SavedEntry>,
  albums: number[],
  { fixedShelves }: CatalogueSnapshot,
): FaultyImage | undefined {
  const { id } = row;
  const image = tryRead(row);
  if (!image) return { id, finding: { problem: 'the document cannot be read', canBeRepaired: false } };
  const find = (kind: Kind, id: string) => entries.get(`${kind} ${id}`);
  const artist = find('artist', image.artist);
  const categories = image.categories.map(({ id }) => find('category', id)).filter(Boolean) as SavedEntry[];
  const characters = image.characters.map(({ id }) => find('character', id)).filter(Boolean) as SavedEntry[];
  const isComplete =
    categories.length === image.categories.length && characters.length === image.characters.length;
  if (!artist || !isComplete) {
    const problem = 'refers to an artist, category or character that does not exist';
    return { id, finding: { problem, canBeRepaired: false } };
  }
  const edited = formatEdited(parseEdited(row.edited), parseMarks(row.edited));
  const { previews } = parseStored(row.document);
  const mentioned = { artist, categories, characters };
  const { shelves, ...others } = placeImage({ ...row, edited }, image, mentioned, previews, fixedShelves);
  const repaired = { ...others, shelves: [...shelves, ...albums] };
  const problem = compare(row, placed, repaired);
  return problem === undefined ? undefined : { id, finding: { problem, canBeRepaired: true }, repaired };
}

/** What is wrong with a row, or undefined. */
function compare(row: SavedImage, placed: Placement | undefined, expected: PlacedImage): string | undefined {
  if (joinSorted(placed?.shelves ?? []) !== joinSorted(expected.shelves)) return 'is on the wrong shelves';
  if (placed?.width !== expected.width || placed.height !== expected.height)
    return 'filters use another width and height than the document';
  if (row.document !== expected.row.document)
    return 'the document contains an outdated artist, category or character';
  return row.edited === expected.row.edited ? undefined : 'an unknown field is marked as edited';
}

function joinSorted(numbers: number[]): string {
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
