/** The client: a method for each endpoint. */
import { ZukanError } from './error.ts';
import type { Draw, Few, Filter, Links, Search, Step, Window } from './options.ts';
import { type Calling, type Query, Transport, type ZukanOptions } from './transport.ts';
import type * as types from './types.ts';

/** The lists: what is in them, and what can be asked of them. */
interface Lists {
  images: { item: types.Image; wanted: Filter & Links };
  artists: { item: types.Artist; wanted: Search };
  characters: { item: types.Character; wanted: Search };
  categories: { item: types.Category; wanted: Search };
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

  /** Random images, no two the same. With a seed, the same ones each time. */
  random(wanted: Few & { seed?: string | undefined } = {}, calling: Calling = {}): Promise<types.Image[]> {
    return this.#one(randomPath, { ...wanted }, calling);
  }

  /** The images of a seed in its order, a page at a time: none comes twice until all that qualify have come. */
  async randomPage(wanted: Step, calling: Calling = {}): Promise<types.RandomPage> {
    const { data, cursor } = await this.#transport.ask(randomPath, { ...wanted }, calling);
    return { data, cursor };
  }

  async image(id: string, wanted: Links = {}, calling: Calling = {}): Promise<types.Image> {
    return this.#one(`/image/${checked(id)}`, { ...wanted }, calling);
  }

  /** All images, oldest first; needs a token with the scope `image:list`. */
  images(wanted: Window & Filter & Links = {}, calling: Calling = {}): Promise<types.Page<types.Image>> {
    return this.#page(paths.images, { ...wanted }, calling);
  }

  async artistImages(
    id: string,
    wanted: Window & Filter & Links = {},
    calling: Calling = {},
  ): Promise<types.Page<types.ArtistImage>> {
    return this.#page(artistImagesPath(id), { ...wanted }, calling);
  }

  artists(wanted: Window & Search = {}, calling: Calling = {}): Promise<types.Page<types.Artist>> {
    return this.#page(paths.artists, { ...wanted }, calling);
  }

  characters(wanted: Window & Search = {}, calling: Calling = {}): Promise<types.Page<types.Character>> {
    return this.#page(paths.characters, { ...wanted }, calling);
  }

  categories(wanted: Window & Search = {}, calling: Calling = {}): Promise<types.Page<types.Category>> {
    return this.#page(paths.categories, { ...wanted }, calling);
  }

  async artist(id: string, calling: Calling = {}): Promise<types.ArtistWithImages> {
    return this.#one(`${paths.artists}/${checked(id)}`, {}, calling);
  }

  async character(id: string, calling: Calling = {}): Promise<types.CharacterWithImages> {
    return this.#one(`${paths.characters}/${checked(id)}`, {}, calling);
  }

  async category(id: string, calling: Calling = {}): Promise<types.CategoryWithImages> {
    return this.#one(`${paths.categories}/${checked(id)}`, {}, calling);
  }

  /** How much there is of everything. */
  stats(calling: Calling = {}): Promise<types.Statistics> {
    return this.#one('/stats', {}, calling);
  }

  /** What the token of this client is for. */
  token(calling: Calling = {}): Promise<types.TokenInformation> {
    return this.#one('/token', {}, calling);
  }

  /** What the service is: its version, and the paths of its endpoints. */
  async information(calling: Calling = {}): Promise<types.Information> {
    const { data, meta } = await this.#transport.ask('', {}, calling);
    return { paths: data, ...meta };
  }

  /** Everything in a list, page after page: the next is asked for when the one before is used up. */
  every<Name extends ListName>(
    list: Name,
    wanted: Lists[Name]['wanted'] = {},
    calling: Calling = {},
  ): AsyncGenerator<Lists[Name]['item'], void> {
    return this.#all(paths[list], { ...wanted }, calling);
  }

  /** Every image of an artist, oldest first. */
  async *everyArtistImage(
    id: string,
    wanted: Filter & Links = {},
    calling: Calling = {},
  ): AsyncGenerator<types.ArtistImage, void> {
    yield* this.#all<types.ArtistImage>(artistImagesPath(id), { ...wanted }, calling);
  }

  /**
   * Every image that qualifies, once, in random order, page after page. A seed of your own gives the same order another
   * time; without one the client makes one up, and the order is new each time.
   */
  async *everyRandom(
    { seed = madeUpSeed(), ...wanted }: Draw & { seed?: string | undefined } = {},
    calling: Calling = {},
  ): AsyncGenerator<types.Image, void> {
    let cursor: string | undefined;
    do {
      const page = await this.randomPage({ ...wanted, seed, cursor, limit: MAX_PAGE_SIZE }, calling);
      yield* page.data;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  async #one<Data>(path: string, query: Query, calling: Calling): Promise<Data> {
    return (await this.#transport.ask(path, query, calling)).data;
  }

  async #page<Item>(path: string, query: Query, calling: Calling): Promise<types.Page<Item>> {
    const { data, total } = await this.#transport.ask(path, query, calling);
    return { data, total };
  }

  async *#all<Item>(path: string, query: Query, calling: Calling): AsyncGenerator<Item, void> {
    for (let offset = 0, total = 1; offset < total; offset += MAX_PAGE_SIZE) {
      const page = await this.#page<Item>(path, { ...query, limit: MAX_PAGE_SIZE, offset }, calling);
      yield* page.data;
      total = page.total;
    }
  }
}

function artistImagesPath(id: string): string {
  return `${paths.artists}/${checked(id)}/images`;
}

/** Browsers have `randomUUID` on secure origins only. */
function madeUpSeed(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** What is no id would lead to another endpoint: `/image/random`, or `/image/`, which is the list. */
function checked(id: string): string {
  if (uuid.test(id)) return id;
  throw new ZukanError(400, 'Invalid ID: it must be a UUID.', '');
}
