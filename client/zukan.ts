/** The client: one method for each endpoint, and iterators over whole lists. */
import { Cache } from './cache.ts';
import { checkId, checkOptions, type OptionNames, optionNames } from './check-options.ts';
import { followCursor, generateSeed, imagesPath, type ListName, type Lists, paths } from './iteration.ts';
import type {
  AlbumImageOptions,
  AllRandomOptions,
  CallOptions,
  ChangesOptions,
  EntryListOptions,
  EveryAlbumImageOptions,
  FileUrlOptions,
  ImageFilter,
  LatestOptions,
  LinkOptions,
  PageOptions,
  RandomFileUrlOptions,
  RandomFilter,
  RandomOptions,
  RandomPageOptions,
  SearchAllOptions,
  SimilarOptions,
  SingleEntryOptions,
  ZukanOptions,
} from './options.ts';
import { now, rejectOnAbort, throwIfAborted } from './queue.ts';
import { type Success, Transport } from './transport.ts';
import type * as types from './types.ts';

type Paged<Item> = Promise<types.Page<Item>>;

const randomPath = '/image/random';
const MAX_PAGE_SIZE = 25;
/** How many artists are cached, and for how long. */
const MAX_CACHED_ARTISTS = 500;
const MAX_ARTIST_AGE_MS = 5 * 60_000;

export class Zukan {
  readonly #transport: Transport;
  readonly #artists: Cache<types.ArtistWithImages>;

  constructor(options: ZukanOptions = {}) {
    checkOptions(options, optionNames.client);
    this.#transport = new Transport(options);
    this.#artists = new Cache(MAX_CACHED_ARTISTS, MAX_ARTIST_AGE_MS, now);
  }

  /** Random images without repeats. With a seed, the same images each time. */
  random(options: RandomOptions = {}, call: CallOptions = {}): Promise<types.Image[]> {
    return this.#getData(randomPath, optionNames.random, options, call);
  }

  /** One page of all matching images in the order of a seed, without repeats. */
  async randomPage(options: RandomPageOptions, call: CallOptions = {}): Promise<types.RandomPage> {
    const { data, cursor } = await this.#get(randomPath, optionNames.randomPage, options, call);
    return { data, cursor };
  }

  /** One page of all matching images, newest first. */
  async latest(options: LatestOptions = {}, call: CallOptions = {}): Promise<types.CursorPage> {
    const { data, cursor } = await this.#get('/image/latest', optionNames.latest, options, call);
    return { data, cursor };
  }

  /** An address for `<img src>` that shows a random image. Sends no request. */
  randomFileUrl(options: RandomFileUrlOptions = {}): string {
    checkOptions(options, optionNames.randomFile);
    return this.#transport.url(`${randomPath}/file`, { ...options });
  }

  /** An address for `<img src>` that shows an image and does not expire. Sends no request. */
  fileUrl(id: string, options: FileUrlOptions = {}): string {
    checkOptions(options, optionNames.file);
    return this.#transport.url(`/image/${checkId(id)}/file`, { ...options });
  }

  /**
   * The images that every word of a text of at most 100 characters is about, the best ones first, the entries with such names, and what
   * each word was taken for.
   */
  async search(
    q: string,
    options: SearchAllOptions = {},
    call: CallOptions = {},
  ): Promise<types.SearchResult> {
    const { data, cursor } = await this.#get('/search', optionNames.searchAll, { ...options, q }, call);
    return { ...data, cursor };
  }

  /** Images that look most like another one, nearest first. */
  async similar(id: string, options: SimilarOptions = {}, call: CallOptions = {}): Promise<types.Image[]> {
    return this.#getData(`/image/${checkId(id)}/similar`, optionNames.similar, options, call);
  }

  async image(id: string, options: LinkOptions = {}, call: CallOptions = {}): Promise<types.Image> {
    return this.#getData(`/image/${checkId(id)}`, optionNames.link, options, call);
  }

  /** All images, oldest first; needs a token with the scope `image:list`. */
  images(options: PageOptions & SimilarOptions = {}, call: CallOptions = {}): Paged<types.Image> {
    return this.#getPage(paths.images, optionNames.imagePage, options, call);
  }

  /**
   * What happened to images since a cursor, or first all images; needs a token with the scope `image:list`. Keep the cursor: it goes on
   * from there, at once if `hasMore`.
   */
  async changes(options: ChangesOptions = {}, call: CallOptions = {}): Promise<types.ChangesPage> {
    const { data, cursor, hasMore } = await this.#get('/image/changes', optionNames.changes, options, call);
    return { data, cursor: cursor as string, hasMore };
  }

  async artistImages(
    id: string,
    options: PageOptions & ImageFilter & LinkOptions = {},
    call: CallOptions = {},
  ): Paged<types.ArtistImage> {
    return this.#getPage(imagesPath('artists', id), optionNames.artistImagePage, options, call);
  }

  /** In the order of the album. */
  albumImages(id: string, options: AlbumImageOptions = {}, call: CallOptions = {}): Paged<types.Image> {
    return this.#getPage(imagesPath('albums', id), optionNames.albumImagePage, options, call);
  }

  artists(options: EntryListOptions = {}, call: CallOptions = {}): Paged<types.ListedArtist> {
    return this.#getPage(paths.artists, optionNames.searchPage, options, call);
  }

  characters(options: EntryListOptions = {}, call: CallOptions = {}): Paged<types.ListedCharacter> {
    return this.#getPage(paths.characters, optionNames.searchPage, options, call);
  }

