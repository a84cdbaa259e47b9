/** Edits images: the fields that an operator can change. The caller commits. */
import type { Difference } from '../catalogue/change-log.ts';
import { imageDifferences } from '../catalogue/documents/differences.ts';
import {
  type EditableField,
  type ImageChange,
  type ListChange,
  planEdit,
} from '../catalogue/documents/edit-image.ts';
import type { Kind, Rating } from '../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../catalogue/unknown-artist.ts';
import type { CatalogueWriter, SavedEntry } from '../catalogue/writer.ts';
import { ensureUnknownArtist } from '../import/apply/lookup.ts';
import type { NewRecordDefaults } from '../import/plan/outcome.ts';
import { artistOf, checkRecord } from '../import/records/record.ts';
import { inBatches } from '../lib/parallel.ts';
import { saveOrder } from './entries.ts';
import { EditError } from './errors.ts';
import { findEntry, findOrCreate, loadEntriesOf } from './references.ts';

const BATCH_SIZE = 500;

/** Entries are named by id, name or alias. What is undefined stays as it is. */
export interface ImageEdit {
  rating?: Rating | undefined;
  artist?: string | undefined;
  sourceName?: string | undefined;
  sourceUrl?: string | undefined;
  /** Empty for none. */
  title?: string | undefined;
  description?: string | undefined;
  takenAt?: string | undefined;
  addCategories: string[];
  removeCategories: string[];
  addCharacters: string[];
  removeCharacters: string[];
  /** New ones come last, in the order of the ids. */
  addAlbums: string[];
  removeAlbums: string[];
  /** Fields that imports of folders may change again. */
  reset: EditableField[];
  /** Whether entries that do not exist are created. */
  create: boolean;
}

export const NO_EDIT: ImageEdit = {
  addCategories: [],
  removeCategories: [],
  addCharacters: [],
  removeCharacters: [],
  addAlbums: [],
  removeAlbums: [],
  reset: [],
  create: false,
};

/** `differences` are of the image, and of the albums that it is in. They are found when somebody asks for them. */
export interface EditedImage {
  id: string;
  differences: () => Difference[];
}

/** Returns the images that change, in the order of the ids. */
export async function editImages(
  writer: CatalogueWriter,
  ids: string[],
  edit: ImageEdit,
  defaults: NewRecordDefaults,
): Promise<EditedImage[]> {
  const change = await resolveEdit(writer, edit, defaults);
  const changed = new Map<string, EditedImage['differences']>();
  const missing: string[] = [];
  for (const batch of inBatches(ids, BATCH_SIZE)) {
    const rows = new Map((await writer.imagesById(batch)).map((row) => [row.id, row]));
    missing.push(...batch.filter((id) => !rows.has(id)));
    const entries = await loadEntriesOf(writer, [...rows.values()]);
    const placed = batch.flatMap((id) => {
      const [row, entriesOfRow] = [rows.get(id), entries.get(id)];
      const planned = row && entriesOfRow && planEdit(row, entriesOfRow, change, writer.fixedShelves);
      if (!planned) return [];
      changed.set(id, () => imageDifferences(row, planned.row));
      return [planned];
    });
    await writer.saveImages(placed);
    // The next import of their folders fills these fields again.
    if (edit.reset.length > 0) await writer.sourceFiles.forget(batch);
  }
  if (missing.length > 0) throw new EditError(`nothing was changed: ${describeMissing(missing)}`);
  const albums = await editAlbums(writer, ids, edit, defaults);
  return ids
    .filter((id) => changed.has(id) || albums.has(id))
    .map((id) => ({ id, differences: () => [...(changed.get(id)?.() ?? []), ...(albums.get(id) ?? [])] }));
}

/** Returns what changes, by image. */
async function editAlbums(
  writer: CatalogueWriter,
  ids: string[],
  { addAlbums, removeAlbums, create }: ImageEdit,
  defaults: NewRecordDefaults,
): Promise<Map<string, Difference[]>> {
  const differences = new Map<string, Difference[]>();
  const record = (changed: Set<string>, before: string, after: string) => {
    for (const id of changed)
      differences.set(id, [...(differences.get(id) ?? []), { field: 'album', before, after }]);
  };
  const named = new Set(ids);
  for (const reference of addAlbums) {
    const album = await findOrCreate(writer, 'album', reference, create ? defaults : undefined);
    const { images = [] } = album;
    const added = named.difference(new Set(images));
    if (added.size > 0) await saveOrder(writer, album, [...images, ...added]);
    record(added, '', album.name);
  }
  for (const reference of removeAlbums) {
    const album = await findEntry(writer, 'album', reference);
    const { images = [] } = album;
    const removed = named.intersection(new Set(images));
    if (removed.size > 0)
      await saveOrder(
        writer,
        album,
        images.filter((id) => !removed.has(id)),
      );
    record(removed, album.name, '');
  }
  return differences;
}

export function describeMissing(ids: string[]): string {
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
  return `there is no image with the id ${ids.slice(0, 10).join(', ')}${more}`;
}

async function resolveEdit(
  writer: CatalogueWriter,
  edit: ImageEdit,
  defaults: NewRecordDefaults,
): Promise<ImageChange> {
  const { rating, artist, sourceName: name, sourceUrl: url, title, description, takenAt, reset } = edit;
  const source = name === undefined && url === undefined ? undefined : checkSource(name, url);
  checkFields({ title, description, takenAt });
  const created = edit.create ? defaults : undefined;
  const lists = async (kind: Kind, add: string[], remove: string[]): Promise<ListChange | undefined> => {
    if (add.length + remove.length === 0) return undefined;
    const change: ListChange = { add: [], remove: [] };
    for (const reference of add) change.add.push(await findOrCreate(writer, kind, reference, created));
    for (const reference of remove) change.remove.push(await findEntry(writer, kind, reference));
    return change;
  };
  return {
    rating,
    source,
    title,
    description,
    takenAt,
    reset,
    artist: artist === undefined ? undefined : await findArtist(writer, artist, edit.create, defaults),
    categories: await lists('category', edit.addCategories, edit.removeCategories),
    characters: await lists('character', edit.addCharacters, edit.removeCharacters),
  };
}

async function findArtist(
  writer: CatalogueWriter,
  reference: string,
  create: boolean,
  defaults: NewRecordDefaults,
): Promise<SavedEntry> {
  const artist = artistOf({ artist: reference });
  if (artist === UNKNOWN_ARTIST.id) await ensureUnknownArtist(writer, defaults.now);
  return findOrCreate(writer, 'artist', artist, create ? defaults : undefined);
}

/** Throws a `RecordError` if a catalogue file could not have them either. */
function checkFields(fields: object): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  checkRecord({ type: 'image', file: '-', nsfw: 'sfw', ...Object.fromEntries(given) });
}

function checkSource(name: string | undefined, url: string | undefined) {
  checkFields({ source: { name: name ?? '', url: url ?? '' } });
  return { ...(name !== undefined && { name }), ...(url !== undefined && { url }) };
}
