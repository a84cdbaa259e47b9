/**
 * Serves the gallery. Its page is the same for everyone, except for links that are about something in particular: their
 * preview is looked up in the catalogue. A client that asks for too many gets the page without one.
 */

import type { Services } from '../../../api/services.ts';
import { type Asset, makeAsset, sendAsset, sendOnce, sendVersioned } from '../../../http/assets.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import { HTML_TYPE, scriptPolicy } from '../policy.ts';
import { type GalleryFiles, readGalleryFiles } from './files.ts';
import { headTags } from './head.ts';
import { type Found, findPreview, readSubject, type Subject } from './preview.ts';

/** A logo may be an SVG with scripts. They do not run in the gallery, and with this not when the file is opened. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/** Its address has no version. */
const ICON_CACHING = 'public, max-age=86400';

interface Loaded extends GalleryFiles {
  neutralPage: Asset;
}

export class Gallery {
  readonly #services: Services;
  readonly #prefix: string;
  readonly #notFound: (exchange: Exchange) => void;
  #loaded: Promise<Loaded> | undefined;

  /** The page calls the API under this prefix: empty if the API is at the root. */
  constructor(services: Services, prefix: string, notFound: (exchange: Exchange) => void) {
    this.#services = services;
    this.#prefix = prefix;
    this.#notFound = notFound;
  }

  /** Prepared at the first visit, because it would slow down the start. A failure is not cached. */
  #load(): Promise<Loaded> {
    this.#loaded ??= load(this.#prefix, this.#services).catch((error) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async sendFile(exchange: Exchange, name: string): Promise<void> {
    const asset = (await this.#load()).assets.get(name);
    if (!asset) return this.#notFound(exchange);
    restrictScripts(exchange, asset);
    await sendVersioned(exchange, asset);
  }

  /** At the address that browsers try for pages without a link to an icon, such as JSON. */
  async sendIcon(exchange: Exchange): Promise<void> {
    const { icon } = await this.#load();
    restrictScripts(exchange, icon);
    await sendAsset(exchange, icon, { cacheControl: ICON_CACHING });
  }

  async sendPage(exchange: Exchange): Promise<void> {
    const { page, neutralPage } = await this.#load();
    const subject = readSubject(exchange.query);
    const found = subject && (await this.#find(exchange, subject));
    exchange.headers(scriptPolicy(this.#services, exchange.request));
    if (found === undefined || found === 'blurred') return sendAsset(exchange, neutralPage);
    if (found === 'missing') return sendAsset(exchange, neutralPage, { status: 404 });
    sendOnce(exchange, page(headTags(this.#services.site.name, found)), HTML_TYPE);
  }

  /** Undefined if the catalogue may not or cannot be asked. The gallery then shows what is wrong. */
  async #find(exchange: Exchange, subject: Subject): Promise<Found | undefined> {
    const { limiter, isInExemptNetwork, clientOf, previewLookups, originOf } = this.#services;
    const { request, log, id } = exchange;
    const isLimited = limiter && !isInExemptNetwork(request);
    if (isLimited && !previewLookups.take(clientOf(request))) return undefined;
    try {
      return await findPreview(this.#services, subject, originOf(request));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      log.warn({ request: id, ...errorField(error) }, 'no preview');
      return undefined;
    }
  }
}

function restrictScripts(exchange: Exchange, { type }: Asset): void {
  if (type === 'image/svg+xml') exchange.header('Content-Security-Policy', FILE_POLICY);
}

async function load(prefix: string, { site }: Services): Promise<Loaded> {
  const files = await readGalleryFiles(prefix, site);
  return { ...files, neutralPage: makeAsset(files.page(headTags(site.name)), HTML_TYPE) };
}
