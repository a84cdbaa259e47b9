/** Sends image files: by lasting addresses, and by links that expire, with a page for people whose link has. */
import type { IncomingMessage } from 'node:http';
import { linkValidity, parseFileLink, parsePictureAddress, pictureAddress } from '../../access/links.ts';
import { RequestCaller } from '../../api/call.ts';
import type { Services } from '../../api/endpoint.ts';
import { THUMBNAIL_TYPE, thumbnailKey } from '../../catalogue/documents/document.ts';
import type { FileFacts, ImageDocument } from '../../catalogue/documents/image-document.ts';
import { ApiError, type Exchange } from '../../http/exchange.ts';
import { matchesETag, prefersHtml } from '../../http/request.ts';
import { pictureFileName } from '../../pages/address.ts';
import { messagePage, sendRefusal } from '../../pages/html.ts';

/** The verified name begins with a UUID. */
const ID_LENGTH = 36;

export async function sendFile(services: Services, exchange: Exchange): Promise<void> {
  const link = parseFileLink(`${exchange.path}?${exchange.search}`);
  const now = services.clock();
  const verdict = link ? services.fileLinks.verify(link, now) : 'invalid';
  if (!link || verdict === 'invalid') return refuseLink(services, exchange);
  const [id, size] = parseName(link.fileName);
  if (verdict === 'expired') return refuseLink(services, exchange, id);

  const image = await services.catalogue.image(id);
  if (!image) throw new ApiError(404, 'Image not found.');
  const secondsLeft = Math.floor(link.expires - now / 1000);
  return sendBytes(services, exchange, { image, size, caching: `public, max-age=${secondsLeft}` });
}

const DAY = 86_400;
/** Browsers keep a picture for a day; the caches that they share forget one that was taken down within an hour. */
const MAX_SHARED_AGE = 3600;
/** A browser that follows a cached redirect to a bucket for a day then has a day left. */
const BUCKET_LINK_LIFETIME = 2 * DAY;

/**
 * A picture at its lasting address. With another version, as in a page from before the file was replaced, the client is sent to the
 * current one, and no cache keeps that. So a cache has at most two copies of a file, and never the old file for the new version.
 */
export async function sendPicture(
  services: Services,
  exchange: Exchange,
  sendNotFound: (exchange: Exchange) => void,
): Promise<void> {
  const { catalogue, hasLastingLinks, links, fileLinks, clock } = services;
  const { path, search, request } = exchange;
  const isExact = hasLastingLinks && !request.url?.endsWith('?');
  const address = isExact ? parsePictureAddress(path, search) : undefined;
  const image = address && (await catalogue.image(address.id));
  const file = image?.fileOf(address?.size);
  if (!image || file?.fileName !== address?.fileName) return sendNotFound(exchange);
  const current = pictureAddress(file);
  if (search !== '' && `${path}?${search}` !== current)
    return exchange.redirect(302, current, { 'Cache-Control': 'no-store' });
  if (links === fileLinks) {
    const caching = `public, max-age=${DAY}, s-maxage=${MAX_SHARED_AGE}`;
    return sendBytes(services, exchange, { image, size: address.size, caching });
  }
  // The bucket sends its files itself.
  const now = clock();
  const sign = links.signer('', linkValidity(now, BUCKET_LINK_LIFETIME, false));
  const { url, expires } = sign(file);
  const age = Math.max(0, Math.floor((Date.parse(expires) - now) / 2000));
  const caching = `public, max-age=${Math.min(DAY, age)}, s-maxage=${Math.min(MAX_SHARED_AGE, age)}`;
  exchange.redirect(302, url, { 'Cache-Control': caching });
}

interface SentFile {
  image: ImageDocument;
  /** Of a thumbnail. */
  size: number | undefined;
  caching: string;
}

