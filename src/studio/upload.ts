/** Adds a picture that the page sends: stores it in a folder of its own with a sidecar, and imports the folder. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isId } from '../catalogue/names.ts';
import type { NewPicture } from '../changes/replace-file.ts';
import { baseName } from '../import/plan/details.ts';
import type { Change } from '../store/contract/change-log.ts';
import { StudioError } from './server.ts';

/** What an import accepts. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_NAMES = 100;
const SIDECAR = 'picture.json';

export interface Added {
  /** How many records were added or updated, entries included. */
  added: number;
  updated: number;
  /** What the import says, as sentences. */
  notes: string[];
  change: Change | undefined;
}

/** `continues` is the change that the picture belongs to, if it is not the first of those that were chosen together. */
export type ImportFolder = (folder: string, continues: number | undefined) => Promise<Added>;

export interface UploadActions {
  importFolder(...from: Parameters<ImportFolder>): Promise<Pick<Added, 'notes'>>;
  /** The pictures that a new one looks like. */
  findAlike(bytes: Buffer): Promise<object[]>;
  replaceFile(target: { id: string; version: string }, picture: NewPicture): Promise<object>;
}

/**
 * The query has the fields of the picture, `rating`, `artist`, `category` and `character`, and the `run` that it continues.
 * With `alike=ask`, a picture that looks like others is not added, and these are the result. With `replaces` and `version`, an
 * image gets the file.
 */
export async function addPicture(
  query: URLSearchParams,
  bytes: Readable,
  actions: UploadActions,
): Promise<object> {
  // The name could say anything: it is kept as a text, and only the kind of file becomes part of a path.
  const name = baseName(query.get('name') ?? '');
  const extension = extname(name).toLowerCase();
  if (!/^\.(jpe?g|jfif|png|webp|gif|avif)$/.test(extension))
    throw new StudioError(422, 'it is not a picture');
  const replaces = query.get('replaces');
  if (replaces !== null && !isId(replaces)) throw new StudioError(400, 'the id of the picture is not valid');
  const folder = await mkdtemp(join(tmpdir(), 'zukan-add-')).catch(({ code }) => {
    throw new StudioError(500, `cannot write to the folder for temporary files, ${tmpdir()} (${code})`);
  });
  const file = `picture${extension}`;
  // The operator knows the picture by its name, not by the path of the copy.
  const withoutPaths = (text: string) =>
    text
      .replaceAll(join(folder, file), 'the picture')
      .replaceAll(join(folder, SIDECAR), 'its fields')
      .replaceAll(folder, 'the copy');
  try {
    await pipeline(bytes, limitBytes, createWriteStream(join(folder, file), { mode: 0o600 }));
    if (replaces !== null) {
      const target = { id: replaces, version: query.get('version') ?? '' };
      return await actions.replaceFile(target, { folder, file, name });
    }
    const asks = query.get('alike') === 'ask';
    const alike = asks ? await actions.findAlike(await readFile(join(folder, file))) : [];
    if (alike.length > 0) return { alike };
    await writeFile(join(folder, SIDECAR), JSON.stringify({ ...readFields(query), fileName: name }), {
      mode: 0o600,
    });
    const added = await actions.importFolder(folder, Number(query.get('run') ?? 0) || undefined);
    return { ...added, notes: added.notes.map(withoutPaths) };
  } catch (error) {
    throw error instanceof StudioError ? error : new StudioError(422, withoutPaths((error as Error).message));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* limitBytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new StudioError(413, 'the picture is too large');
    yield chunk;
  }
}

/** A field that is missing is left to the metadata of the picture. */
function readFields(query: URLSearchParams): object {
  const [rating, artist] = [query.get('rating'), query.get('artist')];
  const list = (name: string) => query.getAll(name).slice(0, MAX_NAMES);
  return {
    ...(rating && { nsfw: rating }),
    ...(artist && { artist }),
    ...(query.has('category') && { categories: list('category') }),
    ...(query.has('character') && { characters: list('character') }),
  };
}
