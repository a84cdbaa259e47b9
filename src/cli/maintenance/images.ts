/**
 * `zukan find` lists images, newest first or by their looks. `zukan edit` changes them, and imports of folders keep what was changed.
 * `zukan duplicates` lists groups of those that look alike, or keeps one of each.
 */
import { join, parse, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseStored, readDocument } from '../../catalogue/documents/document.ts';
import {
  EDITABLE_FIELDS,
  type EditableField,
  isEditableField,
  listEdited,
} from '../../catalogue/documents/edit-image.ts';
import { isId } from '../../catalogue/names.ts';
import { type Artist, type GivenDetails, pickDetails } from '../../catalogue/schemas.ts';
import { chooseBest, groupLookAlikes, type HashIndex } from '../../catalogue/sets/look-alikes.ts';
import type { CatalogueSnapshot, SavedImage, SourceFileReader } from '../../catalogue/writer.ts';
import { type Choice, keepBest } from '../../changes/copies.ts';
import { describeEdit } from '../../changes/describe.ts';
import {
  type EditedImage,
  editImages,
  findImages,
  findSources,
  type ImageEdit,
  type ImageQuery,
} from '../../changes/images.ts';
import type { Config } from '../../config/config.ts';
import { addMissingHashes } from '../../import/files.ts';
import { hashPicture, loadHashes } from '../../import/plan/looks.ts';
import { RecordError } from '../../import/records/lines.ts';
import { diskPaths, readInside } from '../../import/sources/files.ts';
import { newId } from '../../lib/random.ts';
import { PictureError } from '../../media/metadata/part.ts';
import { MAX_BYTES } from '../../media/picture.ts';
import { openSnapshot, openSourceFiles, openStore } from '../../server/engines.ts';
import {
  CommandError,
  count,
  formatDifference,
  formatTable,
  type JsonFlag,
  jsonArray,
  listenForInterrupt,
  printLine,
  printLines,
  printResult,
  printStream,
  shortenCell,
  startProgress,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';
import { changeByOptions, enginesOf, writersFor } from '../writer.ts';

/** `like` is the path of a picture. */
interface FindFlags extends ImageQuery {
  limit?: number;
  json: boolean;
}

export async function findCommand(
  config: Config,
  text: string | undefined,
  flags: FindFlags,
  terminal: Terminal,
): Promise<void> {
  const query: ImageQuery = {
    ...flags,
    q: text,
    like: flags.like === undefined ? undefined : await readLooks(flags.like),
  };
  const { limit = Number.POSITIVE_INFINITY } = flags;
  await using snapshot = await openSnapshot(config);
  await using store = await openStore(config);
  await using sources = await openSourceFiles(config);
  const caller = { client: 'find', signal: new AbortController().signal };
  const pages = takeItems(findImages(query, store.catalogue, snapshot, sources, caller), limit);
  const lines = flags.json
    ? jsonArray(describeAll(pages, snapshot, sources))
    : terminal.stdout.isTTY
      ? tableLines(pages, snapshot)
      : idLines(pages);
  await printStream(terminal, lines);
}

async function readLooks(path: string): Promise<string> {
  try {
    const full = resolve(path);
    return await hashPicture(await readInside(parse(full).root, full, MAX_BYTES));
  } catch (error) {
    if (error instanceof RecordError) throw new CommandError(`--like: ${error.message}`);
    if (error instanceof PictureError) throw new CommandError(`--like ${path}: ${error.message}`);
    throw error;
  }
}

async function* takeItems(pages: AsyncIterable<string[]>, limit: number): AsyncGenerator<string[], void> {
  let left = limit;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

async function* idLines(pages: AsyncIterable<string[]>): AsyncGenerator<string, void> {
  for await (const page of pages) yield* page;
}

/** Columns are aligned within a page. */
async function* tableLines(
  pages: AsyncIterable<string[]>,
  snapshot: CatalogueSnapshot,
): AsyncGenerator<string, void> {
  const header = ['id', 'title', 'file', 'created', 'rating', 'artist', 'edited', 'categories'];
  let isFirst = true;
  for await (const page of pages) {
    const rows = (await readRows(snapshot, page)).map((row) => {
      const { id, title, fileName, createdAt, rating, artist, edited, categories } = describe(row);
      const names = [
        id,
        shortenCell(title),
        shortenCell(fileName),
        createdAt.slice(0, 10),
        rating,
        artist.name,
      ];
      return [...names, edited.join(' '), categories.join(', ')];
    });
    const [titles = '', ...lines] = formatTable(header, rows);
    if (isFirst) yield titles;
    isFirst = false;
    yield* lines;
  }
}

async function* describeAll(
  pages: AsyncIterable<string[]>,
  snapshot: CatalogueSnapshot,
  sources: SourceFileReader,
): AsyncGenerator<object, void> {
  const onDisk = diskPaths();
  for await (const page of pages) {
    const files = await findSources(sources, page);
    for (const row of await readRows(snapshot, page)) {
      const [file] = files.get(row.id) ?? [];
      yield { ...describe(row), path: file ? await onDisk(join(file.folder, file.path)) : '' };
    }
  }
}

/** In the order of the ids. Images that were added or removed after the snapshot are left out. */
async function readRows(snapshot: CatalogueSnapshot, ids: string[]): Promise<SavedImage[]> {
  const rows = new Map((await snapshot.imagesById(ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

function describe({ document, edited }: SavedImage) {
  const image = readDocument(document);
  const { id, createdAt, nsfw, source, categories, characters } = image;
  const names = (entries: { name: string }[]) => entries.map(({ name }) => name);
  return {
    id,
    createdAt,
    rating: nsfw,
    artist: JSON.parse(parseStored(document).artist) as Artist,
    categories: names(categories),
    characters: names(characters),
    source,
    ...pickDetails(image),
    edited: listEdited(edited),
    fileName: image.fileName,
  };
}

// `zukan edit`: changes images. Imports of folders keep what was changed.

/** Each option names one entry. */
type EntryFlag = `${'add' | 'remove'}${'Category' | 'Character' | 'Album'}`;

interface EditFlags
  extends Pick<ImageEdit, keyof GivenDetails | 'rating' | 'artist' | 'sourceName' | 'sourceUrl'>,
    Partial<Record<EntryFlag, string[]>> {
  reset?: string[];
  create: boolean;
  dryRun: boolean;
}

export async function editCommand(
  config: Config,
  parameters: string[],
  flags: EditFlags,
  terminal: Terminal,
): Promise<void> {
  const { dryRun, create, reset, ...changes } = flags;
  if (Object.keys(changes).length === 0 && !reset)
    throw new UsageError('nothing to change: name an option, such as --rating nsfw');
  const edit: ImageEdit = {
    ...changes,
    addCategories: changes.addCategory,
    removeCategories: changes.removeCategory,
    addCharacters: changes.addCharacter,
    removeCharacters: changes.removeCharacter,
    addAlbums: changes.addAlbum,
    removeAlbums: changes.removeAlbum,
    reset: parseReset(reset ?? []),
    create,
  };
  const both = edit.reset?.find((field) => isSet(field, edit));
  if (both) throw new UsageError(`--reset ${both} cannot be combined with an option that sets it`);
  const ids = await readIds(parameters, terminal);
  const defaults = { now: new Date().toISOString(), newId: () => newId() };
  const changed = await changeByOptions(flags, writersFor(config, terminal), dryRun, async (writer) => {
    const edited = await editImages(writer, ids, edit, defaults);
    writer.changeLog.describe(await describeEdit(writer, edit, edited.length));
    return edited;
  });
  const describe = ({ id, differences }: EditedImage) =>
    differences().map((difference) => `${id}  ${formatDifference(difference)}`);
  printLines(terminal, changed.flatMap(describe));
  const result = `${count(changed.length, 'image')} changed, ${ids.length - changed.length} unchanged`;
  printResult(terminal, dryRun, result);
}

/** Whether an option decides the field. */
function isSet(field: EditableField, edit: ImageEdit): boolean {
  if (field === 'categories') return (edit.addCategories ?? edit.removeCategories) !== undefined;
  if (field === 'characters') return (edit.addCharacters ?? edit.removeCharacters) !== undefined;
  if (field === 'source') return (edit.sourceName ?? edit.sourceUrl) !== undefined;
  return edit[field] !== undefined;
}

function parseReset(names: string[]): EditableField[] {
  if (names.includes('all')) return [...EDITABLE_FIELDS];
  return names.map((name) => {
    if (isEditableField(name)) return name;
    throw new UsageError(`--reset ${name}: must be ${EDITABLE_FIELDS.join(', ')} or all`);
  });
}

// The ids of images on the command line, or from standard input.

/** Each id once, in lower case. `-` reads ids, separated by spaces or line feeds, from standard input. */
export async function readIds(parameters: string[], { stdin }: Pick<Terminal, 'stdin'>): Promise<string[]> {
  const ids: string[] = [];
  for (const parameter of parameters)
    if (parameter === '-') for (const id of (await text(stdin)).split(/\s+/).filter(Boolean)) ids.push(id);
    else ids.push(parameter);
  const invalid = ids.find((id) => !isId(id));
  if (invalid !== undefined) throw new UsageError(`${invalid} is not the id of an image`);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

// `zukan duplicates`.

interface DuplicatesFlags extends JsonFlag {
  keep?: 'largest' | 'oldest';
  dryRun: boolean;
}

export async function duplicatesCommand(
  config: Config,
  flags: DuplicatesFlags,
  terminal: Terminal,
): Promise<void> {
  const { json, keep, dryRun } = flags;
  if (dryRun && !keep) throw new UsageError('--dry-run needs --keep; without it, nothing is changed');
  const unreadable = await readMissing(config, terminal);
  if (unreadable > 0)
    terminal.stderr.write(`${count(unreadable, 'image')} left out: the file is missing or unreadable\n`);
  await using snapshot = await openSnapshot(config);
  const { index, groups: positions } = await findGroups(snapshot, terminal);
  if (keep) {
    const choices = await choose(snapshot, index, positions, keep);
    return keepChosen(config, choices, flags, terminal);
  }
  const groups = positions.map((group) => group.map((position) => index.imageAt(position)));
  if (json) {
    const members: Member[][] = [];
    for (const group of groups) members.push(await readMembers(snapshot, group));
    printLine(terminal, JSON.stringify(members.map((images) => ({ images }))));
    return;
  }
  for (const group of groups) {
    const rows = (await readMembers(snapshot, group)).map(toRow);
    printLines(terminal, [...formatTable(['id', 'pixels', 'bytes', 'type', 'title', 'file'], rows), '']);
  }
  printLine(terminal, summarise(groups));
}

function summarise(groups: number[][]): string {
  if (groups.length === 0) return 'no images look alike';
  const images = groups.reduce((sum, { length }) => sum + length, 0);
  return `${count(groups.length, 'group')}, ${count(images, 'image')}; "zukan duplicates --keep largest" keeps one of each group`;
}

/** Returns the images of each group to keep, and those that look like them. */
async function choose(
  snapshot: CatalogueSnapshot,
  index: HashIndex,
  groups: number[][],
  keep: 'largest' | 'oldest',
): Promise<Choice[]> {
  const choices: Choice[] = [];
  for (const group of groups) {
    const numbers = group.map((position) => index.imageAt(position));
    const rows = new Map((await snapshot.imagesByNumber(numbers)).map((row) => [row.number, row]));
    const rowAt = (position: number) => rows.get(index.imageAt(position)) as SavedImage;
    const members = new Map(group.map((position) => [position, toMember(rowAt(position))]));
    // Numbers count up, so a smaller position was added before.
    const compare = (one: number, other: number) =>
      (keep === 'largest' ? bySize(members.get(one) as Member, members.get(other) as Member) : 0) ||
      one - other;
    for (const { best, others } of chooseBest(index, group, compare))
      choices.push({ kept: rowAt(best), others: others.map(rowAt) });
  }
  return choices;
}

async function keepChosen(
  config: Config,
  choices: Choice[],
  { json, dryRun }: DuplicatesFlags,
  terminal: Terminal,
): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was changed');
  const { kept, change } = await keepBest(choices, {
    ...enginesOf(config, terminal),
    now: new Date().toISOString(),
    isDryRun: dryRun,
    signal: interrupt.signal,
  });
  if (json) {
    printLine(terminal, JSON.stringify(kept));
    return;
  }
  for (const { id, differences, removed } of kept)
    printLines(terminal, [
      `kept ${id}`,
      ...differences.map((difference) => `  ${formatDifference(difference)}`),
      ...removed.map((other) => `  removed ${other}`),
    ]);
  const removed = kept.reduce((sum, { removed }) => sum + removed.length, 0);
  const done = `kept ${count(kept.length, 'image')}, moved ${removed} to the trash`;
  if (removed === 0) printLine(terminal, 'no images look alike');
  else printResult(terminal, dryRun, dryRun ? done : `${done}; "zukan undo ${change}" undoes it`);
}

async function readMissing(config: Config, terminal: Terminal): Promise<number> {
  using interrupt = listenForInterrupt('interrupted; run the command again to continue');
  using progress = startProgress('Reading pictures', undefined, terminal);
  return await addMissingHashes({
    ...enginesOf(config, terminal),
    onProgress: () => progress.advance(1),
    signal: interrupt.signal,
  });
}

/** Groups of positions in the index. */
async function findGroups(
  snapshot: CatalogueSnapshot,
  terminal: Terminal,
): Promise<{ index: HashIndex; groups: number[][] }> {
  const index = await loadHashes(snapshot);
  using progress = startProgress('Comparing', 1, terminal);
  return { index, groups: groupLookAlikes(index, (share) => progress.advance(share)) };
}

/** The largest picture first: it is usually the one to keep. */
async function readMembers(snapshot: CatalogueSnapshot, group: number[]): Promise<Member[]> {
  return (await snapshot.imagesByNumber(group)).map(toMember).sort(bySize);
}

const bySize = (a: Member, b: Member): number => b.width * b.height - a.width * a.height || b.size - a.size;

type Member = ReturnType<typeof toMember>;

function toMember({ id, mimetype, document }: SavedImage) {
  const { meta, title, fileName } = readDocument(document);
  const { width, height } = meta.dimens;
  return { id, width, height, size: meta.size, mimetype, title, fileName };
}

function toRow({ id, width, height, size, mimetype, title, fileName }: Member): string[] {
  return [id, `${width} x ${height}`, String(size), mimetype, shortenCell(title), shortenCell(fileName)];
}
