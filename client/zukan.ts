/** The client: one method for each endpoint, and iterators over whole lists. */
import { ZukanError } from './error.ts';
import type {
  AllRandomOptions,
  CallOptions,
  FileUrlOptions,
  ImageFilter,
  LatestOptions,
  LinkOptions,
  PageOptions,
  RandomFileUrlOptions,
  RandomFilter,
  RandomOptions,
  RandomPageOptions,
  SearchOptions,
  SimilarOptions,
  ZukanOptions,
} from './options.ts';
import { type Query, Transport } from './transport.ts';
import type * as types from './types.ts';

interface Lists {
  images: { item: types.Image; options: ImageFilter & LinkOptions };
  artists: { item: types.Artist; options: SearchOptions };
  characters: { item: types.Character; options: SearchOptions };
  categories: { item: types.Category; options: SearchOptions };
}
type ListName = keyof Lists;

const paths: Record<ListName, string> = {
  images: '/image',
  artists: '/artist',
  characters: '/character',
  categories: '/category',
};
const randomPath = '/image/random';
const MAX_PAGE_SIZE = 25;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class Zukan {
  readonly #transport: Transport;

  constructor(options: ZukanOptions = {}) {
    this.#transport = new Transport(options);
  }

  /** Random images without repeats. With a seed, the same images each time. */
  random(options: RandomOptions = {}, call: CallOptions = {}): Promise<types.Image[]> {
    return this.#getData(randomPath, { ...options }, call);
  }

  /** One page of all matching images in the order of a seed, without repeats. */
  async randomPage(options: RandomPageOptions, call: CallOptions = {}): Promise<types.RandomPage> {
    const { data, cursor } = await this.#transport.get(randomPath, { ...options }, call);
    return { data, cursor };
  }

  /** One page of all matching images, newest first. */
  async latest(options: LatestOptions = {}, call: CallOptions = {}): Promise<types.CursorPage> {
    const { data, cursor } = await this.#transport.get('/image/latest', { ...options }, call);
    return { data, cursor };
  }

  /** An address for `<img src>` that shows a random image. Sends no request. */
  randomFileUrl(options: RandomFileUrlOptions = {}): string {
    return this.#transport.url(`${randomPath}/file`, { ...options });
  }

  /** An address for `<img src>` that shows an image and does not expire. Sends no request. */
  fileUrl(id: string, options: FileUrlOptions = {}): string {
    return this.#transport.url(`/image/${checkId(id)}/file`, { ...options });
  }

  /** Images that look most like another one, nearest first. */
  async similar(id: string, options: SimilarOptions = {}, call: CallOptions = {}): Promise<types.Image[]> {
    return this.#getData(`/image/${checkId(id)}/similar`, { ...options }, call);
  }

  async image(id: string, options: LinkOptions = {}, call: CallOptions = {}): Promise<types.Image> {
    return this.#getData(`/image/${checkId(id)}`, { ...options }, call);
  }

  /** All images, oldest first; needs a token with the scope `image:list`. */
  images(
    options: PageOptions & ImageFilter & LinkOptions = {},
    call: CallOptions = {},
  ): Promise<types.Page<types.Image>> {
    return this.#getPage(paths.images, { ...options }, call);
  }

  async artistImages(
    id: string,
    options: PageOptions & ImageFilter & LinkOptions = {},
    call: CallOptions = {},
  ): Promise<types.Page<types.ArtistImage>> {
    return this.#getPage(artistImagesPath(id), { ...options }, call);
  }

  artists(
    options: PageOptions & SearchOptions = {},
    call: CallOptions = {},
  ): Promise<types.Page<types.Artist>> {
    return this.#getPage(paths.artists, { ...options }, call);
  }

  characters(
    options: PageOptions & SearchOptions = {},
    call: CallOptions = {},
  ): Promise<types.Page<types.Character>> {
    return this.#getPage(paths.characters, { ...options }, call);
  }

  categories(
    options: PageOptions & SearchOptions = {},
    call: CallOptions = {},
  ): Promise<types.Page<types.Category>> {
    return this.#getPage(paths.categories, { ...options }, call);
  }

  async artist(id: string, call: CallOptions = {}): Promise<types.ArtistWithImages> {
    return this.#getData(`${paths.artists}/${checkId(id)}`, {}, call);
  }

  async character(id: string, call: CallOptions = {}): Promise<types.CharacterWithImages> {
    return this.#getData(`${paths.characters}/${checkId(id)}`, {}, call);
  }

  async category(id: string, call: CallOptions = {}): Promise<types.CategoryWithImages> {
    return this.#getData(`${paths.categories}/${checkId(id)}`, {}, call);
  }

  /** The number of images, artists, characters and categories. */
  stats(call: CallOptions = {}): Promise<types.Statistics> {
    return this.#getData('/stats', {}, call);
  }

  /** The owner, purpose and scopes of this client's token. */
  token(call: CallOptions = {}): Promise<types.TokenInformation> {
    return this.#getData('/token', {}, call);
  }

  /** The version of the service and the paths of its endpoints. */
  async information(call: CallOptions = {}): Promise<types.Information> {
    const { data, meta } = await this.#transport.get('', {}, call);
    return { paths: data, ...meta };
  }

  /** Iterates over a whole list. Requests each page only when the previous one is used up. */
  every<Name extends ListName>(
    list: Name,
    options: Lists[Name]['options'] = {},
    call: CallOptions = {},
  ): AsyncGenerator<Lists[Name]['item'], void> {
    return this.#iterate(paths[list], { ...options }, call);
  }

  /** Iterates over all images of an artist, oldest first. */
  async *everyArtistImage(
    id: string,
    options: ImageFilter & LinkOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<types.ArtistImage, void> {
    yield* this.#iterate<types.ArtistImage>(artistImagesPath(id), { ...options }, call);
  }

  /**
   * Iterates over all matching images in random order, without repeats. Pass a seed to get the same order again;
   * without one the order is new each time.
   */
  async *everyRandom(
    { seed = generateSeed(), ...options }: AllRandomOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<types.Image, void> {
    yield* followCursor((cursor) =>
      this.randomPage({ ...options, seed, cursor, limit: MAX_PAGE_SIZE }, call),
    );
  }

  /** Iterates over all matching images, newest first. */
  async *everyLatest(options: RandomFilter = {}, call: CallOptions = {}): AsyncGenerator<types.Image, void> {
    yield* followCursor((cursor) => this.latest({ ...options, cursor, limit: MAX_PAGE_SIZE }, call));
  }

  async #getData<Data>(path: string, query: Query, call: CallOptions): Promise<Data> {
    return (await this.#transport.get(path, query, call)).data;
  }

  async #getPage<Item>(path: string, query: Query, call: CallOptions): Promise<types.Page<Item>> {
    const { data, total } = await this.#transport.get(path, query, call);
    return { data, total };
  }

  async *#iterate<Item>(path: string, query: Query, call: CallOptions): AsyncGenerator<Item, void> {
    for (let offset = 0, total = 1; offset < total; offset += MAX_PAGE_SIZE) {
      const page = await this.#getPage<Item>(path, { ...query, limit: MAX_PAGE_SIZE, offset }, call);
      yield* page.data;
      total = page.total;
    }
  }
}

async function* followCursor(
  getPage: (cursor: string | undefined) => Promise<types.CursorPage>,
): AsyncGenerator<types.Image, void> {
  let cursor: string | undefined;
  do {
    const page = await getPage(cursor);
    yield* page.data;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

function artistImagesPath(id: string): string {
  return `${paths.artists}/${checkId(id)}/images`;
}

/** Not `randomUUID`, which browsers offer on secure origins only. */
function generateSeed(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Anything but a UUID could lead to another endpoint, such as `/image/random`. */
function checkId(id: string): string {
  if (uuid.test(id)) return id;
  throw new ZukanError(400, 'Invalid ID: it must be a UUID.', '');
}
