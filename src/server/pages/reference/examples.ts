/**
 * What the examples of the page show: records of the catalogue, and its real responses to calls about them. Looked up at most
 * once a minute. The page does not depend on a catalogue that works.
 */
import type { Route } from '../../../api/endpoint.ts';
import { demoRecords, type ExampleRecords, type Named } from '../../../api/examples.ts';
import type { Services } from '../../../api/services.ts';
import type { Caller, Catalogue } from '../../../catalogue/catalogue.ts';
import { withoutLink } from '../../../catalogue/documents/image-document.ts';
import type { Category, Image, Kind } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import { readResponses } from './example-responses.ts';

export interface Examples {
  /** The origin of the calls. Anyone can call the service under any name, so the script inserts the one that the reader called. */
  origin: string;
  records: ExampleRecords;
  /** Bodies by path. Those that are missing are the demo's. */
  responses: Record<string, unknown>;
}

export class ExampleCache {
  readonly #services: Services;
  readonly #routes: readonly Route[];
  readonly #prefix: string;
  #latest: Examples | undefined;
  #lookup: Promise<Examples> | undefined;
  #startedAt = 0;

  constructor(services: Services, routes: readonly Route[], prefix: string) {
    this.#services = services;
    this.#routes = routes;
    this.#prefix = prefix;
  }

  /** Only the first visitors wait for a look-up; later ones get the previous result meanwhile. */
  async get(exchange: Exchange): Promise<Examples> {
    const { clock, tuning } = this.#services;
    const now = clock();
    const isOld = Math.abs(now - this.#startedAt) >= tuning.maxExampleAgeMs;
    if (!this.#lookup && (!this.#latest || isOld)) {
      this.#startedAt = now;
      this.#lookup = this.#find(exchange);
    }
    return this.#latest ?? (this.#lookup as Promise<Examples>);
  }

  /** Its own caller, because the client that triggers a look-up may disconnect while others wait for it. */
  async #find({ log, id, request }: Exchange): Promise<Examples> {
    const services = this.#services;
    const caller = { client: 'reference', signal: new AbortController().signal };
    const origin = services.originOf({ headers: {}, socket: request.socket });
    try {
      const records = await findRecords(services.catalogue, caller);
      const call = { services, caller, origin, prefix: this.#prefix };
      this.#latest = { origin, records, responses: await readResponses(this.#routes, records, call) };
    } catch (error) {
      log.warn({ request: id, ...errorField(error) }, 'no examples from the catalogue');
      this.#latest ??= { origin, records: demoRecords, responses: {} };
    }
    this.#lookup = undefined;
    return this.#latest;
  }
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
  return items.map(({ document }): Entry => JSON.parse(document)).find(isWanted);
}
