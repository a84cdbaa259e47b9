/** What happened to images, for programs that keep a copy of the catalogue. */
import { cursorScope } from '../access/links.ts';
import { LIST_IMAGES } from '../access/tokens.ts';
import type { ChangePosition } from '../catalogue/catalogue.ts';
import { ImageChange } from '../catalogue/schemas.ts';
import { ApiError } from '../http/exchange.ts';
import { toList } from '../lib/byte-string.ts';
import * as Type from '../lib/json-schema.ts';
import { type Call, cursorHeaders, endpoint, type QueryOf } from './endpoint.ts';
import * as examples from './examples.ts';
import { imageWriter } from './images.ts';
import { imageParameters, limit, listFilters, since } from './parameters.ts';

const query = { since, limit, nsfw: listFilters.nsfw, ...imageParameters };
type ChangesCall = Call<QueryOf<typeof query>>;

export const imageChanges = endpoint({
  name: 'changes',
  group: 'Images',
  summary: 'Follow all changes',
  description:
    'For programs that keep a copy of the catalogue. Without `since`, it begins with all images; then it returns what was added, changed ' +
    'and removed, in this order, with each image as it is now. An image may come more than once. `X-Next-Cursor` is always there: send it ' +
    'as `since`, at once if there is a `Link` to the next page, and later otherwise. Images that were removed, taken down or rated ' +
    'otherwise than `nsfw` says are `removed`: their ids alone. An image has changed, too, when its artist, a category or a character ' +
    'did, but not when it got thumbnails. A 410 means that the history no longer goes back so far: forget the copy, and start again ' +
    'without `since`.',
  access: { scope: LIST_IMAGES },
  query,
  data: Type.Array(ImageChange),
  example: {
    call: () => ({ query: { nsfw: 'sfw', limit: '1' } }),
    data: [{ change: 'added', id: examples.image.id, image: examples.image }],
  },
  hasCursor: true,
  validate: (call) => void readSince(call),
  async handle(call) {
    const { services, query, caller } = call;
    const found = await services.catalogue.changedImages(readSince(call), query.limit, caller);
    if (!found)
      throw new ApiError(
        410,
        'The history no longer goes back to this cursor: forget your copy, and start again without it.',
      );
    const write = imageWriter(call);
    const data = found.changes.map(({ change, id, image }) =>
      image && (query.nsfw?.includes(image.rating) ?? true)
        ? `{"change":"${change}","id":"${id}","image":${write(image)}}`
        : `{"change":"removed","id":"${id}"}`,
    );
    const headers = cursorHeaders(call, writeSince(call, found.next), 'since');
    if (!found.hasMore) delete headers.Link;
    return { data: toList(data), headers };
  },
});

/** The number of the change, signed together with the rest of the position, which follows. */
function writeSince(call: ChangesCall, { change, at, kind, id, below, image }: ChangePosition): string {
  const rest = [at.toString(36), kind, id, below, image].join('.');
  return call.services.cursors.write(change, scopeOf(call, rest)) + rest;
}

const CURSOR_LENGTH = 28;

function readSince(call: ChangesCall): ChangePosition | undefined {
  const { since } = call.query;
  if (since === undefined) return undefined;
  const rest = since.slice(CURSOR_LENGTH);
  const change = call.services.cursors.read(since.slice(0, CURSOR_LENGTH), scopeOf(call, rest));
  if (change === undefined)
    throw new ApiError(
      400,
      'Invalid since: it was not issued by this service, or belongs to a different nsfw.',
    );
  const [at = '', kind = '', id = '', below, image] = rest.split('.');
  return { change, at: Number.parseInt(at, 36), kind, id, below: Number(below), image: Number(image) };
}

const scopeOf = ({ query: { nsfw } }: ChangesCall, rest: string): string =>
  `changes ${cursorScope(undefined, { nsfw })} ${rest}`;