async function sendBytes(
  services: Services,
  exchange: Exchange,
  { image, size, caching }: SentFile,
): Promise<void> {
  const { request } = exchange;
  const original = image.facts();
  const facts = size === undefined ? original : thumbnailFacts(original, size);
  const eTag = `"${facts.eTag}"`;
  const headers = { ETag: eTag, 'Cache-Control': caching, 'Accept-Ranges': 'bytes' };
  if (matchesETag(request.headers['if-none-match'], eTag)) {
    exchange.headers(headers);
    return exchange.sendHead(304);
  }

  // A client may disconnect at any time; do not open a file for nobody.
  if (request.socket.destroyed) return;
  let file = await services.files.open(facts.key);
  if (!file && size !== undefined) {
    const { signal } = new RequestCaller(services, exchange);
    if (image.previews()?.sizes.includes(size))
      file = await services.thumbnails.make(original.key, size, signal);
  }
  if (!file) {
    exchange.log.error({ request: exchange.id, image: image.id, key: facts.key }, 'image file missing');
    throw new ApiError(404, 'The file of this image is missing.');
  }
  const range = parseRange(request, eTag, file.size);
  if (range === 'unsatisfiable') {
    await file.close();
    throw new ApiError(416, 'The range lies outside the file.', { 'Content-Range': `bytes */${file.size}` });
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const addHeaders = () => {
    exchange.headers(headers);
    if (range) exchange.header('Content-Range', `bytes ${start}-${end}/${file.size}`);
    exchange.headers({
      'Content-Type': facts.mimetype,
      'Content-Length': String(end - start + 1),
      'Content-Disposition': inlineAs(pictureFileName(image.title(), image.id, facts.mimetype, size)),
    });
  };
  if (request.method === 'HEAD' || file.size === 0) {
    await file.close();
    addHeaders();
    return exchange.sendHead(200);
  }
  await exchange.stream(range ? 206 : 200, file.stream(start, end), addHeaders);
}

/**
 * An error, or a page for a person who opens the link. `expiredId` is given if the link was valid once: only then the page may
 * tell whether its image exists.
 */
async function refuseLink(
  { catalogue, site }: Services,
  exchange: Exchange,
  expiredId?: string,
): Promise<void> {
  const isExpired = expiredId !== undefined;
  const status = isExpired ? 410 : 403;
  const problem = isExpired ? 'has expired' : 'is not valid';
  const error = new ApiError(status, `The link ${problem}: ask the API for a new one.`);
  const hasPage = prefersHtml(exchange.request.headers.accept);
  const image = hasPage && isExpired && (await catalogue.image(expiredId));
  const lead = image
    ? 'Links to files work for a limited time. The picture is still in the gallery.'
    : 'Links to files work for a limited time, and only as they were given out.';
  const links = [
    ...(image ? [{ href: `/pictures/${expiredId}`, text: 'Show the picture' }] : []),
    { href: '/', text: 'Open the gallery' },
  ];
  const title = `This link ${problem}`;
  sendRefusal(exchange, error, () => messagePage(site, { status, title, lead, links }));
}

/** Shows the picture, and saves it under this name (RFC 6266), which has letters, digits, hyphens and a dot only. */
function inlineAs(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^\w.-]+/g, '_');
  if (ascii === name) return `inline; filename="${name}"`;
  return `inline; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

/** The id of the image and, for a thumbnail, its size. */
function parseName(name: string): [id: string, size?: number] {
  const end = name.indexOf('.');
  const id = name.slice(0, ID_LENGTH);
  return end === ID_LENGTH ? [id] : [id, Number(name.slice(ID_LENGTH + 1, end))];
}

/** The entity tag follows from that of the original, so it changes with the bytes of the image. */
function thumbnailFacts({ key, eTag }: FileFacts, size: number): FileFacts {
  return { key: thumbnailKey(key, size), eTag: `${eTag}-${size}`, mimetype: THUMBNAIL_TYPE };
}

/** Parses a single range. For several ranges, or an invalid one, RFC 9110 allows the whole file, and that is sent. */
function parseRange(
  { method, headers }: IncomingMessage,
  eTag: string,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  if (method !== 'GET') return undefined;
  const { range = '', 'if-range': ifRange } = headers;
  const [, first, last] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (ifRange !== undefined && ifRange !== eTag) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  return start > end ? 'unsatisfiable' : { start, end };
}
