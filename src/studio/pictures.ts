/** The bytes of pictures: sent to the page from the storage, and received from it. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Change, TrashedImage } from '../catalogue/change-log.ts';
import { readPreviews, THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/documents/document.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import type { NewPicture } from '../changes/copies.ts';
import { baseName } from '../import/plan/image.ts';
import { categoryNames } from '../import/sidecar/fields.ts';
import { rateByMarkers, tagMarkers } from '../import/sidecar/rating.ts';
import { FOLDER_FILE, type FolderFile, usedFolders } from '../import/sources/walk.ts';
import type { Files, OpenFile, ThumbnailMaker } from '../media/files.ts';
import type { AddedPicture, Changed, Found, RequestTo, ResponseOf } from './contract.ts';
import { limitBytes, type PictureAddress, StudioError } from './requests.ts';

// Sends thumbnails and originals from the storage, also of pictures in the trash.

export interface PictureEngines {
  catalogue: Pick<Catalogue, 'image' | 'latestImages' | 'statistics'>;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  files: Files;
  thumbnails: ThumbnailMaker;
}

/** The smallest thumbnail that is at least this large, or else the largest one. An image without any is sent as it is. */
export async function sendPicture(
  engines: PictureEngines,
  { id, size, isFormer }: PictureAddress,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const image = isFormer ? undefined : await engines.catalogue.image(id);
  const facts = image ? image.facts() : await findTrashed(engines, id, isFormer ? 'file' : 'image');
  if (!facts) throw new StudioError(404, 'the picture is neither in the catalogue nor in the trash');
  const eTag = `"${facts.eTag.replaceAll(/[^\w-]/g, '')}-${size ?? 'original'}"`;
  response.setHeader('ETag', eTag);
  // A picture of an id hardly ever changes, and scrolling back should not ask again.
  response.setHeader('Cache-Control', 'private, max-age=600');
  if (request.headers['if-none-match'] === eTag) {
    response.writeHead(304).end();
    return;
  }
  const opened = await openVersion(engines, id, facts, size, response);
  const file = opened ?? (await engines.files.open(facts.key));
  if (!file) throw new StudioError(404, 'the file of the picture is missing');
  const type = opened ? THUMBNAIL_TYPE : facts.mimetype;
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': file.size });
  if (file.size === 0) {
    await file.close();
    response.end();
    return;
  }
  const bytes = file.stream(0, file.size - 1);
  await pipeline(bytes, response).catch(() => bytes.destroy());
}

/** So that somebody who restores a picture can see it. */
async function findTrashed({ openSnapshot }: PictureEngines, id: string, wanted: TrashedImage['kind']) {
  await using snapshot = await openSnapshot();
  const trashed = await snapshot.changeLog.trashed([id]);
  const image = trashed.findLast(({ kind }) => kind === wanted)?.image;
  return image && { ...image, sizes: readPreviews(image.document)?.sizes ?? [] };
}

async function openVersion(
  { catalogue, files, thumbnails }: PictureEngines,
  id: string,
  { key, sizes: known }: { key: string; sizes?: number[] },
  size: number | undefined,
  response: ServerResponse,
): Promise<OpenFile | undefined> {
  if (size === undefined) return undefined;
  const sizes = known ?? (await catalogue.image(id))?.previews()?.sizes ?? [];
  const chosen = sizes.find((candidate) => candidate >= size) ?? sizes.at(-1);
  if (chosen === undefined) return undefined;
  const stored = await files.open(thumbnailKey(key, chosen));
  if (stored) return stored;
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  return thumbnails.make(key, chosen, disconnected.signal);
}

// Pictures that the page sends: one to add goes into a folder of its own with a sidecar, which is imported.

/** What an import accepts. */
const MAX_BYTES = 256 * 1024 * 1024;
const SIDECAR = 'picture.json';

/** `continues` is the change that the picture belongs to, if it is not the first of those that were chosen together. */
export type ImportFolder = (
  folder: string,
  continues: number | undefined,
  user: string | undefined,
) => Promise<Omit<AddedPicture, 'run' | keyof Changed> & { change: Change | undefined }>;

interface AddActions {
  importFolder(folder: string, continues: number | undefined): Promise<AddedPicture>;
  /** The pictures that a new one looks like. */
  findAlike(bytes: Buffer): Promise<Found[]>;
}

/** A picture that looks like others is not added if the page asks for these. */
export function addPicture(
  picture: RequestTo<'/add/picture'>,
  bytes: Readable,
  { importFolder, findAlike }: AddActions,
): Promise<ResponseOf<'/add/picture'>> {
  const { name, alike, run } = picture;
  return withFile(name, bytes, async ({ folder, file, name }, withoutPaths) => {
    const found = alike === 'ask' ? await findAlike(await readFile(join(folder, file))) : [];
    if (found.length > 0) return { alike: found };
    const { rating, artist, category, character } = picture;
    // A field that is missing is left to the metadata of the picture.
    const fields = { nsfw: rating, artist, categories: category, characters: character, fileName: name };
    const sidecar = JSON.stringify(fields);
    await writeFile(join(folder, SIDECAR), sidecar, { mode: 0o600 });
    const folderFile = JSON.stringify(toFolderFile(picture));
    await writeFile(join(folder, FOLDER_FILE), folderFile, { mode: 0o600 });
    const added = await importFolder(folder, run === undefined ? undefined : Number(run));
    return { ...added, notes: added.notes.map(withoutPaths) };
  });
}

/** Stores what the page sends in a folder of its own for a while. */
export async function withFile<T>(
  sentName: string,
  bytes: Readable,
  work: (picture: NewPicture, withoutPaths: (text: string) => string) => Promise<T>,
): Promise<T> {
  // The name could say anything: it is kept as a text, and only the kind of file becomes part of a path.
  const name = baseName(sentName);
  const extension = extname(name).toLowerCase();
  if (!/^\.(jpe?g|jfif|png|webp|gif|avif)$/.test(extension))
    throw new StudioError(422, 'it is not a picture');
  const folder = await mkdtemp(join(tmpdir(), 'zukan-add-')).catch(({ code }) => {
    throw new StudioError(500, `cannot write to the folder for temporary files, ${tmpdir()} (${code})`);
  });
  const file = `picture${extension}`;
  // The operator knows the picture by its name, not by the path of the copy.
  const withoutPaths = (text: string) =>
    text
      .replaceAll(join(folder, file), 'the picture')
      .replaceAll(join(folder, SIDECAR), 'its fields')
      .replaceAll(join(folder, FOLDER_FILE), 'its folders')
      .replaceAll(folder, 'the copy');
  try {
    const limit = (chunks: AsyncIterable<Buffer>) =>
      limitBytes(chunks, MAX_BYTES, 'the picture is too large');
    await pipeline(bytes, limit, createWriteStream(join(folder, file), { mode: 0o600 }));
    return await work({ folder, file, name }, withoutPaths);
  } catch (error) {
    throw error instanceof StudioError ? error : new StudioError(422, withoutPaths((error as Error).message));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The folders that the picture is in where it comes from count like those of a folder that is imported: none of their names
 * becomes a path here, and those that are no categories still say how explicit the picture is.
 */
function toFolderFile({
  folder = [],
  folderCategories = 'meaningful',
}: RequestTo<'/add/picture'>): FolderFile {
  const { rating } = rateByMarkers(folder.flatMap((name) => [...tagMarkers(name)]));
  const categories = categoryNames(usedFolders(folder, folderCategories));
  return { ...(rating && { rating }), ...(categories.length > 0 && { categories }) };
}
