/** `zukan find`: lists images, newest first or by their looks: ids on a pipe, a table on a terminal, or JSON. */
import { join, parse, resolve } from 'node:path';
import { parseStored, readDocument } from '../../catalogue/documents/document.ts';
import { listEdited } from '../../catalogue/documents/edit-image.ts';
import type { SourceFileReader } from '../../catalogue/records.ts';
import type { Artist, Rating } from '../../catalogue/types.ts';
import type { CatalogueSnapshot, SavedImage } from '../../catalogue/writer.ts';
import { findImages, findSources, type ImageQuery } from '../../changes/find-images.ts';
import type { Config } from '../../config/config.ts';
import { hashPicture } from '../../import/plan/looks.ts';
import { RecordError } from '../../import/records/problems.ts';
import { readInside } from '../../import/sources/files.ts';
import { diskPaths } from '../../import/sources/listings.ts';
import { MAX_BYTES, PictureError } from '../../media/picture.ts';
import { openSnapshot, openSourceFiles, openStore } from '../../server/engines.ts';
import { CommandError } from '../terminal/errors.ts';
import { parseLimit, parseTime } from '../terminal/options.ts';
import { printStream, type Terminal } from '../terminal/terminal.ts';
import { formatTable, printable, shortenCell } from '../terminal/text.ts';

export interface FindFlags {
  category?: string[];
  exclude?: string[];
  artist?: string;
  character?: string;
  album?: string;
  rating?: Rating;
  since?: string;
  title?: string;
  file?: string;
  like?: string;
  edited: boolean;
  changedSinceRated: boolean;
  limit?: string;
  json: boolean;
}

export async function findCommand(config: Config, flags: FindFlags, terminal: Terminal): Promise<void> {
  const query: ImageQuery = {
    categories: flags.category ?? [],
    exclude: flags.exclude ?? [],
    artist: flags.artist,
    character: flags.character,
    album: flags.album,
    ratings: flags.rating ? [flags.rating] : [],
    since: flags.since === undefined ? undefined : parseTime(flags.since),
    title: flags.title,
    file: flags.file,
    isEdited: flags.edited,
    isFileChanged: flags.changedSinceRated,
    like: flags.like === undefined ? undefined : await readLooks(flags.like),
  };
  const limit = flags.limit === undefined ? Number.POSITIVE_INFINITY : parseLimit(flags.limit);
  await using snapshot = await openSnapshot(config);
  await using store = await openStore(config);
  await using sources = await openSourceFiles(config);
  const caller = { client: 'find', signal: new AbortController().signal };
  const pages = takeItems(findImages(query, store.catalogue, snapshot, sources, caller), limit);
  const lines = flags.json
    ? jsonLines(pages, snapshot, sources)
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

/** One array, a line per image. */
async function* jsonLines(
  pages: AsyncIterable<string[]>,
  snapshot: CatalogueSnapshot,
  sources: SourceFileReader,
): AsyncGenerator<string, void> {
  let last = '[';
  const onDisk = diskPaths();
  for await (const page of pages) {
    const files = await findSources(sources, page);
    for (const row of await readRows(snapshot, page)) {
      const [file] = files.get(row.id) ?? [];
      yield last === '[' ? last : `${last},`;
      const path = file ? await onDisk(join(file.folder, file.path)) : '';
      last = printable(JSON.stringify({ ...describe(row), path }));
    }
  }
  yield last;
  yield ']';
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
    title: image.title,
    description: image.description,
    takenAt: image.takenAt,
    edited: listEdited(edited),
    fileName: image.fileName,
  };
}
