/** Sends image files to clients with a valid link, and a page to people whose link is not. */
import type { IncomingMessage } from 'node:http';
import { parseFileLink } from '../../access/links.ts';
import { RequestCaller } from '../../api/call.ts';
import type { Services } from '../../api/endpoint.ts';
import type { FileFacts } from '../../catalogue/catalogue.ts';
import { THUMBNAIL_TYPE, thumbnailKey } from '../../catalogue/documents/document.ts';
import { ApiError, type Exchange } from '../../http/exchange.ts';
import { matchesETag, prefersHtml } from '../../http/request.ts';
import { messagePage, sendMessagePage } from './html.ts';

/** Of the UUID that the verified name begins with. */
const ID_LENGTH = 36;

export async function sendFile(services: Services, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const link = parseFileLink(`${exchange.path}?${exchange.search}`);
  const now = services.clock();
  const verdict = link ? services.fileLinks.verify(link, now) : 'invalid';
  if (!link || verdict === 'invalid') return refuseLink(services, exchange);
  const [id, size] = parseName(link.fileName);
  if (verdict === 'expired') return refuseLink(services, exchange, id);

  const image = await services.catalogue.file(id);
  if (!image) throw new ApiError(404, 'Image not found.');
  const facts = size === undefined ? image : thumbnailFacts(image, size);
  const eTag = `"${facts.eTag}"`;
  const secondsLeft = Math.floor(link.expires - now / 1000);
  const headers = { ETag: eTag, 'Cache-Control': `public, max-age=${secondsLeft}`, 'Accept-Ranges': 'bytes' };
  if (matchesETag(request.headers['if-none-match'], eTag)) {
    exchange.headers(headers);
    return exchange.sendHead(304);
  }

  // A client may disconnect at any time; do not open a file for nobody.
  if (request.socket.destroyed) return;
  let file = await services.files.open(facts.key);
  if (!file && size !== undefined) {
    const { signal } = new RequestCaller(services, exchange);
    const recorded = (await services.catalogue.image(id))?.previews();
    if (recorded?.sizes.includes(size)) file = await services.thumbnails.make(image.key, size, signal);
  }
  if (!file) {
    exchange.log.error({ request: exchange.id, image: id, key: facts.key }, 'image file missing');
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
    exchange.headers({ 'Content-Type': facts.mimetype, 'Content-Length': String(end - start + 1) });
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
  exchange.vary('Accept');
  if (!prefersHtml(exchange.request.headers.accept))
    throw new ApiError(status, `The link ${problem}: ask the API for a new one.`);
  const image = isExpired && (await catalogue.file(expiredId));
  const lead = image
    ? 'Links to files work for a limited time. The picture is still in the gallery.'
    : 'Links to files work for a limited time, and only as they were given out.';
  const links = [
    ...(image ? [{ href: `/?image=${expiredId}`, text: 'Show the picture' }] : []),
    { href: '/', text: 'Open the gallery' },
  ];
  const page = messagePage(site, { status, title: `This link ${problem}`, lead, links });
  sendMessagePage(exchange, status, page);
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