  categories(options: EntryListOptions = {}, call: CallOptions = {}): Paged<types.ListedCategory> {
    return this.#getPage(paths.categories, optionNames.searchPage, options, call);
  }

  albums(options: EntryListOptions = {}, call: CallOptions = {}): Paged<types.ListedAlbum> {
    return this.#getPage(paths.albums, optionNames.searchPage, options, call);
  }

  /** Cached for five minutes unless it has a cover, so that a program can show the artist of each image. */
  async artist(id: string, options: SingleEntryOptions = {}): Promise<types.ArtistWithImages> {
    checkOptions(options, optionNames.singleEntry);
    const { signal, include } = options;
    // The links of a cover expire.
    if (include?.includes('cover')) return this.#getEntry('artists', id, options);
    const key = checkId(id).toLowerCase();
    throwIfAborted(signal);
    // Without the signal, because other calls may wait for the same request.
    const artist = this.#artists.get(key, () => this.#getEntry('artists', key, {}));
    return { ...(await (signal ? Promise.race([artist, rejectOnAbort(signal, artist)]) : artist)) };
  }

  character(id: string, options: SingleEntryOptions = {}): Promise<types.CharacterWithImages> {
    return this.#getEntry('characters', id, options);
  }

  category(id: string, options: SingleEntryOptions = {}): Promise<types.CategoryWithImages> {
    return this.#getEntry('categories', id, options);
  }

  album(id: string, options: SingleEntryOptions = {}): Promise<types.AlbumWithImages> {
    return this.#getEntry('albums', id, options);
  }

  /** The number of images, artists, characters and categories. */
  stats(call: CallOptions = {}): Promise<types.Statistics> {
    return this.#getData('/stats', optionNames.none, {}, call);
  }

  /** The owner, purpose and scopes of this client's token. */
  token(call: CallOptions = {}): Promise<types.TokenInformation> {
    return this.#getData('/token', optionNames.none, {}, call);
  }

  /** The version of the service and the paths of its endpoints. */
  async information(call: CallOptions = {}): Promise<types.Information> {
    const { data, meta } = await this.#get('/', optionNames.none, {}, call);
    return { paths: data, ...meta };
  }

  /** Iterates over a whole list. Requests each page only when the previous one is used up. */
  every<Name extends ListName>(
    list: Name,
    options: Lists[Name]['options'] = {},
    call: CallOptions = {},
  ): AsyncGenerator<Lists[Name]['item'], void> {
    const names = list === 'images' ? optionNames.images : optionNames.search;
    return this.#iterate(paths[list], names, options, call);
  }

  /** Iterates over all images of an artist, oldest first. */
  async *everyArtistImage(
    id: string,
    options: ImageFilter & LinkOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<types.ArtistImage, void> {
    yield* this.#iterate<types.ArtistImage>(
      imagesPath('artists', id),
      optionNames.artistImages,
      options,
      call,
    );
  }

  /** Iterates over all images of an album, in its order. */
  everyAlbumImage(
    id: string,
    options: EveryAlbumImageOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<types.Image, void> {
    return this.#iterate(imagesPath('albums', id), optionNames.albumImages, options, call);
  }

  /**
   * Iterates over all matching images in random order, without repeats. Pass a seed to get the same order again;
   * without one the order is new each time.
   */
  async *everyRandom(
    { seed = generateSeed(), ...options }: AllRandomOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<types.Image, void> {
    checkOptions(options, optionNames.allRandom);
    yield* followCursor((cursor) =>
      this.randomPage({ ...options, seed, cursor, limit: MAX_PAGE_SIZE }, call),
    );
  }

  /** Iterates over all matching images, newest first. */
  async *everyLatest(options: RandomFilter = {}, call: CallOptions = {}): AsyncGenerator<types.Image, void> {
    checkOptions(options, optionNames.filter);
    yield* followCursor((cursor) => this.latest({ ...options, cursor, limit: MAX_PAGE_SIZE }, call));
  }

  async #get(path: string, names: OptionNames, options: object, call: CallOptions): Promise<Success> {
    checkOptions(options, names);
    checkOptions(call, optionNames.call);
    return this.#transport.get(path, { ...options }, call);
  }

  async #getData<Data>(path: string, names: OptionNames, options: object, call: CallOptions): Promise<Data> {
    return (await this.#get(path, names, options, call)).data;
  }

  async #getEntry<Entry>(list: ListName, id: string, options: SingleEntryOptions): Promise<Entry> {
    checkOptions(options, optionNames.singleEntry);
    const { signal, ...query } = options;
    return this.#getData(`${paths[list]}/${checkId(id)}`, optionNames.singleEntry, query, { signal });
  }

  async #getPage<Item>(path: string, names: OptionNames, options: object, call: CallOptions): Paged<Item> {
    const { data, total } = await this.#get(path, names, options, call);
    return { data, total };
  }

  async *#iterate<Item>(
    path: string,
    names: OptionNames,
    options: object,
    call: CallOptions,
  ): AsyncGenerator<Item, void> {
    checkOptions(options, names);
    const pageNames = { ...names, ...optionNames.page };
    for (let offset = 0, total = 1; offset < total; offset += MAX_PAGE_SIZE) {
      const window = { limit: MAX_PAGE_SIZE, offset };
      const page = await this.#getPage<Item>(path, pageNames, { ...options, ...window }, call);
      yield* page.data;
      total = page.total;
    }
  }
}
