/** The handlers of images: one, a page, by artist, random. */
import { validityOf } from '../access/links.ts';
import { withoutAspectRatio } from '../catalogue/linkable.ts';
import type { Linkable, LinkTo } from '../model.ts';
import type { Answer, Call } from './call.ts';
import { ApiError } from './errors.ts';
import { pageHeaders } from './pages.ts';

interface LinkQuery {
  expiry?: number;
}

interface PageQuery extends LinkQuery {
  limit: number;
  offset: number;
}

/** How many unknown categories an error message names. */
const MOST_NAMED = 10;

export async function oneImage(call: Call<LinkQuery>): Promise<Answer> {
  const image = await call.services.catalogue.image(call.id);
  if (!image) throw new ApiError(404, 'Image not found.');
  return { data: image.withLink(linkMaker(call)), surplus: image.surplus };
}

export async function imagePage(call: Call<PageQuery>): Promise<Answer> {
  const { total, items } = await call.services.catalogue.images(call.query);
  return { ...listed(call, items), headers: pageHeaders(call, total) };
}

export async function artistImages(call: Call<PageQuery>): Promise<Answer> {
  const page = await call.services.catalogue.imagesByArtist(call.id, call.query);
  if (!page) throw new ApiError(404, 'Artist not found.');
  const linkTo = linkMaker(call);
  const images = page.items.map((image) => withoutAspectRatio(image.withLink(linkTo)));
  return { data: `[${images.join()}]`, headers: pageHeaders(call, page.total) };
}

export async function randomImages(
  call: Call<LinkQuery & { categories: string[]; limit: number }>,
): Promise<Answer> {
  const { categories, limit } = call.query;
  const draw = await call.services.catalogue.randomImages(categories, limit, call.services.chance);
  if ('unknownCategories' in draw) throw unknownCategories(draw.unknownCategories);
  return listed(call, draw.images);
}

function listed(call: Call<LinkQuery>, images: Linkable[]): Answer {
  const linkTo = linkMaker(call);
  let data = '[';
  let surplus = 0;
  for (const image of images) {
    data += (data.length > 1 ? ',' : '') + image.withLink(linkTo);
    surplus += image.surplus;
  }
  return { data: `${data}]`, surplus };
}

/** Makes the links of one answer, which expire together. */
function linkMaker({ services, query, now, origin }: Call<LinkQuery>): LinkTo {
  const isExact = query.expiry !== undefined;
  const validity = validityOf(now, query.expiry ?? services.linkLifetime, isExact);
  return services.links.signer(origin, validity);
}

function unknownCategories(names: string[]): ApiError {
  const quoted = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name));
  const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  return new ApiError(400, `Invalid categories: there is no category ${[...quoted, ...more].join(', ')}.`);
}
