/** Writes stored records, the change log and the trash as lines of a catalogue file, which an import or a restore reads. */
import type { Change, ChangeLogReader, StoredItem } from './change-log.ts';
import { readDocument, readPreviews } from './documents/document.ts';
import { listEdited, parseEdited } from './documents/edit-image.ts';
import { DETAIL_FIELDS, type Details, type Kind } from './schemas.ts';
import { lowerBound } from './sets/image-set.ts';
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
  for await (const { blockedAt: createdAt, ...blocked } of snapshot.blockedNames())
    yield JSON.stringify({ type: 'blocked', ...blocked, createdAt });
  for await (const { hash, image, removedAt: createdAt, reason } of snapshot.removedFiles())
    yield JSON.stringify({ type: 'removed', hash, image, reason, createdAt });
  for await (const text of snapshot.siteTexts()) yield JSON.stringify({ type: 'site', ...text });
}

/** Joins lines into larger chunks, which take fewer writes. */
export async function* joinLines(
  lines: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string, void> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_SIZE) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function entryLine({ kind, createdAt, document, aliases, images }: SavedEntry): string {
  return JSON.stringify({
    type: kind,
    ...JSON.parse(document),
    createdAt,
    aliases,
    ...(images && { images }),
  });
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

// Writes the change log and the trash as lines, which a restore or an import reads.

/** The new number of an image, or else that of the one before it. */
type NewNumber = (number: number) => number;

/**
 * Images are numbered without gaps when they are read again, in the same order, but for those in the trash. The log names the
 * images of an import by their numbers, so it has to have the new ones. `images` are those of the catalogue and of the trash.
 */
function renumber(images: number[]): NewNumber {
  const numbers = Uint32Array.from(new Set(images)).sort();
  return (number) => lowerBound(numbers, number + 1);
}

function changeLine(change: Change, newNumber: NewNumber): string {
  const firstImage = newNumber(change.firstImage - 1) + 1;
  const lastImage = Math.max(newNumber(change.lastImage), firstImage - 1);
  return JSON.stringify({ type: 'change', ...change, firstImage, lastImage });
}

function itemLine(item: StoredItem): string {
  try {
    const [before, after] = [parse(item.before), parse(item.after)];
    return JSON.stringify({ type: 'change-item', ...item, before, after });
  } catch {
    throw new Error(`the log of change ${item.change} is damaged; "zukan check --repair" repairs it`);
  }
}

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** A summary of an older version without the title of a picture, which ended it but for the number of images. */
export function withoutTitle(summary: string): string {
  return summary.replace(/(^|, |: )title .*?(: \d+ images?)?$/s, '$1change the title$2');
}

/** All of it for a catalogue file, which has to begin with these lines. */
export async function* historyLines(snapshot: CatalogueSnapshot): AsyncGenerator<string, void> {
  const { changeLog } = snapshot;
  const images = await snapshot.imageNumbers();
  const trashed: number[] = [];
  let trash = 0;
  for await (const { kind, image } of changeLog.trash()) {
    trash++;
    if (kind === 'image') trashed.push(image.number);
  }
  yield JSON.stringify({ type: 'history', images: images.length, trash });
  yield* logLines(changeLog, [...images, ...trashed], imageLine);
}

/** `images` are the numbers of all images, in the catalogue and in the trash. `toLine` leaves out what the trash has of an image. */
export async function* logLines(
  log: ChangeLogReader,
  images: number[],
  toLine: (image: SavedImage) => string | undefined,
): AsyncGenerator<string, void> {
  const newNumber = renumber(images);
  for await (const change of log.changes()) yield changeLine(change, newNumber);
  for await (const item of log.storedItems()) yield itemLine(item);
  for await (const { image, isByUndo, ...removed } of log.trash()) {
    const line = toLine(image);
    if (line === undefined) continue;
    const number = newNumber(image.number);
    yield JSON.stringify({ type: 'trash', ...removed, number, image: JSON.parse(line) });
  }
}
