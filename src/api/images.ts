/** The endpoints that return images: random and listed ones, the newest, those of an entry, and files for `<img src>`. */
import { cursorScope, lastingLinks } from '../access/links.ts';
import { LIST_IMAGES } from '../access/tokens.ts';
import { type Filter, type FilterProblem, MAX_UNKNOWN_NAMES } from '../catalogue/catalogue.ts';
import { type ImageDocument, type Link, withoutAspectRatio } from '../catalogue/documents/image-document.ts';
import { ArtistImage, Image } from '../catalogue/schemas.ts';
import { packPosition, type SeedPosition, unpackPosition } from '../catalogue/sets/orders.ts';
import { ApiError } from '../http/exchange.ts';
import { type ByteString, toList } from '../lib/byte-string.ts';
import * as Type from '../lib/json-schema.ts';
import { shorten } from '../lib/text.ts';
import {
  type ApiResponse,
  type Call,
  cursorHeaders,
  endpoint,
  linkSigner,
  pageHeaders,
  type QueryOf,
  readCursor,
} from './endpoint.ts';
import { notFound } from './entries.ts';
import * as examples from './examples.ts';
import {
  artistFilters,
  cursor,
  embedFilters,
  expiry,
  imageFilters,
  imageParameters,
  limit,
  listFilters,
  offset,
  pickParameters,
  seed,
  width,
} from './parameters.ts';

// The endpoints that return images.

const allFilters = { ...listFilters, ...artistFilters };
const oldestFirst = 'Sorted by the time they were added, oldest first.';

export const singleImage = endpoint({
  name: 'image',
  group: 'Images',
  summary: 'Get an image',
  description: 'Returns the same record as the lists do.',
  access: 'open',
  query: imageParameters,
  data: Image,
  example: { call: ({ image }) => ({ id: image.id }), data: examples.image },
  async handle(call) {
    const image = await call.services.catalogue.image(call.id);
    if (!image) throw new ApiError(404, 'Image not found.');
    return { data: imageWriter(call)(image) };
  },
});

export const allImages = endpoint({
  name: 'images',
  group: 'Images',
  summary: 'List all images',
  description: oldestFirst,
  access: { scope: LIST_IMAGES },
  query: { limit, offset, ...allFilters, ...imageParameters },
  data: Type.Array(Image),
  example: { call: () => ({ query: { nsfw: 'sfw', limit: '1', offset: '0' } }), data: [examples.image] },
  isPaged: true,
  async handle(call) {
    const filter = pickParameters(allFilters, call.query);
    const { catalogue } = call.services;
    const { total, items } = unwrap(await catalogue.images(filter, call.query, call.caller));
    return { ...imageList(call, items), headers: pageHeaders(call, total) };
  },
});

export const similarImages = endpoint({
  name: 'similar',
  group: 'Images',
  summary: 'Get similar images',
  description:
    'Returns the images that look most like this one, nearest first, without the image itself. Copies that were resized, ' +
    're-encoded or slightly cropped come first. Images that look different are left out, so the list may be short or ' +
    'empty. It is always empty for an image with too little detail to compare, such as a single colour.',
  access: 'open',
  query: { limit, ...allFilters, ...imageParameters },
  data: Type.Array(Image),
  example: {
    call: ({ image }) => ({ id: image.id, query: { nsfw: 'sfw', limit: '1' } }),
    data: [examples.image],
  },
  async handle(call) {
    const filter = pickParameters(allFilters, call.query);
    const { catalogue } = call.services;
    const images = await catalogue.similarImages(call.id, filter, call.query.limit, call.caller);
    return imageList(call, unwrap(images));
  },
});

const randomQuery = { ...imageFilters, limit, seed, cursor, ...imageParameters };
type CursorCall = Pick<Call<{ seed?: string; cursor?: string }>, 'services' | 'query' | 'caller'>;

