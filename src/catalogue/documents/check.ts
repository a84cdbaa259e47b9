/**
 * Checks a catalogue for consistency, in any store. The documents of images, the entries and the orders of albums are the source of truth.
 * Shelves, their sizes and orders, and the entries that documents contain are derived from them, so they can be compared
 * and rebuilt.
 */
import { crc32 } from 'node:zlib';
import { streamBatches } from '../../lib/concurrency.ts';
import type { ChangeLogReader, ChangeLogWriter, StoredItem } from '../change-log.ts';
import { cleanName, findFlaws, isId } from '../names.ts';
import { KINDS, type Kind, MENTIONED_KINDS, pickDetails } from '../schemas.ts';
import { termsOf } from '../search/words.ts';
import { blockOf, packKeys } from '../sets/blocks.ts';
import type { Placement } from '../sets/image-set.ts';
import type {
  CatalogueSnapshot,
  CatalogueWriter,
  PlacedImage,
  SavedEntry,
  SavedImage,
  TextBlock,
} from '../writer.ts';
import { parseStored, readDocument, readTexts, type StoredImage } from './document.ts';
import { formatEdited, parseEdited, parseMarks, placeImage } from './edit-image.ts';

const BATCH_SIZE = 500;

export async function* checkCatalogue(snapshot: CatalogueSnapshot): AsyncGenerator<Finding, void> {
  for await (const problem of snapshot.misnumbered()) yield repairable(problem);
  const texts = new TextComparison();
  const unreadable: Finding[] = [];
  const onRow = async (row: SavedImage) => {
    texts.add(row);
    const image = mayHaveFlaw(row) ? tryRead(row) : undefined;
    // Without the texts of its entries.
    const fields = image && { ...pickDetails(image), source: image.source };
    if (fields) unreadable.push(...describeFlaws(`image ${row.id}`, `zukan edit ${row.id}`, fields));
  };
  for await (const { id, finding } of checkImages(snapshot, onRow))
    yield { ...finding, problem: `image ${id}: ${finding.problem}` };
  yield* checkEntryTexts(snapshot);
  yield* unreadable;
  if (!(await texts.isSame(snapshot)))
    yield repairable('the index of texts has other words than the texts of images');
  yield* checkLog(snapshot.changeLog);
}

/** Rebuilds derived data. The facts about images and entries do not change. */
export async function repairCatalogue(snapshot: CatalogueSnapshot, writer: CatalogueWriter): Promise<void> {
  for await (const faulty of streamBatches(checkImages(snapshot), BATCH_SIZE))
    await writer.saveImages(faulty.flatMap(({ repaired }) => repaired ?? []));
  await writer.renumberAll();
  await repairLog(snapshot.changeLog, writer.changeLog);
}

/** Compares the texts of all images, which are added in the order of their numbers, with the index of them. */
class TextComparison {
  /** Of the block of the latest image. */
  #images: [image: number, terms: Set<string>][] = [];
  #checksum = 0;
  #isKnown = true;

  add(row: SavedImage): void {
    const terms = termsOf(readTexts(row.document));
    // Nobody knows the texts of an image whose document cannot be read.
    if (terms.size === 0) this.#isKnown &&= tryRead(row) !== undefined;
    const [last] = this.#images.at(-1) ?? [row.number];
    if (blockOf(last) !== blockOf(row.number)) this.#sumUp();
    this.#images.push([row.number, terms]);
  }

  async isSame(snapshot: CatalogueSnapshot): Promise<boolean> {
    this.#sumUp();
    let stored = 0;
    for await (const block of snapshot.textBlocks()) stored = addToChecksum(stored, block);
    return !this.#isKnown || stored === this.#checksum;
  }

