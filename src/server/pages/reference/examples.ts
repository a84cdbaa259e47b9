/**
 * What the examples of the page show: records of the catalogue, and its real responses to calls about them. Looked up at most
 * once a minute. The page does not depend on a catalogue that works.
 */
import type { LinkSigner } from '../../../access/links.ts';
import type { Call, Response, Route, Services } from '../../../api/endpoint.ts';
import { demoRecords, type ExampleRecords, type Named } from '../../../api/examples.ts';
import { readQuery } from '../../../api/parameters.ts';
import type { Caller, Catalogue } from '../../../catalogue/catalogue.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/documents/document.ts';
import { withoutLink } from '../../../catalogue/documents/image-document.ts';
import type { Category, Image, Kind } from '../../../catalogue/schemas.ts';
import { ApiError, type Exchange, successBody } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import { fromByteString, parseJsonBytes } from '../../../lib/byte-string.ts';
import { shorten } from '../../../lib/text.ts';

// The responses of this catalogue to the example calls, shortened, and without what is not safe for everyone.

const HOUR_MS = 3_600_000;

/**
 * By path. Without redirects and what is about a token. The same images are drawn each time and links expire at the same
 * time for an hour, so that the page hardly changes unless the catalogue does.
 */
async function readResponses(
  routes: readonly Route[],
  records: ExampleRecords,
  { services, ...rest }: Pick<Call<never>, 'services' | 'caller' | 'origin' | 'prefix'>,
): Promise<Record<string, unknown>> {
  const steady = { ...services, randomInt: () => 0, links: shortLinks(services.links) };
  const now = Math.floor(services.clock() / HOUR_MS) * HOUR_MS;
  const responses: Record<string, unknown> = {};
  for (const route of routes) {
    if (!route.data || route.access === 'token') continue;
    const { id = '', query = {} } = route.example.call?.(records) ?? {};
    const values = readQuery(route.query, new Map(Object.entries(query)));
    const call = { ...rest, services: steady, now, id, query: values as never, path: route.path };
    const body = await readBody(route, { ...call, token: undefined });
    if (body) responses[route.path] = body;
  }
  return responses;
}

/** Undefined if there is nothing to show: an error, such as for a record of the demo, or a response without records. */
async function readBody(route: Route, call: Call<never>): Promise<unknown> {
  try {
    const response = await route.handle(call);
    const text = textOf(response);
    if (text === undefined) return undefined;
    const body = present(JSON.parse(text));
    const { data: shown } = body as { data?: unknown };
    return shown === undefined || (Array.isArray(shown) && shown.length === 0) ? undefined : body;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Undefined for a redirect. */
function textOf(response: Response): string | undefined {
  if ('answer' in response) {
    const { bytes } = response.answer;
    return typeof bytes === 'string' ? fromByteString(bytes) : bytes.toString();
  }
  return 'data' in response ? fromByteString(successBody(response.data)) : undefined;
}

/** Without the signatures: nobody can use them for long, and they are most of the text. */
function shortLinks(links: LinkSigner): LinkSigner {
  return {
    maxLifetime: links.maxLifetime,
    signer(...options) {
      const signLink = links.signer(...options);
      return (file) => {
        const link = signLink(file);
        return { ...link, url: link.url.replace(/\?.*/, '?...') };
      };
    },
  };
}

const MAX_TEXT_LENGTH = 160;
const MAX_SHOWN_RECORDS = 3;
const MAX_VALUES = 50;

/** Undefined for a record that is for adults. Others are shown without those in them, and with shorter texts and lists. */
function present(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value, MAX_TEXT_LENGTH);
  if (Array.isArray(value)) {
    const isOfRecords = typeof value[0] === 'object';
    return value
      .map(present)
      .filter((item) => item !== undefined)
      .slice(0, isOfRecords ? MAX_SHOWN_RECORDS : MAX_VALUES);
  }
  if (typeof value !== 'object' || value === null) return value;
  if ('nsfw' in value && [true, 'nsfw', 'questionable'].includes(value.nsfw as string)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, present(part)]));
}

