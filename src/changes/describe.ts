/** Describes what a change did, for the shell and the studio. */
import type { ChangeItem, ChangeLogReader, DescribedItem, Kept } from '../catalogue/change-log.ts';
import { readDocument } from '../catalogue/documents/document.ts';
import { compareFields, readableEntry, readableImage } from '../catalogue/documents/edit-image.ts';
import { isId } from '../catalogue/names.ts';
import { DETAIL_FIELDS, type Kind } from '../catalogue/schemas.ts';
import type { Entry, Lookup } from '../catalogue/writer.ts';
import { inBatches } from '../lib/concurrency.ts';
import type { ImageEdit } from './images.ts';

const BATCH_SIZE = 500;

type LoggedLookup = Lookup & { changeLog: Pick<ChangeLogReader, 'trashed'> };
type Fields = Record<string, unknown>;

const ENTRY_FIELDS: [field: string, kind: Kind][] = [
  ['artist', 'artist'],
  ['categories', 'category'],
  ['characters', 'character'],
];

/** Entries have their current names instead of ids. */
export async function describeItems(lookup: LoggedLookup, items: ChangeItem[]): Promise<DescribedItem[]> {
  const names = await findNames(lookup, items);
  const titles = await findTitles(lookup, imageIds(items));
  return items.map((item) => {
    const { kind, id, undoneBy } = item;
    const [before, after] = [readable(item, item.before, names), readable(item, item.after, names)];
    const name = kind === 'image' ? titles.get(id) : nameIn(item);
    return {
      kind,
      id,
      ...(typeof name === 'string' && { name }),
      what: whatHappened(item),
      differences: compareFields(before, after),
      undoneBy,
    };
  });
}

const nameIn = ({ kind, id, before, after }: ChangeItem): unknown =>
  kind === 'blocked' ? JSON.parse(id)[1] : (after ?? before)?.name;

const imageIds = (items: Pick<ChangeItem, 'kind' | 'id'>[]): string[] =>
  items.filter(({ kind }) => kind === 'image').map(({ id }) => id);

/** Adds what the images are called. */
export async function nameImages(lookup: LoggedLookup, items: Kept[]): Promise<Kept[]> {
  const titles = new Map<string, string>();
  for (const ids of inBatches([...new Set(imageIds(items))], BATCH_SIZE))
    for (const [id, title] of await findTitles(lookup, ids)) titles.set(id, title);
  return items.map((item) => {
    const name = item.kind === 'image' ? titles.get(item.id) : undefined;
    return name === undefined ? item : { ...item, name };
  });
}

/** Those that images have now. */
async function findTitles(lookup: LoggedLookup, ids: string[]): Promise<Map<string, string>> {
  const trashed = (await lookup.changeLog.trashed(ids)).map(({ image }) => image);
  const rows = [...trashed, ...(await lookup.imagesById(ids))];
  return new Map(rows.flatMap((row) => (nameOf(row) ? [[row.id, nameOf(row)]] : [])));
}

/** What people call an image: its title, or the name of its file. Empty if it has neither. */
export function nameOf({ document }: { document: string }): string {
  const { title, fileName } = readDocument(document);
  return title || fileName;
}

function whatHappened({ kind, before, after }: ChangeItem): DescribedItem['what'] {
  if (kind === 'taken-down') return 'taken down';
  if (before === null) return 'added';
  return after === null ? 'removed' : 'changed';
}

async function findNames(lookup: Lookup, items: ChangeItem[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const images = items.filter(({ kind }) => kind === 'image');
  for (const [field, kind] of ENTRY_FIELDS) {
    const ids = images.flatMap(({ before, after }) => [before?.[field] ?? [], after?.[field] ?? []].flat());
    for (const batch of inBatches([...new Set(ids as string[])], BATCH_SIZE))
      for (const { id, name } of await lookup.entriesById(kind, batch)) names.set(id, name);
  }
  return names;
}

/** The fields as people read them. */
function readable({ kind }: ChangeItem, fields: Fields | null, names: Map<string, string>): Fields {
  if (!fields || kind === 'blocked' || kind === 'removed' || kind === 'taken-down' || kind === 'site')
    return fields ?? {};
  return kind === 'image' ? readableImage(fields, names) : readableEntry(fields as unknown as Entry);
}

/** A line for the change log: `rate nsfw, add Cats: 3 images`. */
export async function describeEdit(lookup: Lookup, edit: ImageEdit, images: number): Promise<string> {
  const entryName = async (kind: Kind, reference: string) => {
    const [entry] = isId(reference) ? await lookup.entriesById(kind, [reference]) : [];
    return entry?.name ?? reference;
  };
  const list = async (verb: string, kind: Kind, references: string[] = []) => {
    const names = await Promise.all(references.map((reference) => entryName(kind, reference)));
    return names.length > 0 ? [`${verb} ${names.join(', ')}`] : [];
  };
  const parts = [
    ...(edit.rating ? [`rate ${edit.rating}`] : []),
    ...(edit.artist === undefined ? [] : [`artist ${await entryName('artist', edit.artist)}`]),
    ...(await list('add', 'category', edit.addCategories)),
    ...(await list('remove', 'category', edit.removeCategories)),
    ...(await list('add', 'character', edit.addCharacters)),
    ...(await list('remove', 'character', edit.removeCharacters)),
    ...(await list('add to', 'album', edit.addAlbums)),
    ...(await list('remove from', 'album', edit.removeAlbums)),
    // Summaries have no texts of pictures: they stay when a picture is taken down.
    ...DETAIL_FIELDS.filter((field) => edit[field] !== undefined).map((field) =>
      field === 'takenAt'
        ? `date ${edit.takenAt || 'unknown'}`
        : `change the ${field === 'alt' ? 'alternative text' : field}`,
    ),
    ...(edit.sourceName === undefined && edit.sourceUrl === undefined ? [] : ['change the source']),
    ...(edit.reset?.length ? [`reset ${edit.reset.join(', ')}`] : []),
  ];
  return `${parts.join(', ') || 'change'}: ${countImages(images)}`;
}

export function countImages(count: number): string {
  return count === 1 ? '1 image' : `${count} images`;
}
