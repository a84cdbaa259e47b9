/** The handlers of images: one, a page, by artist, random. */
import { validityOf } from '../access/links.ts';
import { fillDocument, withoutAspectRatio } from '../catalogue/document.ts';
import type { Document, Page } from '../model.ts';
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
  const document = await call.services.catalogue.image(call.id);
  if (document === undefined) throw new ApiError(404, 'Image not found.');
  return { data: filler(call)(document) };
}

export async function imagePage(call: Call<PageQuery>): Promise<Answer> {
  return pageAnswer(call, await call.services.catalogue.images(call.query));
}

export async function artistImages(call: Call<PageQuery>): Promise<Answer> {
  const page = await call.services.catalogue.imagesByArtist(call.id, call.query);
  if (!page) throw new ApiError(404, 'Artist not found.');
  return pageAnswer(call, { ...page, documents: page.documents.map(withoutAspectRatio) });
}

export async function randomImages(
  call: Call<LinkQuery & { categories: string[]; limit: number }>,
): Promise<Answer> {
  const { categories, limit } = call.query;
  const draw = await call.services.catalogue.randomImages(categories, limit, call.services.chance);
  if ('unknownCategories' in draw) throw unknownCategories(draw.unknownCategories);
  return { data: fillAll(call, draw.documents) };
}

function pageAnswer(call: Call<PageQuery>, page: Page): Answer {
  return { data: fillAll(call, page.documents), headers: pageHeaders(call, page.total) };
}

function fillAll(call: Call<LinkQuery>, documents: Document[]): string {
  return `[${documents.map(filler(call)).join(',')}]`;
}

/** Puts links into documents; all links of an answer expire together. */
function filler({ services, query, now, origin }: Call<LinkQuery>): (document: Document) => string {
  const isExact = query.expiry !== undefined;
  const validity = validityOf(now, query.expiry ?? services.linkLifetime, isExact);
  const linkTo = services.links.signer(origin, validity);
  return (document) => fillDocument(document, linkTo);
}

function unknownCategories(names: string[]): ApiError {
  const quoted = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name));
  const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  return new ApiError(400, `Invalid categories: there is no category ${[...quoted, ...more].join(', ')}.`);
}