  #sumUp(): void {
    const [[first] = [0]] = this.#images;
    for (const [term, { content }] of packKeys(this.#images))
      this.#checksum = addToChecksum(this.#checksum, { term, block: blockOf(first), images: content });
    this.#images = [];
  }
}

/** The same in any order of the blocks. */
function addToChecksum(sum: number, { term, block, images }: TextBlock): number {
  return (sum + crc32(`${term} ${block} ${images}`)) % 2 ** 48;
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
  for (const kind of MENTIONED_KINDS)
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
  if (!image) return { id, finding: irreparable('the document cannot be read') };
  const find = (kind: Kind, id: string) => entries.get(`${kind} ${id}`);
  const artist = find('artist', image.artist);
  const categories = image.categories.map(({ id }) => find('category', id)).filter(Boolean) as SavedEntry[];
  const characters = image.characters.map(({ id }) => find('character', id)).filter(Boolean) as SavedEntry[];
  const isComplete =
    categories.length === image.categories.length && characters.length === image.characters.length;
  if (!artist || !isComplete)
    return { id, finding: irreparable('refers to an artist, category or character that does not exist') };
  const edited = formatEdited(parseEdited(row.edited), parseMarks(row.edited));
  const { previews } = parseStored(row.document);
  const mentioned = { artist, categories, characters };
  const { shelves, ...others } = placeImage({ ...row, edited }, image, mentioned, previews, fixedShelves);
  const repaired = { ...others, shelves: [...shelves, ...albums] };
  const problem = compare(row, placed, repaired);
  return problem === undefined ? undefined : { id, finding: repairable(problem), repaired };
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

// Checks the change log and the trash. Nothing is derived from them, so a repair can only drop what cannot be used. These are no
// problems: items without the change that undid them, and images in the trash without the change that removed them, because old
// changes are forgotten first; fewer items than a change counted, because a take-down removes its own.

export interface Finding {
  problem: string;
  canBeRepaired: boolean;
}

const repairable = (problem: string): Finding => ({ problem, canBeRepaired: true });
const irreparable = (problem: string): Finding => ({ problem, canBeRepaired: false });

async function* checkLog(log: ChangeLogReader): AsyncGenerator<Finding, void> {
  const counted = new Map<number, number>();
  for await (const { number, items } of log.changes()) counted.set(number, items);
  const found = new Map<number, number>();
  for await (const item of log.storedItems()) {
    const { change, kind, id } = item;
    if (!isReadable(item)) yield repairable(`change ${change}: what it did to ${kind} ${id} cannot be read`);
    else found.set(change, (found.get(change) ?? 0) + 1);
  }
  for (const [change, items] of found) {
    const expected = counted.get(change);
    if (expected === undefined)
      yield repairable(`change ${change}: the log has its items, but not the change`);
    else if (items > expected)
      yield repairable(`change ${change}: has ${items} items instead of ${expected}`);
  }
  for await (const { kind, image } of log.trash())
    if (!tryRead(image)) yield irreparable(`${describeTrashed(kind, image.id)}: the document cannot be read`);
}

/** Drops what cannot be read or belongs to no change, and counts again. */
async function repairLog(log: ChangeLogReader, writer: ChangeLogWriter): Promise<void> {
  const broken: StoredItem[] = [];
  for await (const item of log.storedItems()) if (!isReadable(item)) broken.push(item);
  await writer.repair(broken);
}

/** What the trash has of an image. */
export const describeTrashed = (kind: 'image' | 'file', id: string): string =>
  kind === 'image' ? `image ${id} in the trash` : `former file of image ${id} in the trash`;

function isReadable({ kind, id, before, after }: StoredItem): boolean {
  try {
    if (kind === 'blocked') JSON.parse(id);
    return [before, after].every((text) => text === null || isRecord(JSON.parse(text)));
  } catch {
    return false;
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Finds the texts that older versions accepted, with characters that nobody sees. Only an operator knows what they should be.

/** The options of `zukan entry` and `zukan edit` that are not called like their field. Any name given also mends the aliases. */
const options: Record<string, string> = {
  aliases: 'name',
  occupations: 'occupation',
  birth_date: 'birth-date',
  'source.name': 'source-name',
  'source.url': 'source-url',
};

async function* checkEntryTexts(snapshot: CatalogueSnapshot): AsyncGenerator<Finding, void> {
  for (const kind of KINDS)
    for await (const { id, document, aliases } of snapshot.entries(kind)) {
      const fields = { ...JSON.parse(document), aliases: aliases.filter((alias) => !isId(alias)) };
      yield* describeFlaws(`${kind} ${id}`, `zukan entry ${kind} ${id}`, fields);
    }
  for await (const { kind, name } of snapshot.blockedNames())
    for (const { flaw } of findFlaws({ name }))
      yield irreparable(
        `the blocked ${kind} "${name}": ${flaw}: imports of folders do, so block "${cleanName(name)}" too`,
      );
}

/** Most documents are plain ASCII without escapes, and need not be read. */
const mayHaveFlaw = ({ document }: SavedImage): boolean => /[^ -[\]-~]/.test(document);

function describeFlaws(subject: string, command: string, fields: object): Finding[] {
  return [...findFlaws(fields)].map(({ field, flaw }) => {
    const name = field.replace(/\.\d+$/, '');
    return irreparable(`${subject}: ${field}: ${flaw}: ${command} --${options[name] ?? name} '…'`);
  });
}
