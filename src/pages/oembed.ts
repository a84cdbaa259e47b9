/** oEmbed: a picture for a page of another site, which cannot blur it. So only a parameter of the call itself chooses another rating. */
import { pictureLinks, type Services } from '../api/endpoint.ts';
import { embedFilters, readQuery } from '../api/parameters.ts';
import type { Image } from '../catalogue/schemas.ts';
import { makeText, sendAsset } from '../http/assets.ts';
import { ApiError, type Exchange, JSON_TYPE } from '../http/exchange.ts';
import { decodePath } from '../http/server.ts';
import * as Type from '../lib/json-schema.ts';
import { formatView, parseView } from './address.ts';
import { hasArtist } from './head.ts';
import { admitPage } from './html.ts';
import { titleOf } from './texts.ts';

/** Without a limit: what fits in most pages. */
const DEFAULT_SIZE = 1600;
/** In seconds: a picture that was taken down disappears from other sites soon. */
const MAX_AGE = 3600;

const size = Type.Optional(Type.Integer({ minimum: 1 }));
const schema = Type.Object({
  url: Type.Optional(Type.String()),
  maxwidth: size,
  maxheight: size,
  format: Type.Optional(Type.String()),
  nsfw: embedFilters.nsfw,
});

export async function sendEmbed(services: Services, exchange: Exchange): Promise<void> {
  if (!admitPage(services, exchange)) return;
  const query = readQuery(schema, exchange.query);
  if ((query.format ?? 'json') !== 'json') throw new ApiError(501, 'There is only format=json.');
  if (!query.url) throw new ApiError(400, 'Missing url: the address of the page of a picture.');
  const origin = services.originOf(exchange.request);
  const id = readAddress(query.url, origin);
  const document = id && (await services.catalogue.image(id));
  if (!document || !query.nsfw.includes(document.rating)) throw new ApiError(404, NOT_FOUND);
  const { site, hasLastingLinks, previewLifetime } = services;
  const image = document.toImage(pictureLinks(services, origin), ['artist', 'thumbnails', 'details'], site);
  const answer = {
    version: '1.0',
    type: 'photo',
    ...describePhoto(image, query),
    ...describeMaker(image, origin),
    provider_name: site.name,
    provider_url: origin,
    cache_age: hasLastingLinks ? MAX_AGE : Math.min(MAX_AGE, Math.floor(previewLifetime / 2)),
  };
  await sendAsset(exchange, makeText(JSON.stringify(answer), JSON_TYPE));
}

const NOT_FOUND = 'No picture with this url, or its rating is not in nsfw, which is sfw by default.';

/** The id of the picture whose page is at this address. */
function readAddress(text: string, origin: string): string | undefined {
  const url = URL.parse(text);
  const view = url?.origin === origin ? parseView(decodePath(url.pathname), new Map()) : undefined;
  return view?.name === 'picture' ? view.id : undefined;
}

/** The largest version within the limits, or else the smallest one, to be shown smaller. */
function describePhoto(image: Image, limits: { maxwidth?: number; maxheight?: number }): object {
  const { thumbnails = [], dimens } = image.meta;
  const isLimited = limits.maxwidth !== undefined || limits.maxheight !== undefined;
  const { maxwidth = Infinity, maxheight = Infinity } = isLimited
    ? limits
    : { maxwidth: DEFAULT_SIZE, maxheight: DEFAULT_SIZE };
  const original = { url: image.url, width: dimens.width, height: dimens.height };
  const scaleFor = ({ width, height }: typeof original) => Math.min(1, maxwidth / width, maxheight / height);
  const [smallest = original] = thumbnails;
  const chosen = [...thumbnails, original].findLast((version) => scaleFor(version) === 1) ?? smallest;
  const scaled = (length: number) => Math.max(1, Math.floor(length * scaleFor(chosen)));
  return {
    url: chosen.url,
    width: scaled(chosen.width),
    height: scaled(chosen.height),
    thumbnail_url: smallest.url,
    thumbnail_width: smallest.width,
    thumbnail_height: smallest.height,
  };
}

/** Fields that are undefined are left out. Those of the licence are common, but not in the standard. */
function describeMaker(image: Image, origin: string): object {
  const { artist, artistDetails, licence, credit } = image;
  const name = hasArtist(image) ? artistDetails?.name : undefined;
  const page = origin + formatView({ name: 'entry', kind: 'artist', id: artist, query: {} }, name);
  return {
    title: titleOf(image),
    author_name: name || credit || undefined,
    author_url: name && (artistDetails?.url || page),
    license: licence?.name || undefined,
    license_url: licence?.url || undefined,
  };
}