export const randomImages = endpoint({
  name: 'random',
  group: 'Images',
  summary: 'Get random images',
  description:
    'Every image that matches the filters is equally likely, and none is repeated within a response. If fewer than ' +
    '`limit` match, all of them are returned; if none match, the list is empty. With a `seed` the order is always the ' +
    'same, and `cursor` continues where the previous response ended, so no image is repeated until all were returned. ' +
    'New images are inserted at random positions of that order; the others keep theirs.',
  access: 'open',
  query: randomQuery,
  data: Type.Array(Image),
  example: {
    call: ({ categories }) => ({ query: { ...examples.inCategories(categories), nsfw: 'sfw', limit: '1' } }),
    data: [examples.image],
  },
  hasCursor: true,
  validate: (call) => validatePage(call, pickParameters(imageFilters, call.query), readSeedPosition),
  async handle(call) {
    const { services, query } = call;
    const filter = pickParameters(imageFilters, query);
    if (query.seed !== undefined) {
      const { images, cursor } = await readSeeded(call, filter, query.seed, query.limit);
      return { ...imageList(call, images), headers: cursorHeaders(call, cursor) };
    }
    readSeedPosition(call, filter);
    const images = await services.catalogue.randomImages(
      filter,
      query.limit,
      services.randomInt,
      call.caller,
    );
    return imageList(call, unwrap(images));
  },
});

/** Images in the order of a seed, from the cursor of the call on. */
export async function readSeeded(
  call: CursorCall,
  filter: Filter,
  seed: string,
  limit: number,
): Promise<CursorPage> {
  const { catalogue, cursors } = call.services;
  const from = readSeedPosition(call, filter);
  const { images, next } = unwrap(await catalogue.seededImages(filter, seed, from, limit, call.caller));
  const cursor = next && cursors.write(packPosition(next.bits, next.rank), cursorScope(seed, filter));
  return { images, cursor };
}

/** Undefined without a cursor. */
function readSeedPosition(call: CursorCall, filter: Filter): SeedPosition | undefined {
  const { seed, cursor } = call.query;
  if (cursor !== undefined && seed === undefined)
    throw new ApiError(400, 'Invalid cursor: send it together with the seed it was issued for.');
  const position = readCursor(call, cursorScope(seed, filter), 'a different seed or filters');
  if (position === undefined) return undefined;
  const [bits, rank] = unpackPosition(position);
  return { bits, rank };
}

/** Throws the 400 for categories that do not exist, or first for a cursor that is none of this order. */
export async function validatePage<C extends Pick<Call<unknown>, 'services'>>(
  call: C,
  filter: Filter,
  readCursor: (call: C, filter: Filter) => unknown = () => {},
): Promise<void> {
  readCursor(call, filter);
  const found = await call.services.catalogue.checkFilter(filter);
  const error = found && problemToApiError(found);
  if (error?.status === 400) throw error;
}

type ImageCall = Call<QueryOf<typeof imageParameters>>;

export function imageList(call: ImageCall, images: ImageDocument[]): ApiResponse {
  return { data: toList(images.map(imageWriter(call))) };
}

/** Writes the JSON of images as a call asks for it. */
export function imageWriter(call: ImageCall): (image: ImageDocument) => ByteString {
  const signLink = linkSigner(call, call.query.expiry);
  const { include } = call.query;
  const { site } = call.services;
  return (image) => image.withLink(signLink, include, site);
}

/** Returns the result, or throws the error for a problem with the filter. */
export function unwrap<Result extends object>(result: Result | FilterProblem): Result {
  if ('problem' in result) throw problemToApiError(result);
  return result;
}

function problemToApiError({ problem }: FilterProblem): ApiError {
  if (problem === 'position')
    return new ApiError(400, 'The cursor is no longer valid; start again without it.');
  if (typeof problem === 'string') return notFound(problem);
  const messages = [unknownNames('categories', problem.categories), unknownNames('exclude', problem.exclude)];
  return new ApiError(400, messages.filter(Boolean).join(' '));
}

