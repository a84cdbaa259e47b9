/** The endpoints that return images. */
import { cursorScope } from '../access/cursors.ts';
import { LIST_IMAGES } from '../access/tokens.ts';
import { type Filter, type FilterProblem, MAX_UNKNOWN_NAMES } from '../catalogue/catalogue.ts';
import type { ByteString, ImageDocument } from '../catalogue/documents/image-document.ts';
import { Image } from '../catalogue/schemas.ts';
import { packPosition, type SeedPosition, unpackPosition } from '../catalogue/sets/orders.ts';
import { ApiError } from '../http/errors.ts';
import * as Type from '../lib/json-schema.ts';
import { shorten } from '../lib/text.ts';
import { type ApiResponse, type Call, endpoint, type QueryOf } from './endpoint.ts';
import { notFound } from './entries.ts';
import * as examples from './examples.ts';
import { cursorHeaders, linkSigner, pageHeaders } from './links.ts';
import {
  artistFilters,
  cursor,
  imageFilters,
  imageParameters,
  limit,
  listFilters,
  offset,
  seed,
} from './parameters.ts';
import { pickParameters } from './query.ts';

/** Of lists. */
export const allFilters = { ...listFilters, ...artistFilters };
export const oldestFirst = 'Sorted by the time they were added, oldest first.';

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
    return { data: imageWriter(call)(image), isByteString: true };
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
type RandomCall = Call<QueryOf<typeof randomQuery>>;

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
  async validate(call) {
    const filter = pickParameters(imageFilters, call.query);
    readCursor(call, filter);
    await rejectUnknownNames(call, filter);
  },
  async handle(call) {
    const { services, query } = call;
    const filter = pickParameters(imageFilters, query);
    const from = readCursor(call, filter);
    if (query.seed !== undefined) return seededImages(call, filter, query.seed, from);
    const images = await services.catalogue.randomImages(
      filter,
      query.limit,
      services.randomInt,
      call.caller,
    );
    return imageList(call, unwrap(images));
  },
});

async function seededImages(
  call: RandomCall,
  filter: Filter,
  seed: string,
  from: SeedPosition | undefined,
): Promise<ApiResponse> {
  const { catalogue, cursors } = call.services;
  const { images, next } = unwrap(
    await catalogue.seededImages(filter, seed, from, call.query.limit, call.caller),
  );
  const response = imageList(call, images);
  if (next === undefined) return response;
  const cursor = cursors.write(packPosition(next), cursorScope(seed, filter));
  return { ...response, headers: cursorHeaders(call, cursor) };
}

/** The position that the cursor of a call stands for; undefined without a cursor. */
function readCursor({ services, query }: RandomCall, filter: Filter): SeedPosition | undefined {
  const { seed, cursor } = query;
  if (cursor === undefined) return undefined;
  if (seed === undefined)
    throw new ApiError(400, 'Invalid cursor: send it together with the seed it was issued for.');
  const position = services.cursors.read(cursor, cursorScope(seed, filter));
  if (position !== undefined) return unpackPosition(position);
  throw new ApiError(
    400,
    'Invalid cursor: it was not issued by this service, or belongs to a different seed or filters.',
  );
}

/** Throws the 400 for categories that do not exist. */
export async function rejectUnknownNames({ services }: Call<unknown>, filter: Filter): Promise<void> {
  const found = await services.catalogue.checkFilter(filter);
  const error = found && problemToApiError(found);
  if (error?.status === 400) throw error;
}

type ImageCall = Call<QueryOf<typeof imageParameters>>;

export function imageList(call: ImageCall, images: ImageDocument[]): ApiResponse {
  const write = imageWriter(call);
  let data = '[';
  for (const image of images) data += (data.length > 1 ? ',' : '') + write(image);
  return { data: `${data}]`, isByteString: true };
}

/** Writes the JSON of images as a call asks for it. */
export function imageWriter(call: ImageCall): (image: ImageDocument) => ByteString {
  const signLink = linkSigner(call, call.query.expiry);
  const { include } = call.query;
  const { reportUrl } = call.services.site;
  return (image) => image.withLink(signLink, include, reportUrl);
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
