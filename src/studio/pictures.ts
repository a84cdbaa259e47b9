/** Sends thumbnails and originals from the storage, also of pictures in the trash. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { readPreviews, THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/documents/thumbnails.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import type { Files, OpenFile, ThumbnailMaker } from '../media/files.ts';
import { StudioError } from './requests.ts';

export interface PictureEngines {
  catalogue: Pick<Catalogue, 'file' | 'image' | 'statistics'>;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  files: Files;
  thumbnails: ThumbnailMaker;
}

/** The smallest thumbnail that is at least this large, or else the largest one. An image without any is sent as it is. */
export async function sendPicture(
  engines: PictureEngines,
  id: string,
  size: number | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const facts = (await engines.catalogue.file(id)) ?? (await findTrashed(engines, id));
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
async function findTrashed({ openSnapshot }: PictureEngines, id: string) {
  await using snapshot = await openSnapshot();
  const trashed = await snapshot.changeLog.trashed([id]);
  const image = trashed.find(({ kind }) => kind === 'image')?.image;
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
