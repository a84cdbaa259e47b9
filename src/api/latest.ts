/** The newest images. */

import { cursorScope } from '../access/cursors.ts';
import type { Filter } from '../catalogue/catalogue.ts';
import type { ImageDocument } from '../catalogue/documents/image-document.ts';
import { Image } from '../catalogue/schemas.ts';
import { ApiError } from '../http/errors.ts';
import * as Type from '../lib/json-schema.ts';
import { type Call, endpoint } from './endpoint.ts';
import * as examples from './examples.ts';
import { imageList, rejectUnknownNames, unwrap } from './images.ts';
import { cursorHeaders } from './links.ts';
import { cursor, imageFilters, imageParameters, limit } from './parameters.ts';
import { pickParameters } from './query.ts';

type CursorCall = Call<{ cursor?: string }>;

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
  async validate(call) {
    const filter = pickParameters(imageFilters, call.query);
    readCursor(call, filter);
    await rejectUnknownNames(call, filter);
  },
  async handle(call) {
    const filter = pickParameters(imageFilters, call.query);
    const { images, cursor } = await readLatest(call, filter, call.query.limit);
    const response = imageList(call, images);
    return cursor === undefined ? response : { ...response, headers: cursorHeaders(call, cursor) };
  },
});

export interface LatestPage {
  images: ImageDocument[];
  /** Of the next page, if there is one. */
  cursor: string | undefined;
}

/** The newest images that pass the filter, from the cursor of the call on. */
export async function readLatest(call: CursorCall, filter: Filter, limit: number): Promise<LatestPage> {
  const { catalogue, cursors } = call.services;
  const below = readCursor(call, filter);
  const { images, next } = unwrap(await catalogue.latestImages(filter, below, limit, call.caller));
  const cursor = next === undefined ? undefined : cursors.write(next, cursorScope(undefined, filter));
  return { images, cursor };
}

/** The image number that the call continues below; undefined without a cursor. */
function readCursor({ services, query }: CursorCall, filter: Filter): number | undefined {
  if (query.cursor === undefined) return undefined;
  const below = services.cursors.read(query.cursor, cursorScope(undefined, filter));
  if (below !== undefined) return below;
  throw new ApiError(
    400,
    'Invalid cursor: it was not issued by this service, or belongs to different filters.',
  );
}