const MAX_QUOTED_LENGTH = 80;

function unknownNames(parameter: string, names: string[]): string {
  if (names.length === 0) return '';
  const quoted = names
    .slice(0, MAX_UNKNOWN_NAMES)
    .map((name) => JSON.stringify(shorten(name, MAX_QUOTED_LENGTH)));
  const more = names.length > MAX_UNKNOWN_NAMES ? ', and there are others' : '';
  return `Invalid ${parameter}: there is no category ${quoted.join(', ')}${more}.`;
}

// The newest images.

const latestQuery = { ...imageFilters, limit, cursor, ...imageParameters };

export const latestImages = endpoint({
  name: 'latest',
  group: 'Images',
  summary: 'Get the latest images',
  description:
    'Returns the images that match the filters, newest first. `cursor` continues where the previous response ended: ' +
    'images that are added or removed meanwhile cause no repeats and no gaps.',
  access: 'open',
  query: latestQuery,
  data: Type.Array(Image),
  example: { call: () => ({ query: { nsfw: 'sfw', limit: '1' } }), data: [examples.image] },
  hasCursor: true,
  validate: (call) => validatePage(call, pickParameters(imageFilters, call.query), readBelow),
  async handle(call) {
    const filter = pickParameters(imageFilters, call.query);
    const { images, cursor } = await readLatest(call, filter, call.query.limit);
    return { ...imageList(call, images), headers: cursorHeaders(call, cursor) };
  },
});

export interface CursorPage {
  images: ImageDocument[];
  /** Where the next page starts, if there is one. */
  cursor: string | undefined;
}

/** The newest images that pass the filter, from the cursor of the call on. */
export async function readLatest(call: CursorCall, filter: Filter, limit: number): Promise<CursorPage> {
  const { catalogue, cursors } = call.services;
  const below = readBelow(call, filter);
  const { images, next } = unwrap(await catalogue.latestImages(filter, below, limit, call.caller));
  const cursor = next === undefined ? undefined : cursors.write(next, cursorScope(undefined, filter));
  return { images, cursor };
}

/** The image number that the call continues below; undefined without a cursor. */
const readBelow = (call: CursorCall, filter: Filter) =>
  readCursor(call, cursorScope(undefined, filter), 'different filters');

// The endpoints that return the images of an artist and of an album.

const { album: _, ...albumFilters } = allFilters;

export const artistImages = endpoint({
  name: 'artistImages',
  group: 'Artists',
  summary: "List an artist's images",
  description: `${oldestFirst} \`meta.dimens\` has no \`aspectRatio\` here.`,
  access: 'open',
  query: { limit, offset, ...listFilters, ...imageParameters },
  data: Type.Array(ArtistImage),
  example: {
    call: ({ artist }) => ({ id: artist.id, query: { nsfw: 'sfw', limit: '1' } }),
    data: [examples.artistImage],
  },
  isPaged: true,
  followsMerges: true,
  async handle(call) {
    const { catalogue } = call.services;
    const filter = pickParameters(listFilters, call.query);
    const found = unwrap(await catalogue.artistImages(call.id, filter, call.query, call.caller));
    if ('movedTo' in found) return found;
    const { total, items } = found;
    const write = imageWriter(call);
    const images = items.map((image) => withoutAspectRatio(write(image)));
    return { data: toList(images), headers: pageHeaders(call, total) };
  },
});

export const albumImages = endpoint({
  name: 'albumImages',
  group: 'Albums',
  summary: "List an album's images",
  description: 'In the order of the album.',
  access: 'open',
  query: { limit, offset, ...albumFilters, ...imageParameters },
  data: Type.Array(Image),
  example: {
    call: ({ album }) => ({ id: album.id, query: { nsfw: 'sfw', limit: '1' } }),
    data: [examples.image],
  },
  isPaged: true,
  followsMerges: true,
  async handle(call) {
    const { catalogue } = call.services;
    const filter = pickParameters(albumFilters, call.query);
    const found = unwrap(await catalogue.albumImages(call.id, filter, call.query, call.caller));
    if ('movedTo' in found) return found;
    return { ...imageList(call, found.items), headers: pageHeaders(call, found.total) };
  },
});

