/** The newest images. */

import { cursorScope } from '../access/cursors.ts';
import { Image } from '../catalogue/schemas.ts';
import { ApiError } from '../http/errors.ts';
import * as Type from '../lib/json-schema.ts';
import type { Filter } from '../store/contract/catalogue.ts';
import { type Call, endpoint, type QueryOf } from './endpoint.ts';
import * as examples from './examples.ts';
import { imageList, rejectUnknownNames, unwrap } from './images.ts';
import { cursorHeaders } from './links.ts';
import { cursor, imageFilters, imageParameters, limit } from './parameters.ts';
import { pickParameters } from './query.ts';

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
    const { catalogue, cursors } = call.services;
    const filter = pickParameters(imageFilters, call.query);
    const below = readCursor(call, filter);
    const { images, next } = unwrap(
      await catalogue.latestImages(filter, below, call.query.limit, call.caller),
    );
    const response = imageList(call, images);
    if (next === undefined) return response;
    return { ...response, headers: cursorHeaders(call, cursors.write(next, cursorScope(undefined, filter))) };
  },
});

/** The image number that the call continues below; undefined without a cursor. */
function readCursor(
  { services, query }: Call<QueryOf<typeof latestQuery>>,
  filter: Filter,
): number | undefined {
  if (query.cursor === undefined) return undefined;
  const below = services.cursors.read(query.cursor, cursorScope(undefined, filter));
  if (below !== undefined) return below;
  throw new ApiError(
    400,
    'Invalid cursor: it was not issued by this service, or belongs to different filters.',
  );
}
