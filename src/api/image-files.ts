/** The endpoints that redirect to an image file, for use as `<img src>`. */
import type { ImageDocument, Link } from '../catalogue/documents/image-document.ts';
import { ApiError } from '../http/errors.ts';
import { type Call, endpoint, type QueryOf } from './endpoint.ts';
import * as examples from './examples.ts';
import { rejectUnknownNames, unwrap } from './images.ts';
import { linkSigner } from './links.ts';
import { expiry, imageFilters, seed, width } from './parameters.ts';
import { pickParameters } from './query.ts';

/** In seconds. A cached redirect must not outlive a change of the image for long. */
const MAX_REDIRECT_AGE = 300;

const fileQuery = { width, expiry };
type FileCall = Call<QueryOf<typeof fileQuery>>;

const randomQuery = { ...imageFilters, seed, ...fileQuery };

export const randomFile = endpoint({
  name: 'randomFile',
  group: 'Images',
  summary: 'Get the file of a random image',
  description:
    'Redirects to the file of one image that matches the filters, for use in `<img src>`. Every request gets another ' +
    'image; with a `seed`, the same one each time. If no image matches, the response is a 404.',
  access: 'open',
  isEmbed: true,
  query: randomQuery,
  example: {
    call: ({ categories }) => ({ query: { ...examples.inCategories(categories.slice(0, 1)), nsfw: 'sfw' } }),
  },
  validate: (call) => rejectUnknownNames(call, pickParameters(imageFilters, call.query)),
  async handle(call) {
    const image = await pickImage(call);
    if (!image) throw new ApiError(404, 'No image matches the filters.');
    return { location: linkTo(call, image).url, headers: { 'Cache-Control': 'no-store' } };
  },
});

async function pickImage(call: Call<QueryOf<typeof randomQuery>>): Promise<ImageDocument | undefined> {
  const { query, caller, services } = call;
  const { catalogue, randomInt } = services;
  const filter = pickParameters(imageFilters, query);
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
    'Redirects to the file, for use in `<img src>`. The address stays the same, while links to files expire. The ' +
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

function linkTo(call: FileCall, image: ImageDocument): Link {
  const { width } = call.query;
  const signLink = linkSigner(call, call.query.expiry);
  return width === undefined ? signLink(image) : image.linkOfWidth(width, signLink);
}

/**
 * Half of the remaining time at most, so a client that follows a cached redirect has time left to load the file. Private,
 * because the link may depend on the client: on its token, and on the `Host` that it sent, with which it could otherwise
 * lead others to a server of its own.
 */
function cachePolicy({ now }: FileCall, { expires }: Link): string {
  const secondsLeft = (Date.parse(expires) - now) / 1000;
  const maxAge = Math.min(MAX_REDIRECT_AGE, Math.floor(secondsLeft / 2));
  return `private, max-age=${maxAge}`;
}
