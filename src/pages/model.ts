/** What a page shows: each view makes one call of the catalogue for its images, after one for its entry if it has one. */
import type { Services } from '../api/endpoint.ts';
import { notFound, searchNames } from '../api/entries.ts';
import { readLatest, readSeeded, unwrap } from '../api/images.ts';
import { readFound } from '../api/search.ts';
import type { Caller, EntryDetails, Filter, Found } from '../catalogue/catalogue.ts';
import { UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import type { ImageDocument, SignLink } from '../catalogue/documents/image-document.ts';
import type {
  Album,
  Artist,
  Category,
  Character,
  Image,
  Kind,
  Rating,
  Statistics,
} from '../catalogue/schemas.ts';
import { parseQuery, toValueFilter } from '../catalogue/search/query.ts';
import { parseJsonBytes } from '../lib/byte-string.ts';
import { Unavailable } from '../lib/metrics.ts';
import { type EntryView, formatView, kinds, type Query, type View } from './address.ts';

/** Full rows of two, three and four. */
export const PAGE_SIZE = 24;
const MAX_SIMILAR = 12;
/** How many entries of a filter are named. */
const MAX_NAMED = 5;

export type AnyEntry = Artist | Character | Category | Album;

/** The parts of an image that show it. */
export type Cover = Pick<Image, 'url' | 'meta'>;

export interface Entry {
  kind: Kind;
  record: AnyEntry;
  images: number;
  cover?: Cover;
}

/** What a filter selects by id. */
export interface Named {
  field: 'artist' | 'excludeArtist' | 'character' | 'album';
  id: string;
  name: string;
}

interface Paging {
  previous?: View | undefined;
  next?: View | undefined;
}

export interface ImagesModel extends Paging {
  name: 'images';
  view: Exclude<View, { name: 'picture' | 'list' }>;
  entry?: Entry | undefined;
  images: Image[];
  named: Named[];
  /** What a search found besides. */
  found: Entry[];
  search?: Pick<Found, 'total' | 'words' | 'suggestions'>;
  /** Of the order of these images. */
  seed?: string | undefined;
  /** The ratings that the visitor asked for. */
  chosen: readonly Rating[];
}

export interface EntriesModel extends Paging {
  name: 'entries';
  view: Extract<View, { name: 'list' }>;
  entries: Entry[];
  total: number;
}

export interface PictureModel extends Paging {
  name: 'picture';
  view: Extract<View, { name: 'picture' }>;
  image: Image;
  similar: Image[];
  album?: Entry | undefined;
  chosen: readonly Rating[];
}

export type Model = ImagesModel | EntriesModel | PictureModel;

/** Where the entry is that the one in the address was merged into. */
export interface MovedPage {
  movedTo: string;
}

/** What a page is made from. `signLink` makes the links to pictures, `seed` is for a page of random images without one. */
export interface Source {
  services: Services;
  caller: Caller;
  signLink: SignLink;
  newSeed: () => string;
}

export function readModel(source: Source, view: View): Promise<Model | MovedPage> {
  if (view.name === 'picture') return readPicture(source, view);
  if (view.name === 'list') return readList(source, view);
  if (view.name === 'search') return readSearch(source, view);
  return view.name === 'entry' ? readEntry(source, view) : readGrid(source, view);
}

const include = ['thumbnails', 'details'] as const;

/** Parsed at once, which takes less than one by one. */
function toImages({ signLink, services }: Source, documents: readonly ImageDocument[]): Image[] {
  let list = '';
  for (const document of documents)
    list += (list === '' ? '' : ',') + document.withLink(signLink, include, services.site);
  return parseJsonBytes(`[${list}]`);
}

/** The conditions of a query, without what else it has. Ratings that the site does not show have to be asked for. */
function filterOf({ services }: Source, query: Query): Filter {
  const { seed, cursor, search, sort, offset, ...filter } = query;
  return { ...filter, nsfw: query.nsfw ?? services.site.ratings };
}

const callOf = ({ services, caller }: Source, query: Query) => ({ services, caller, query });

async function readGrid(source: Source, view: ImagesModel['view']): Promise<ImagesModel> {
  const filter = filterOf(source, view.query);
  const isRandom = view.name === 'random';
  const seed = view.query.seed ?? (isRandom ? source.newSeed() : '');
  const call = callOf(source, view.query);
  const [{ images, cursor }, named] = await Promise.all([
    isRandom ? readSeeded(call, filter, seed, PAGE_SIZE) : readLatest(call, filter, PAGE_SIZE),
    nameEntries(source, view.query),
  ]);
  const query = { ...view.query, ...(isRandom && { seed }) };
  return {
    name: 'images',
    view,
    images: toImages(source, images),
    next: cursor === undefined ? undefined : { ...view, query: { ...query, cursor } },
    seed: query.seed,
    named,
    found: [],
    chosen: view.query.nsfw ?? [],
  };
}

const namedFields = {
  artist: 'artist',
  excludeArtist: 'artist',
  character: 'character',
  album: 'album',
} as const;

async function nameEntries({ services }: Source, query: Query): Promise<Named[]> {
  const fields = Object.keys(namedFields) as Named['field'][];
  const ids = fields
    .flatMap((field) => (query[field] ?? []).map((id) => ({ field, id })))
    .slice(0, MAX_NAMED);
  const entries = await Promise.all(
    ids.map(({ field, id }) => services.catalogue.one(namedFields[field], id)),
  );
  return ids.map((named, index) => ({ ...named, name: nameOf(entries[index]) }));
}

const nameOf = (entry: EntryDetails | undefined): string => (entry ? parseJsonBytes(entry.json).name : '');

async function readEntry(source: Source, view: EntryView): Promise<ImagesModel | MovedPage> {
  const entry = await findEntry(source, view.kind, view.id);
  const { record } = entry;
  if (record.id !== view.id) return { movedTo: formatView({ ...view, id: record.id }, record.name) };
  if (view.kind === 'album') return { ...(await readAlbum(source, view)), entry };
  const own =
    view.kind === 'category'
      ? { categories: [...(view.query.categories ?? []), record.name] }
      : { [view.kind]: [view.id] };
  const grid = await readGrid(source, { ...view, query: { ...view.query, ...own } });
  const next = grid.next && { ...view, query: { ...view.query, cursor: grid.next.query.cursor as string } };
  const named = grid.named.filter(({ field }) => field !== view.kind);
  return { ...grid, view, next, named, entry };
}

async function readAlbum(source: Source, view: EntryView): Promise<ImagesModel> {
  const { catalogue } = source.services;
  const { query } = view;
  const window = { limit: PAGE_SIZE, offset: query.offset ?? 0 };
  const page = unwrap(await catalogue.albumImages(view.id, filterOf(source, query), window, source.caller));
  const { items, total } = 'movedTo' in page ? { items: [], total: 0 } : page;
  return {
    name: 'images',
    view,
    images: toImages(source, items),
    ...windowLinks(view, total),
    named: await nameEntries(source, query),
    found: [],
    chosen: query.nsfw ?? [],
  };
}

/** The pages before and after. */
function windowLinks(view: View, total: number): Paging {
  const { offset = 0, ...rest } = view.query;
  const at = (start: number): View => ({ ...view, query: { ...rest, ...(start > 0 && { offset: start }) } });
  return {
    previous: offset > 0 ? at(Math.max(0, offset - PAGE_SIZE)) : undefined,
    next: offset + PAGE_SIZE < total ? at(offset + PAGE_SIZE) : undefined,
  };
}

async function findEntry(source: Source, kind: Kind, id: string): Promise<Entry> {
  const found = await source.services.catalogue.one(kind, id, true);
  if (!found) throw notFound(kind);
  return toEntry(source, kind, found);
}

const toEntry = (source: Source, kind: Kind, details: EntryDetails): Entry =>
  toEntries(source, kind, [details])[0] as Entry;

/** Parsed at once, as images are. */
function toEntries({ signLink }: Source, kind: Kind, details: readonly EntryDetails[]): Entry[] {
  const parts = details.map(({ json, images, cover }) => {
    const coverPart = cover ? `,"cover":${cover.toCover(signLink)}` : '';
    return `{"kind":"${kind}","record":${json},"images":${images}${coverPart}}`;
  });
  return parseJsonBytes(`[${parts.join()}]`);
}

async function readList(source: Source, view: EntriesModel['view']): Promise<EntriesModel> {
  const { kind, query } = view;
  const { search = '', sort = 'name', offset = 0 } = query;
  const pattern = toPattern(search);
  const call = {
    limit: PAGE_SIZE,
    offset,
    sort,
    ...(pattern && { search: pattern }),
    include: ['cover' as const],
  };
  const { items, total } =
    !pattern && sort === 'name'
      ? await source.services.catalogue.list(kind, call, true)
      : await searchNames({ ...callOf(source, {}), query: call }, kind);
  const entries = toEntries(source, kind, items);
  return { name: 'entries', view, entries, total, ...windowLinks(view, total) };
}

/** The characters that have a meaning in a pattern. */
const operators = /[%_|*+?{}()[\]\\]/;

/** Text without operators is part of a name. */
function toPattern(text: string): string {
  const trimmed = text.trim();
  return trimmed && !operators.test(trimmed) ? `%${trimmed}%` : trimmed;
}

async function readSearch(source: Source, view: ImagesModel['view']): Promise<ImagesModel> {
  const { query } = view;
  const chosen = query.nsfw ?? namedRatings(query.q);
  const filter = filterOf(source, { ...query, ...(chosen && { nsfw: chosen }) });
  const [{ found, cursor }, named] = await Promise.all([
    readFound(callOf(source, query), filter, PAGE_SIZE),
    nameEntries(source, query),
  ]);
  return {
    name: 'images',
    view,
    images: toImages(source, found.images),
    next: cursor === undefined ? undefined : { ...view, query: { ...query, cursor } },
    named,
    found: [
      ...toEntries(source, 'artist', found.artists),
      ...toEntries(source, 'character', found.characters),
      ...toEntries(source, 'category', found.categories),
      ...toEntries(source, 'album', found.albums),
    ],
    search: found,
    chosen: chosen ?? [],
  };
}

/** Naming ratings in a text is choosing to see them, as in an address. Leaving others out is not. */
function namedRatings(text = ''): Rating[] | undefined {
  return toValueFilter(parseQuery(text).filter(({ isNegated }) => !isNegated))?.nsfw;
}

async function readPicture(source: Source, view: PictureModel['view']): Promise<PictureModel> {
  const { services, signLink } = source;
  const document = await services.catalogue.image(view.id);
  if (!document) throw notFound('image');
  const image = document.toImage(signLink, ['artist', ...include], services.site);
  const [similar, album] = await Promise.all([findSimilar(source, view.id), findNeighbours(source, view)]);
  return {
    name: 'picture',
    view,
    image,
    similar: toImages(source, similar),
    chosen: view.query.nsfw ?? [],
    ...album,
  };
}

/** A page is complete without them. */
async function findSimilar({ services, caller }: Source, id: string): Promise<ImageDocument[]> {
  try {
    return unwrap(
      await services.catalogue.similarImages(id, { nsfw: services.site.ratings }, MAX_SIMILAR, caller),
    );
  } catch (error) {
    if (error instanceof Unavailable) return [];
    throw error;
  }
}

/** In the album that the visitor comes from, if the picture is still where it was in it. */
async function findNeighbours(
  source: Source,
  { id, query }: PictureModel['view'],
): Promise<Partial<PictureModel>> {
  const { services, caller } = source;
  const [albumId] = query.album ?? [];
  if (albumId === undefined) return {};
  const place = query.offset ?? 0;
  const window = { offset: Math.max(0, place - 1), limit: place === 0 ? 2 : 3 };
  const [album, page] = await Promise.all([
    services.catalogue.one('album', albumId),
    services.catalogue.albumImages(
      albumId,
      filterOf(source, { ...(query.nsfw && { nsfw: query.nsfw }) }),
      window,
      caller,
    ),
  ]);
  if (!album || album.id !== albumId || !('items' in page)) return {};
  const ids = page.items.map((item) => item.id);
  const at = ids.indexOf(id);
  const neighbour = (step: number): View | undefined => {
    const other = ids[at + step];
    if (at < 0 || other === undefined) return undefined;
    const { offset: _, ...rest } = query;
    const offset = window.offset + at + step;
    return { name: 'picture', id: other, query: { ...rest, ...(offset > 0 && { offset }) } };
  };
  return { album: toEntry(source, 'album', album), previous: neighbour(-1), next: neighbour(1) };
}

// What the catalogue has. Pages offer no filter and no list that would be of no use.

export type Facts = Awaited<ReturnType<typeof readFacts>>;

const orientations = ['landscape', 'portrait', 'square'] as const;
const WIDTHS = [1280, 1920, 3840];
/** Only the newest images are compared with them: looking at all would take long. */
const SIZE_SAMPLE = 25;

export async function readFacts(source: Source, statistics: Statistics) {
  const { services, caller } = source;
  const { catalogue } = services;
  const latest = async (filter: Filter, limit: number) =>
    toImages(source, unwrap(await catalogue.latestImages(filter, undefined, limit, caller)).images);
  const { images, artists, characters, categories } = statistics;
  const [{ total: albums }, unknown, [newest], animations, sample] = await Promise.all([
    catalogue.list('album', { limit: 1, offset: 0 }),
    catalogue.one('artist', UNKNOWN_ARTIST.id),
    latest({ nsfw: ['sfw'] }, 1),
    latest({ animated: true }, 1),
    latest({}, SIZE_SAMPLE),
  ]);
  const counts = {
    artist: artists.count - (unknown ? 1 : 0),
    character: characters.count,
    category: categories.count,
    album: albums,
  };
  const widest = Math.max(0, ...sample.map(({ meta }) => meta.dimens.width));
  return {
    /** Those that have entries. */
    kinds: kinds.filter((kind) => counts[kind] > 0),
    ratings: services.site.ratings.filter((rating) => images.nsfw[rating] > 0),
    orientations: orientations.filter((orientation) => images.orientation[orientation] > 0),
    hasAnimations: animations.length > 0,
    /** How wide images can be asked to be. */
    widths: WIDTHS.filter((width) => width <= widest),
    /** The newest image rated sfw. */
    newest,
    /** How many there are. */
    images: images.count,
  };
}
