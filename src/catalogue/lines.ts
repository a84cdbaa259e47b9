/** Writes stored records as lines of a catalogue file, which an import reads. */
import type { BlockedName, RemovedFile } from '../store/contract/decisions.ts';
import { DETAIL_FIELDS, type Details } from './documents/details.ts';
import { readDocument } from './documents/document.ts';
import { listEdited, parseEdited } from './documents/edit-image.ts';
import { readPreviews } from './documents/thumbnails.ts';
import type { Kind } from './types.ts';
import type { CatalogueSnapshot, ImageRow, SavedEntry, SavedImage } from './writer.ts';

const kinds: Kind[] = ['category', 'artist', 'character'];
const CHUNK_SIZE = 65_536;

/**
 * All records, in an order in which they can be read again. `imageLines` makes the lines of the images. Albums name the images
 * that are in the trash only if the trash is written too.
 */
export async function* catalogueLines(
  snapshot: CatalogueSnapshot,
  imageLines: (images: AsyncIterable<SavedImage>) => AsyncIterable<string>,
  { hasTrash }: { hasTrash: boolean },
): AsyncGenerator<string, void> {
  for (const kind of kinds) for await (const entry of snapshot.entries(kind)) yield entryLine(entry);
  yield* imageLines(snapshot.images());
  for await (const { images = [], ...album } of snapshot.entries('album')) {
    const existing = hasTrash ? undefined : (await snapshot.findImageIds(images)).images;
    yield entryLine({ ...album, images: existing ? images.filter((id) => existing.has(id)) : images });
  }
  // At the end: an import would skip an image that has the bytes of a removed one.
  for await (const blocked of snapshot.blockedNames()) yield blockedLine(blocked);
  for await (const removed of snapshot.removedFiles()) yield removedLine(removed);
}

/** Joins lines into larger chunks, which take fewer writes. */
export async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_SIZE) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

export function entryLine({ kind, createdAt, document, aliases, images }: SavedEntry): string {
  return JSON.stringify({
    type: kind,
    ...JSON.parse(document),
    createdAt,
    aliases,
    ...(images && { images }),
  });
}

function blockedLine({ blockedAt, ...blocked }: BlockedName): string {
  return JSON.stringify({ type: 'blocked', ...blocked, createdAt: blockedAt });
}

function removedLine({ hash, image, removedAt, reason }: RemovedFile): string {
  return JSON.stringify({ type: 'removed', hash, image, reason, createdAt: removedAt });
}

/** With `file`, the line names that file. Without it, the line has the key and the facts of the stored bytes and thumbnails. */
export function imageLine({ key, document, edited }: ImageRow, file?: string): string {
  const image = readDocument(document);
  const { id, artist, source, nsfw, categories, characters, createdAt, meta } = image;
  const { width, height } = meta.dimens;
  const thumbnails = readPreviews(document);
  const stored = { key, meta: { ...meta, dimens: { width, height } }, ...(thumbnails && { thumbnails }) };
  const bytes = file === undefined ? stored : { file };
  const ids = (entries: { id: string }[]) => entries.map((entry) => entry.id);
  return JSON.stringify({
    type: 'image',
    id,
    ...bytes,
    artist,
    source,
    nsfw,
    categories: ids(categories),
    characters: ids(characters),
    createdAt,
    ...detailsOf(image, parseEdited(edited), file !== undefined),
    edited: listEdited(edited),
  });
}

/** Those that are not empty, that were emptied by hand, and those that an import would take from the name of a file. */
function detailsOf(image: Details, decided: string[], hasFile: boolean): Partial<Details> {
  const isWritten = (name: keyof Details) =>
    image[name] !== '' || decided.includes(name) || (hasFile && (name === 'title' || name === 'fileName'));
  const names = ([...DETAIL_FIELDS, 'fileName'] as const).filter(isWritten);
  return Object.fromEntries(names.map((name) => [name, image[name]]));
}
