/** The handlers of images: one, a page, by artist, random. */

import { linkValidity } from '../../access/link-signer.ts';
import type { Filter, FilterProblem, ListFilter } from '../../catalogue/catalogue.ts';
import { cursorScope } from '../../catalogue/cursor-scope.ts';
import type { ImageDocument, SignLink } from '../../catalogue/image-document.ts';
import { withoutAspectRatio } from '../../catalogue/image-document.ts';
import type { Orientation, Rating, Window } from '../../catalogue/types.ts';
import { ApiError } from '../server/errors.ts';
import type { Answer, Call } from './call.ts';
import { titles } from './entries.ts';
import { pageHeaders, pageLink } from './pagination.ts';

interface LinkQuery {
  expiry?: number;
}

interface FilterQuery {
  nsfw?: Rating[];
  orientation?: Orientation[];
}

interface PageQuery extends LinkQuery, FilterQuery, Window {}

interface RandomQuery extends LinkQuery, FilterQuery {
  categories: string[];
  match: 'all' | 'any';
  exclude: string[];
  artist?: string;
  character?: string;
  limit: number;
  seed?: string;
  cursor?: string;
}

/** How many unknown categories an error message names. */
const MAX_NAMED = 10;

export async function oneImage(call: Call<LinkQuery>): Promise<Answer> {
  const image = await call.services.catalogue.image(call.id);
  if (!image) throw new ApiError(404, 'Image not found.');
  return { data: image.withLink(linkMaker(call)), extraBytes: image.extraBytes };
}

export async function imagePage(call: Call<PageQuery>): Promise<Answer> {
  const { total, items } = known(await call.services.catalogue.images(filterOf(call.query), call.query));
  return { ...listed(call, items), headers: pageHeaders(call, total) };
}

export async function artistImages(call: Call<PageQuery>): Promise<Answer> {
  const filter = { ...filterOf(call.query), artist: call.id };
  const { total, items } = known(await call.services.catalogue.images(filter, call.query));
  const signLink = linkMaker(call);
  const images = items.map((image) => withoutAspectRatio(image.withLink(signLink)));
  return { data: `[${images.join()}]`, headers: pageHeaders(call, total) };
}

export async function randomImages(call: Call<RandomQuery>): Promise<Answer> {
  const { catalogue, randomInt } = call.services;
  const { seed, cursor, limit, categories, match, exclude, artist, character } = call.query;
  const filter = { ...filterOf(call.query), categories, match, exclude, artist, character };
  if (seed !== undefined) return seededImages(call, filter, seed);
  if (cursor !== undefined)
    throw new ApiError(400, 'Invalid cursor: it goes with the seed that it came with.');
  return listed(call, known(await catalogue.randomImages(filter, limit, randomInt)));
}

/** The images of a seed, in its order, and where to go on. */
async function seededImages(call: Call<RandomQuery>, filter: Filter, seed: string): Promise<Answer> {
  const { catalogue, cursors } = call.services;
  const { cursor, limit } = call.query;
  const walk = cursorScope(seed, filter);
  const from = cursor === undefined ? undefined : cursors.read(cursor, walk);
  if (cursor !== undefined && !from)
    throw new ApiError(400, 'Invalid cursor: it is none of ours, or of another seed or other filters.');
  const { images, next } = known(await catalogue.seededImages(filter, seed, from, limit));
  if (next === undefined) return listed(call, images);
  const following = cursors.write(next, walk);
  const headers = { 'X-Next-Cursor': following, Link: pageLink(call, { cursor: following }, 'next') };
  return { ...listed(call, images), headers };
}

function filterOf({ nsfw, orientation }: FilterQuery): ListFilter {
  return { nsfw, orientation };
}

function listed(call: Call<LinkQuery>, images: ImageDocument[]): Answer {
  const signLink = linkMaker(call);
  let data = '[';
  let extraBytes = 0;
  for (const image of images) {
    data += (data.length > 1 ? ',' : '') + image.withLink(signLink);
    extraBytes += image.extraBytes;
  }
  return { data: `${data}]`, extraBytes };
}

/** Makes the links of one answer, which expire together. */
function linkMaker({ services, query, now, origin }: Call<LinkQuery>): SignLink {
  const isExact = query.expiry !== undefined;
  const validity = linkValidity(now, query.expiry ?? services.linkLifetime, isExact);
  return services.links.signer(origin, validity);
}

/** What was found; an error where the filter names something that there is none of. */
function known<Found extends object>(found: Found | FilterProblem): Found {
  if (!('problem' in found)) return found;
  const { problem } = found;
  if (problem === 'position')
    throw new ApiError(
      400,
      'Invalid cursor: the catalogue has outgrown the order that it is of, begin anew.',
    );
  if (typeof problem === 'string') throw new ApiError(404, `${titles[problem]} not found.`);
  const problems = [unknownNames('categories', problem.categories), unknownNames('exclude', problem.exclude)];
  throw new ApiError(400, problems.filter(Boolean).join(' '));
}

function unknownNames(parameter: string, names: string[]): string {
  if (names.length === 0) return '';
  const quoted = names.slice(0, MAX_NAMED).map((name) => JSON.stringify(name));
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  return `Invalid ${parameter}: there is no category ${[...quoted, ...more].join(', ')}.`;
}
