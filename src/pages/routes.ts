/**
 * The pages of the site: path to view, view to model, model to HTML. Pages that depend on the catalogue only are kept finished until
 * it changes.
 */
import { linkValidity } from '../access/links.ts';
import { RequestCaller } from '../api/call.ts';
import { pictureLinks, type Services } from '../api/endpoint.ts';
import type { Statistics } from '../catalogue/schemas.ts';
import { type Asset, makeText, sendAsset } from '../http/assets.ts';
import { ApiError, type Exchange } from '../http/exchange.ts';
import { errorField } from '../http/logger.ts';
import { prefersHtml } from '../http/request.ts';
import { decodePath, type Handler } from '../http/server.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { Unavailable } from '../lib/metrics.ts';
import { formatView, isPlain, kindWords, newAddress, parseView, type View } from './address.ts';
import { assetReader, drawnIcon, sendFile, sendIcon } from './assets.ts';
import { describe, headTags } from './head.ts';
import { admitPage, HTML_TYPE, html, scriptPolicy } from './html.ts';
import { layout, problemContent } from './layout.ts';
import { type Facts, type Model, readFacts, readModel, type Source } from './model.ts';
import { siteFiles } from './site-files.ts';
import { content } from './templates.ts';
import { texts } from './texts.ts';

/** For finished pages, in each thread that serves. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** Of eight letters and digits. */
const SEED_RANGE = 36 ** 8;

interface Kept {
  /** What is in the links of the page, and when they expire. */
  origin: string;
  expires: number;
  asset: Asset;
  bytes: number;
}

/** Handlers by path. */
export function pageRoutes(
  services: Services,
  bases: readonly string[],
  sendNotFound: (exchange: Exchange) => void,
): Record<string, Handler> {
  const pages = new Pages(services);
  const show: Handler = (exchange) => pages.send(exchange);
  const { assets } = pages;
  const sendAssetFile = async (exchange: Exchange, name: string) => {
    const file = (await assets()).files.get(name);
    return file ? sendFile(exchange, file) : sendNotFound(exchange);
  };
  const words = Object.values(kindWords);
  return {
    ...Object.fromEntries(
      words.flatMap((word) => [
        [`/${word}`, show],
        [`/${word}/{path*}`, show],
      ]),
    ),
    '/newest': show,
    '/search': show,
    '/pictures/{path*}': show,
    '/': show,
    '/gallery/{name}': sendAssetFile,
    '/gallery/client/{name}': (exchange, name) => sendAssetFile(exchange, `client/${name}`),
    '/favicon.ico': async (exchange) => sendIcon(exchange, await assets()),
    ...siteFiles(services, bases, async () => drawnIcon(await assets())),
  };
}

class Pages {
  readonly assets;
  readonly #services: Services;
  readonly #kept = new LruCache<string, Kept>(MAX_KEPT_BYTES);
  /** The catalogue returns the same object until it changes. */
  #statistics: Statistics | undefined;
  #facts: Promise<Facts> | undefined;
  #policy: { origin: string; headers: Record<string, string> } | undefined;

  constructor(services: Services) {
    this.assets = assetReader(services.site);
    this.#services = services;
  }

