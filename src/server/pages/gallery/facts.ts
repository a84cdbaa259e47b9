/**
 * What the catalogue has. The page offers no filter and no list that would be of no use: without characters no list of
 * characters, with pictures that are all rated sfw no ratings.
 */
import { setTimeout } from 'node:timers/promises';
import type { Services } from '../../../api/services.ts';
import type { Image, Statistics } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';

export interface Facts {
  /**
   * The names of the ratings and orientations that have images, and of the kinds of entries there are: `many-artists` if
   * they are more than a page shows.
   */
  has: readonly string[];
  /** The newest image rated sfw, without links. */
  newest: Image | undefined;
}

const MAX_WAIT_MS = 500;
/** How many entries a page of the gallery shows. */
const PAGE_SIZE = 25;

/** If the catalogue cannot be read, the page offers everything. */
const unknownFacts: Facts = {
  has: [
    ...['sfw', 'questionable', 'nsfw', 'landscape', 'portrait', 'square'],
    ...['artists', 'characters', 'categories'],
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
    await setTimeout(MAX_WAIT_MS, undefined, { ref: false });
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
  const isUnknown = async () => (await catalogue.one('artist', UNKNOWN_ARTIST.id)) !== undefined;
  const hasArtists = statistics.artists.count > 1 || (statistics.artists.count === 1 && !(await isUnknown()));
  // Its own caller, because the client that triggers a look-up may disconnect while others wait for it.
  const caller = { client: 'gallery', signal: new AbortController().signal };
  const latest = await catalogue.latestImages({ nsfw: ['sfw'] }, undefined, 1, caller);
  const withoutLinks = () => ({ url: '', expires: '' });
  const [newest] = 'problem' in latest ? [] : latest.images;
  return {
    has: namesOf(statistics, hasArtists),
    newest: newest?.toImage(withoutLinks, ['thumbnails', 'details']),
  };
}

function namesOf({ images, artists, characters, categories }: Statistics, hasArtists: boolean): string[] {
  const counts = {
    ...images.nsfw,
    ...images.orientation,
    artists: Number(hasArtists),
    characters: characters.count,
    categories: categories.count,
  };
  const many = { artists: artists.count, characters: characters.count, categories: categories.count };
  return [
    ...Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : [])),
    ...Object.entries(many).flatMap(([name, count]) => (count > PAGE_SIZE ? [`many-${name}`] : [])),
  ];
}

/** By the name of a part of the page, whether it is hidden. */
export function hiddenParts({ has }: Facts): Record<string, boolean> {
  const countOf = (...names: string[]) => names.filter((name) => has.includes(name)).length;
  const parts = {
    ratings: countOf('sfw', 'questionable', 'nsfw') < 2,
    shapes: countOf('landscape', 'portrait', 'square') < 2,
    unblur: countOf('questionable', 'nsfw') === 0,
    artists: countOf('artists') === 0,
    characters: countOf('characters') === 0,
    categories: countOf('categories') === 0,
  };
  return { ...parts, filters: parts.ratings && parts.shapes && parts.unblur };
}