// The endpoints that redirect to an image file, for use as `<img src>`.

/** In seconds. A cached redirect must not outlive a change of the image for long. */
const MAX_REDIRECT_AGE = 300;

const fileQuery = { width, expiry };
type FileCall = Call<QueryOf<typeof fileQuery>>;

const randomFileQuery = { ...embedFilters, seed, ...fileQuery };

export const randomFile = endpoint({
  name: 'randomFile',
  group: 'Images',
  summary: 'Get the file of a random image',
  description:
    'Redirects to the file of one image that matches the filters, for use in `<img src>`. Every request gets another ' +
    'image; with a `seed`, the same one each time. Without `nsfw`, it is rated sfw. If no image matches, the response is a 404.',
  access: 'open',
  isEmbed: true,
  query: randomFileQuery,
  example: {
    call: ({ categories }) => ({ query: { ...examples.inCategories(categories.slice(0, 1)), nsfw: 'sfw' } }),
  },
  validate: (call) => validatePage(call, pickParameters(embedFilters, call.query)),
  async handle(call) {
    const image = await pickImage(call);
    if (!image) throw new ApiError(404, 'No image matches the filters.');
    return { location: linkTo(call, image).url, headers: { 'Cache-Control': 'no-store' } };
  },
});

async function pickImage(call: Call<QueryOf<typeof randomFileQuery>>): Promise<ImageDocument | undefined> {
  const { query, caller, services } = call;
  const { catalogue, randomInt } = services;
  const filter = pickParameters(embedFilters, query);
  if (query.seed !== undefined)
    return unwrap(await catalogue.seededImages(filter, query.seed, undefined, 1, caller)).images[0];
  const drawn = await catalogue.randomImages(filter, 1, randomInt, caller);
  return unwrap(drawn)[0];
}

export const imageFile = endpoint({
  name: 'file',
  group: 'Images',
  summary: 'Get the file of an image',
  description:
    'Redirects to the file, for use in `<img src>`: to the address of its current version, or with an `expiry` to a link. The ' +
    'redirect may be cached for a few minutes, but never until the link expires.',
  access: 'open',
  isEmbed: true,
  query: fileQuery,
  example: { call: ({ image }) => ({ id: image.id }) },
  async handle(call) {
    const image = await call.services.catalogue.image(call.id);
    if (!image) throw new ApiError(404, 'Image not found.');
    const link = linkTo(call, image);
    return { location: link.url, headers: { 'Cache-Control': cachePolicy(call, link) } };
  },
});

/** It lasts unless the call or the operator wants it to expire. */
function linkTo(call: FileCall, image: ImageDocument): Link {
  const { width, expiry } = call.query;
  const isLasting = call.services.hasLastingLinks && expiry === undefined;
  const signLink = isLasting ? lastingLinks(call.origin) : linkSigner(call, expiry);
  return width === undefined ? signLink(image) : image.linkOfWidth(width, signLink);
}

/**
 * Half of the remaining time at most, so a client that follows a cached redirect has time left to load the file. Private,
 * because the link may depend on the client: on its token, and on the `Host` that it sent, with which it could otherwise
 * lead others to a server of its own.
 */
function cachePolicy({ now }: FileCall, { expires }: Link): string {
  const secondsLeft = expires === '' ? Number.POSITIVE_INFINITY : (Date.parse(expires) - now) / 1000;
  const maxAge = Math.min(MAX_REDIRECT_AGE, Math.floor(secondsLeft / 2));
  return `private, max-age=${maxAge}`;
}