export interface Examples {
  /** The origin of the calls. Anyone can call the service under any name, so the script inserts the one that the reader called. */
  origin: string;
  records: ExampleRecords;
  /** Bodies by path. Those that are missing are the demo's. */
  responses: Record<string, unknown>;
}

export function exampleReader(services: Services, routes: readonly Route[], prefix: string) {
  let latest: Examples | undefined;
  let lookup: Promise<Examples> | undefined;
  let startedAt = 0;

  /** Its own caller, because the client that triggers a look-up may disconnect while others wait for it. */
  async function find({ log, id, request }: Exchange): Promise<Examples> {
    const caller = { client: 'reference', signal: new AbortController().signal };
    const origin = services.originOf({ headers: {}, socket: request.socket });
    try {
      const records = await findRecords(services.catalogue, caller);
      const call = { services, caller, origin, prefix };
      latest = { origin, records, responses: await readResponses(routes, records, call) };
    } catch (error) {
      log.warn({ request: id, ...errorField(error) }, 'no examples from the catalogue');
      latest ??= { origin, records: demoRecords, responses: {} };
    }
    lookup = undefined;
    return latest;
  }

  /** Only the first visitors wait for a look-up; later ones get the previous result meanwhile. */
  return async (exchange: Exchange): Promise<Examples> => {
    const now = services.clock();
    const isOld = Math.abs(now - startedAt) >= services.tuning.maxExampleAgeMs;
    if (!lookup && (!latest || isOld)) {
      startedAt = now;
      lookup = find(exchange);
    }
    return latest ?? (lookup as Promise<Examples>);
  };
}

/** How many records to choose from. */
const MAX_RECORDS = 25;
const MAX_CATEGORIES = 2;
const MAX_NAME_LENGTH = 30;

/**
 * Chooses records of this catalogue. They belong to its oldest images, because these change the least. What the catalogue
 * lacks is taken from the demo.
 */
async function findRecords(catalogue: Catalogue, caller: Caller): Promise<ExampleRecords> {
  const images = await oldestImages(catalogue, caller);
  const [image] = images.toSorted((one, other) => quality(other) - quality(one));
  if (!image) return demoRecords;
  const categories = image.categories.filter(isPresentable);
  return {
    image: { id: image.id },
    artist: image.artistDetails ?? demoRecords.artist,
    category:
      categories[0] ??
      (await findEntry<Category>(catalogue, 'category', isPresentable)) ??
      demoRecords.category,
    character: image.characters[0] ?? (await findEntry(catalogue, 'character')) ?? demoRecords.character,
    album: (await findEntry(catalogue, 'album')) ?? demoRecords.album,
    categories: categories.slice(0, MAX_CATEGORIES).map(({ name }) => name),
  };
}

async function oldestImages(catalogue: Catalogue, caller: Caller): Promise<Image[]> {
  const found = await catalogue.images({ nsfw: ['sfw'] }, { limit: MAX_RECORDS, offset: 0 }, caller);
  if ('problem' in found) return [];
  return found.items.map((item) => item.toImage(withoutLink, ['artist']));
}

/** An image is the better example, the more is known about it. */
function quality({ artist, categories, characters }: Image): number {
  const names = Math.min(categories.filter(isPresentable).length, MAX_CATEGORIES);
  return 2 * names + Math.min(characters.length, 1) + Number(artist !== UNKNOWN_ARTIST.id);
}

function isPresentable({ name, nsfw }: Category): boolean {
  return !nsfw && name.length <= MAX_NAME_LENGTH;
}

async function findEntry<Entry extends Named>(
  catalogue: Catalogue,
  kind: Kind,
  isWanted: (entry: Entry) => boolean = () => true,
): Promise<Entry | undefined> {
  const { items } = await catalogue.list(kind, { limit: MAX_RECORDS, offset: 0 });
  return items.map(({ json }): Entry => parseJsonBytes(json)).find(isWanted);
}