  async send(exchange: Exchange): Promise<void> {
    if (!admitPage(this.#services, exchange)) return;
    exchange.headers(this.#policyFor(exchange));
    try {
      await this.#sendView(exchange);
    } catch (error) {
      await this.#sendProblem(exchange, error);
    }
  }

  /** Only the latest is kept: clients choose the origin in it. */
  #policyFor({ request }: Exchange): Record<string, string> {
    const origin = this.#services.originOf(request);
    if (this.#policy?.origin !== origin)
      this.#policy = { origin, headers: scriptPolicy(this.#services, request, true) };
    return this.#policy.headers;
  }

  async #sendView(exchange: Exchange): Promise<void> {
    const path = decodePath(exchange.path);
    const moved = path === '/' ? newAddress(exchange.query) : undefined;
    if (moved !== undefined) return redirect(exchange, moved, { 'Cache-Control': 'public, max-age=86400' });
    const view = parseView(path, exchange.query);
    if (!view) throw new ApiError(404, texts.missingLead);
    const { catalogue, tuning } = this.#services;
    const source = this.#sourceOf(exchange);
    const { origin, expires } = source;
    const statistics = await catalogue.statistics();
    const key = isKept(view) ? formatView(view) : '';
    const kept = statistics === this.#statistics && tuning.isCaching ? this.#kept.get(key) : undefined;
    if (kept?.origin === origin && kept.expires === expires) return sendAsset(exchange, kept.asset);
    const facts = await this.#readFacts(source, statistics);
    const model = await readModel(source, view);
    // Not cached: undoing the merge brings the entry back.
    if ('movedTo' in model) return redirect(exchange, model.movedTo, { 'Cache-Control': 'no-store' });
    const page = await this.#write(model, facts, origin);
    if (key === '' || isEmpty(model)) {
      exchange.header('Cache-Control', 'no-cache');
      return exchange.sendCompressed(200, Buffer.from(page), HTML_TYPE);
    }
    const asset = makeText(page, HTML_TYPE);
    // One page for each address: clients choose the origin, by the `Host` that they send.
    if (statistics === this.#statistics)
      this.#kept.set(key, { origin, expires, asset, bytes: 2 * asset.bytes.length });
    return sendAsset(exchange, asset);
  }

  #sourceOf(exchange: Exchange): Source & { origin: string; expires: number } {
    const { originOf, clock, previewLifetime, randomInt, hasLastingLinks } = this.#services;
    const origin = originOf(exchange.request);
    return {
      services: this.#services,
      caller: new RequestCaller(this.#services, exchange),
      signLink: pictureLinks(this.#services, hasLastingLinks ? '' : origin),
      newSeed: () => randomInt(SEED_RANGE).toString(36),
      origin,
      expires: hasLastingLinks ? Infinity : linkValidity(clock(), previewLifetime, false).expires,
    };
  }

  /** Read once for each version of the catalogue. */
  #readFacts(source: Source, statistics: Statistics): Promise<Facts> {
    if (statistics !== this.#statistics || !this.#facts || !this.#services.tuning.isCaching) {
      this.#kept.clear();
      this.#statistics = statistics;
      // Its own caller, because the client that triggers a look-up may disconnect while others wait for it.
      const caller = { client: 'pages', signal: new AbortController().signal };
      this.#facts = readFacts({ ...source, caller }, statistics);
      this.#facts.catch(() => (this.#facts = undefined));
    }
    return this.#facts;
  }

  async #write(model: Model, facts: Facts, origin: string): Promise<string> {
    const { site } = this.#services;
    const description = describe(model, facts, site, origin);
    const head = headTags(model, description, site, origin);
    const main = content(model, { description, facts });
    return layout(await this.#frame(facts), head, main, model.view);
  }

  async #frame(facts?: Facts) {
    const { addressOf } = await this.assets();
    return { site: this.#services.site, addressOf, kinds: facts?.kinds };
  }

  async #sendProblem(exchange: Exchange, error: unknown): Promise<void> {
    const isOurs = error instanceof ApiError || error instanceof Unavailable;
    // For a program, or without an explanation, it is the error that the API would send.
    if (!isOurs || exchange.response.headersSent || !prefersHtml(exchange.request.headers.accept))
      throw error;
    const status = error instanceof ApiError ? error.status : 503;
    const { log, id } = exchange;
    if (status === 503) log.warn({ request: id, ...errorField(error) }, 'page unavailable');
    const [title, lead] =
      status === 404
        ? [texts.missing, texts.missingLead]
        : status === 503
          ? [texts.unavailable, (error as Unavailable).advice ?? texts.unavailableLead]
          : [texts.invalid, error.message];
    const head = html`<title>${title} · ${this.#services.site.name}</title>
<meta name="robots" content="noindex">`;
    const page = layout(await this.#frame(), head, problemContent(title, lead));
    exchange.headers({
      'Cache-Control': 'no-store',
      ...(error instanceof ApiError ? error.headers : { 'Retry-After': (error as Unavailable).retryAfter }),
    });
    exchange.sendCompressed(status, Buffer.from(page), HTML_TYPE);
  }
}

/** Those of which there are not many more than entries and images. */
function isKept(view: View): boolean {
  if (view.name === 'random' || view.name === 'search') return false;
  return view.name === 'list' ? view.query.search === undefined : isPlain(view);
}

/** Any number of addresses have nothing to show. */
function isEmpty(model: Model): boolean {
  if (model.name === 'picture') return false;
  return (model.name === 'entries' ? model.entries : model.images).length === 0;
}

function redirect(exchange: Exchange, location: string, headers: Record<string, string>): void {
  exchange.headers({ ...headers, Location: location, 'Content-Length': '0' });
  exchange.sendHead(301);
}
