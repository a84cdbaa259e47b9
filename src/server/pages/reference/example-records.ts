/** Looks up the records of the examples, at most once a minute. The page does not depend on a catalogue that works. */
import { demoRecords, type ExampleRecords, type Named } from '../../../api/examples.ts';
import type { Services } from '../../../api/services.ts';
import type { Category, Image, Kind } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import type { Caller, Catalogue } from '../../../store/contract/catalogue.ts';

export class RecordCache {
  readonly #services: Services;
  #latest: ExampleRecords | undefined;
  #lookup: Promise<ExampleRecords> | undefined;
  #startedAt = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Only the first visitors wait for a look-up; later ones get the previous result meanwhile. */
  async get(exchange: Exchange): Promise<ExampleRecords> {
    const { clock, tuning } = this.#services;
    const now = clock();
    const isOld = Math.abs(now - this.#startedAt) >= tuning.maxExampleAgeMs;
    if (!this.#lookup && (!this.#latest || isOld)) {
      this.#startedAt = now;
      this.#lookup = this.#find(exchange);
    }
    return this.#latest ?? (this.#lookup as Promise<ExampleRecords>);
  }

  /** Its own caller, because the client that triggers a look-up may disconnect while others wait for it. */
  async #find({ log, id }: Exchange): Promise<ExampleRecords> {
    const caller = { client: 'reference', signal: new AbortController().signal };
    try {
      this.#latest = await findRecords(this.#services.catalogue, caller);
    } catch (error) {
      log.warn({ request: id, ...errorField(error) }, 'no examples from the catalogue');
      this.#latest ??= demoRecords;
    }
    this.#lookup = undefined;
    return this.#latest;
  }
}

/** How many images to choose from. */
const MAX_IMAGES = 25;
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
    category: categories[0] ?? (await firstEntry(catalogue, 'category')) ?? demoRecords.category,
    character: image.characters[0] ?? (await firstEntry(catalogue, 'character')) ?? demoRecords.character,
    categories: categories.slice(0, MAX_CATEGORIES).map(({ name }) => name),
  };
}

async function oldestImages(catalogue: Catalogue, caller: Caller): Promise<Image[]> {
  const found = await catalogue.images({ nsfw: ['sfw'] }, { limit: MAX_IMAGES, offset: 0 }, caller);
  if ('problem' in found) return [];
  const withoutLinks = () => ({ url: '', expires: '' });
  return found.items.map((item) => item.toImage(withoutLinks, ['artist']));
}

/** An image is the better example, the more is known about it. */
function quality({ artist, categories, characters }: Image): number {
  const names = Math.min(categories.filter(isPresentable).length, MAX_CATEGORIES);
  return 2 * names + Math.min(characters.length, 1) + Number(artist !== UNKNOWN_ARTIST.id);
}

function isPresentable({ name, nsfw }: Category): boolean {
  return !nsfw && name.length <= MAX_NAME_LENGTH;
}

async function firstEntry(catalogue: Catalogue, kind: Kind): Promise<Named | undefined> {
  const [entry] = (await catalogue.list(kind, { limit: 1, offset: 0 })).items;
  return entry && JSON.parse(entry.document);
}
