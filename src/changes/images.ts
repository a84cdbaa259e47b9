/** Finds images, newest first or by their looks, and edits the fields that an operator can change. */
import system, { join, posix } from 'node:path';
import type { Caller, Catalogue, Filter } from '../catalogue/catalogue.ts';
import type { Difference } from '../catalogue/change-log.ts';
import { readDocument, UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import {
  type EditableField,
  type ImageChange,
  imageDifferences,
  isFileChanged,
  type ListChange,
  parseEdited,
  planEdit,
} from '../catalogue/documents/edit-image.ts';
import { foldName } from '../catalogue/names.ts';
import { DETAIL_FIELDS, type GivenDetails, type Kind, type Rating } from '../catalogue/schemas.ts';
import type {
  CatalogueSnapshot,
  CatalogueWriter,
  Lookup,
  PlacedImage,
  SavedEntry,
  SavedImage,
  SourceFile,
  SourceFileReader,
} from '../catalogue/writer.ts';
import { ensureUnknownArtist } from '../import/apply/decisions.ts';
import type { NewRecordDefaults } from '../import/plan/existing.ts';
import { findByHash, MAX_LIKE } from '../import/plan/looks.ts';
import { artistOf, checkRecord } from '../import/records/record.ts';
import { inBatches, streamBatches } from '../lib/concurrency.ts';
import { EditError, findEntry, findOrCreate, loadEntriesOf, saveOrder } from './entries.ts';

type Sources = Pick<SourceFileReader, 'ofImages'>;

const PAGE_SIZE = 500;
/** The length of a UUID. */
const ID_LENGTH = 36;

/** What no shelf tells: images have to be read for it. */
interface RecordQuery {
  /** Images created at this time or later. */
  since?: string | undefined;
  /** Images created before this time. */
  before?: string | undefined;
  /** A part of the title, ignoring case. */
  title?: string | undefined;
  /** A glob: without a slash, of the name of a source file; with one, of its path below the imported folder or from the root. */
  file?: string | undefined;
  /** A part of the path of a source file, ignoring case. */
  path?: string | undefined;
  /** Bounds of the longer side, in pixels. */
  minSide?: number | undefined;
  maxSide?: number | undefined;
}

/** Entries are named by id, name or alias. */
export interface ImageQuery extends RecordQuery {
  /** A search text (catalogue/search/query.ts). */
  q?: string | undefined;
  /** In all of these, and in none of those. */
  category?: string[] | undefined;
  exclude?: string[] | undefined;
  artist?: string | undefined;
  character?: string | undefined;
  album?: string | undefined;
  rating?: Rating | undefined;
  /** Only images with a field that an operator decided. */
  edited?: boolean;
  /** Only images that nobody rated by hand. */
  notRated?: boolean;
  /** Only images whose files changed since somebody rated them by hand. */
  changedSinceRated?: boolean;
  /** Only images that look like a picture with this perceptual hash, the nearest first. */
  like?: string | undefined;
}

type Conditions = Awaited<ReturnType<typeof resolve>>;

/** Yields the ids of images, page by page. */
export async function* findImages(
  query: ImageQuery,
  catalogue: Catalogue,
  snapshot: CatalogueSnapshot,
  sources: Sources,
  caller: Caller,
): AsyncGenerator<string[], void> {
  const conditions = await resolve(query, snapshot);
  const { since, title, file } = query;
  const latest = () => latestIds(toFilter(conditions), catalogue, caller);
  const isListed = query.like !== undefined || query.edited || query.changedSinceRated;
  const found =
    isListed && query.q !== undefined ? new Set((await Array.fromAsync(latest())).flat()) : undefined;
  const isChosen = ({ edited }: SavedImage) =>
    (!query.edited || edited !== '') &&
    (!query.notRated || !parseEdited(edited).includes('rating')) &&
    (!query.changedSinceRated || isFileChanged(edited));
  const idsOf = async (rows: SavedImage[]) => {
    const matching = rows.filter(
      (row) => isChosen(row) && isMatch(row, conditions) && found?.has(row.id) !== false,
    );
    return (await filterRecords(matching, query, sources)).map(({ id }) => id);
  };
  if (query.like !== undefined) {
    yield await idsOf(await findByHash(query.like, snapshot, MAX_LIKE));
    return;
  }
  if (query.edited || query.changedSinceRated) {
    for await (const numbers of streamBatches(snapshot.editedImages(), PAGE_SIZE))
      yield await idsOf(newestFirst(await snapshot.imagesByNumber(numbers)));
    return;
  }
  const needsRows = query.notRated || [since, title, file].some((condition) => condition !== undefined);
  for await (const ids of latest())
    yield needsRows ? await idsOf(newestFirst(await snapshot.imagesById(ids))) : ids;
}

/** Those of the images that meet the conditions, in the same order. */
export async function filterRecords(
  rows: SavedImage[],
  { since = '', before, title = '', file, path, minSide = 0, maxSide }: RecordQuery,
  sources: Sources,
): Promise<SavedImage[]> {
  const wanted = foldName(title);
  const matching = rows.filter(({ document }) => {
    const { createdAt, title, meta } = readDocument(document);
    const side = Math.max(meta.dimens.width, meta.dimens.height);
    return (
      createdAt >= since &&
      (before === undefined || createdAt < before) &&
      foldName(title).includes(wanted) &&
      side >= minSide &&
      side <= (maxSide ?? side)
    );
  });
  const fromGlob = file === undefined ? matching : await fromFile(matching, globMatcher(file), sources);
  return path === undefined ? fromGlob : await fromFile(fromGlob, partMatcher(path), sources);
}

/** The source files of images, by id. Those with other bytes by now are left out, and the one that counts comes first. */
export async function findSources(sources: Sources, ids: string[]): Promise<Map<string, SourceFile[]>> {
  const files = (await sources.ofImages(ids)).filter(({ state }) => state !== 'replaced');
  const inOrder = [...files.filter(({ state }) => state === 'first'), ...files.filter(isCopy)];
  return Map.groupBy(inOrder, ({ image }) => image);
}

const isCopy = ({ state }: SourceFile) => state === 'copy';

/** Whether an image came from a file; of one that nobody knows the path of, only the name is known. */
type FileMatcher = (file: Pick<SourceFile, 'folder' | 'path'>) => boolean;

export function globMatcher(glob: string, { basename, isAbsolute, join, sep } = system): FileMatcher {
  const unify = (path: string) => path.replaceAll(sep, '/').normalize();
  const pattern = unify(glob);
  const isMatch = (path: string) => posix.matchesGlob(unify(path), pattern);
  return ({ folder, path }) => {
    if (!pattern.includes('/')) return isMatch(basename(path));
    return isMatch(isAbsolute(pattern) ? join(folder, path) : path);
  };
}

function partMatcher(part: string): FileMatcher {
  const wanted = foldName(part);
  return ({ folder, path }) => foldName(join(folder, path)).includes(wanted);
}

async function fromFile(rows: SavedImage[], isMatch: FileMatcher, sources: Sources): Promise<SavedImage[]> {
  const found = await findSources(
    sources,
    rows.map(({ id }) => id),
  );
  return rows.filter(({ id, document }) => {
    const files = found.get(id) ?? [{ folder: '', path: readDocument(document).fileName }];
    return files.some(isMatch);
  });
}

async function resolve(query: ImageQuery, lookup: Lookup) {
  const { q, artist, character, album, rating } = query;
  const find = (kind: 'artist' | 'character' | 'album', reference: string | undefined) =>
    reference === undefined ? undefined : findEntry(lookup, kind, reference);
  const categories = (names: string[] = []) =>
    Promise.all(names.map((name) => findEntry(lookup, 'category', name)));
  return {
    q,
    rating,
    categories: await categories(query.category),
    exclude: await categories(query.exclude),
    artist: await find('artist', artist === undefined ? undefined : artistOf({ artist })),
    character: await find('character', character),
    album: await find('album', album),
  };
}

function toFilter({ q, categories, exclude, artist, character, album, rating }: Conditions): Filter {
  const names = (entries: SavedEntry[]) => entries.map(({ name }) => name);
  return {
    q,
    categories: names(categories),
    exclude: names(exclude),
    artist: artist && [artist.id],
    character: character && [character.id],
    album: album && [album.id],
    nsfw: rating && [rating],
  };
}

/** Newest first, page by page. The catalogue's own filters find these without reading other images. */
export async function* latestIds(
  filter: Filter,
  catalogue: Pick<Catalogue, 'latestImages'>,
  caller: Caller,
): AsyncGenerator<string[], void> {
  let below: number | undefined;
  do {
    const page = await catalogue.latestImages(filter, below, PAGE_SIZE, caller);
    if ('problem' in page) throw new EditError('the catalogue changed meanwhile; try again');
    yield page.images.map(({ fileName }) => fileName.slice(0, ID_LENGTH));
    below = page.next;
  } while (below !== undefined);
}

function isMatch({ document }: SavedImage, conditions: Conditions): boolean {
  const { artist, character, album, rating } = conditions;
  const image = readDocument(document);
  const categories = new Set(image.categories.map(({ id }) => id));
  return (
    (!rating || image.nsfw === rating) &&
    (!artist || image.artist === artist.id) &&
    (!character || image.characters.some(({ id }) => id === character.id)) &&
    (!album || album.images?.includes(image.id) === true) &&
    conditions.categories.every(({ id }) => categories.has(id)) &&
    !conditions.exclude.some(({ id }) => categories.has(id))
  );
}

const newestFirst = (rows: SavedImage[]) => rows.toSorted((a, b) => b.number - a.number);

// Edits images: the fields that an operator can change. The caller commits.

const BATCH_SIZE = 500;

/** Entries are named by id, name or alias. What is undefined stays as it is. */
export interface ImageEdit extends GivenDetails {
  rating?: Rating | undefined;
  artist?: string | undefined;
  sourceName?: string | undefined;
  sourceUrl?: string | undefined;
  addCategories?: string[] | undefined;
  removeCategories?: string[] | undefined;
  addCharacters?: string[] | undefined;
  removeCharacters?: string[] | undefined;
  /** New ones come last, in the order of the ids. */
  addAlbums?: string[] | undefined;
  removeAlbums?: string[] | undefined;
  /** Fields that imports of folders may change again. */
  reset?: EditableField[] | undefined;
  /** Whether entries that do not exist are created. */
  create?: boolean | undefined;
}

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
    const images = Array.from(rows.values(), ({ document }) => readDocument(document));
    const entriesOf = await loadEntriesOf(writer, images);
    const [placed, former]: [PlacedImage[], SavedImage[]] = [[], []];
    for (const image of images) {
      const { id } = image;
      const row = rows.get(id) as SavedImage;
      const planned = planEdit(row, entriesOf(image), change, writer.fixedShelves, image);
      if (!planned) continue;
      changed.set(id, () => imageDifferences(row, planned.row));
      placed.push(planned);
      former.push(row);
    }
    await writer.saveImages(placed, former);
    // The next import of their folders fills these fields again.
    if (edit.reset?.length) await writer.sourceFiles.forget(batch);
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
  { addAlbums = [], removeAlbums = [], create }: ImageEdit,
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
  const { rating, artist, sourceName: name, sourceUrl: url, reset } = edit;
  const source = name === undefined && url === undefined ? undefined : checkSource(name, url);
  const details = checkFields(Object.fromEntries(DETAIL_FIELDS.map((field) => [field, edit[field]])));
  const created = edit.create ? defaults : undefined;
  const lists = async (
    kind: Kind,
    add: string[] = [],
    remove: string[] = [],
  ): Promise<ListChange | undefined> => {
    if (add.length + remove.length === 0) return undefined;
    const change: ListChange = { add: [], remove: [] };
    for (const reference of add) change.add.push(await findOrCreate(writer, kind, reference, created));
    for (const reference of remove) change.remove.push(await findEntry(writer, kind, reference));
    return change;
  };
  return {
    ...details,
    rating,
    source,
    reset,
    artist: artist === undefined ? undefined : await findArtist(writer, artist, edit.create, defaults),
    categories: await lists('category', edit.addCategories, edit.removeCategories),
    characters: await lists('character', edit.addCharacters, edit.removeCharacters),
  };
}

async function findArtist(
  writer: CatalogueWriter,
  reference: string,
  create: boolean | undefined,
  defaults: NewRecordDefaults,
): Promise<SavedEntry> {
  const artist = artistOf({ artist: reference });
  if (artist === UNKNOWN_ARTIST.id) await ensureUnknownArtist(writer, defaults.now);
  return findOrCreate(writer, 'artist', artist, create ? defaults : undefined);
}

/** Throws a `RecordError` if a catalogue file could not have them either. */
function checkFields<Fields extends object>(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const record = checkRecord({ type: 'image', file: '-', nsfw: 'sfw', ...Object.fromEntries(given) });
  return Object.fromEntries(given.map(([name]) => [name, record[name as keyof typeof record]])) as Fields;
}

function checkSource(name: string | undefined, url: string | undefined) {
  checkFields({ source: { name: name ?? '', url: url ?? '' } });
  return { ...(name !== undefined && { name }), ...(url !== undefined && { url }) };
}
