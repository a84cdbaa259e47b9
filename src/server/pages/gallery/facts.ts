/**
 * What the catalogue has. The page offers no filter and no list that would be of no use: without characters no list of
 * characters, with pictures that are all rated sfw no ratings.
 */

import { setTimeout } from 'node:timers/promises';
import type { Services } from '../../../api/services.ts';
import type { Filter } from '../../../catalogue/catalogue.ts';
import { withoutLink } from '../../../catalogue/documents/image-document.ts';
import type { Image, Statistics } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';

export interface Facts {
  /**
   * The names of the ratings and orientations that have images, `animated` if there are animations, `hd` and `4k` if there are
   * images as large as these screens, and of the kinds of entries there are: `many-artists` if they are more than a page shows.
   */
  has: readonly string[];
  /** The newest image rated sfw, without links. */
  newest: Image | undefined;
}

/** In steps, of which a turn of the event loop ends one at most: while this thread is busy, the catalogue cannot answer. */
const [WAIT_STEPS, WAIT_STEP_MS] = [20, 25];
/** The short sides of screens. Only the newest images are compared with them: looking at all would take long. */
const SCREENS = { hd: 1080, '4k': 2160 };
const SIZE_SAMPLE = 25;
/** How many entries a page of the gallery shows. */
const PAGE_SIZE = 25;

/** If the catalogue cannot be read, the page offers everything. */
const unknownFacts: Facts = {
  has: [
    ...['sfw', 'questionable', 'nsfw', 'landscape', 'portrait', 'square'],
    ...['artists', 'characters', 'categories', 'albums'],
    ...['many-artists', 'many-characters', 'many-categories', 'many-albums'],
    ...['animated', 'hd', '4k'],
  ],
  newest: undefined,
};

/** Looks the facts up for all visitors together, at most once a second. */
export class FactCache {
  readonly #services: Services;
  #latest = unknownFacts;
  #lookup: Promise<Facts> | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(services: Services) {
    this.#services = services;
  }

  get(exchange: Exchange): Promise<Facts> {
    const { clock, tuning } = this.#services;
    if (Math.abs(clock() - this.#endedAt) < tuning.maxFactsAgeMs) return Promise.resolve(this.#latest);
    this.#lookup ??= this.#find(exchange);
    return Promise.race([this.#lookup, this.#latestAfterWait()]);
  }

  /** The page does not wait for a catalogue that does not answer. */
  async #latestAfterWait(): Promise<Facts> {
    for (let step = 0; step < WAIT_STEPS; step++) await setTimeout(WAIT_STEP_MS, undefined, { ref: false });
    return this.#latest;
  }

  async #find({ log, id }: Exchange): Promise<Facts> {
    try {
      this.#latest = await findFacts(this.#services);
    } catch (error) {
      log.warn({ request: id, ...errorField(error) }, 'the gallery does not know what the catalogue has');
    }
    this.#lookup = undefined;
    this.#endedAt = this.#services.clock();
    return this.#latest;
  }
}

/** Takes constant time. */
async function findFacts({ catalogue }: Services): Promise<Facts> {
  const statistics = await catalogue.statistics();
  const { total: albums } = await catalogue.list('album', { limit: 1, offset: 0 });
  const isUnknown = async () => (await catalogue.one('artist', UNKNOWN_ARTIST.id)) !== undefined;
  const hasArtists = statistics.artists.count > 1 || (statistics.artists.count === 1 && !(await isUnknown()));
  // Its own caller, because the client that triggers a look-up may disconnect while others wait for it.
  const caller = { client: 'gallery', signal: new AbortController().signal };
  const findNewest = async (filter: Filter, limit: number) => {
    const found = await catalogue.latestImages(filter, undefined, limit, caller);
    const images = 'problem' in found ? [] : found.images;
    return images.map((image) => image.toImage(withoutLink, ['thumbnails', 'details']));
  };
  const [[newest], animations, sample] = await Promise.all([
    findNewest({ nsfw: ['sfw'] }, 1),
    findNewest({ animated: true }, 1),
    findNewest({}, SIZE_SAMPLE),
  ]);
  const sizes = sample.map(({ meta: { dimens } }) => shortSide(dimens));
  const has = [
    ...namesOf(statistics, hasArtists, albums),
    ...(animations.length > 0 ? ['animated'] : []),
    ...Object.entries(SCREENS).flatMap(([name, size]) =>
      sizes.some((other) => other >= size) ? [name] : [],
    ),
  ];
  return { has, newest };
}

const shortSide = ({ width, height }: { width: number; height: number }) => Math.min(width, height);

function namesOf(
  { images, artists, characters, categories }: Statistics,
  hasArtists: boolean,
  albums: number,
): string[] {
  const entries = {
    artists: artists.count,
    characters: characters.count,
    categories: categories.count,
    albums,
  };
  const counts = { ...images.nsfw, ...images.orientation, ...entries, artists: Number(hasArtists) };
  return [
    ...Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : [])),
    ...Object.entries(entries).flatMap(([name, count]) => (count > PAGE_SIZE ? [`many-${name}`] : [])),
  ];
}

/** By the name of a part of the page, whether it is hidden. */
export function hiddenParts({ has }: Facts): Record<string, boolean> {
  const countOf = (...names: string[]) => names.filter((name) => has.includes(name)).length;
  const parts = {
    ratings: countOf('sfw', 'questionable', 'nsfw') < 2,
    shapes: countOf('landscape', 'portrait', 'square') < 2,
    unblur: countOf('questionable', 'nsfw') === 0,
    motion: countOf('animated') === 0,
    sizes: countOf('hd') === 0,
    large: countOf('4k') === 0,
    artists: countOf('artists') === 0,
    characters: countOf('characters') === 0,
    categories: countOf('categories') === 0,
    albums: countOf('albums') === 0,
  };
  const { ratings, shapes, motion, sizes, unblur } = parts;
  return { ...parts, filters: ratings && shapes && motion && sizes && unblur };
}
