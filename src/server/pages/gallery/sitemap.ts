/** The addresses of the gallery for search engines: the lists, and what has a picture that is rated sfw. */

import { setImmediate } from 'node:timers/promises';
import type { Services } from '../../../api/services.ts';
import { withoutLink } from '../../../catalogue/documents/image-document.ts';
import type { Album, Artist, Category, Character, Kind } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import { type Asset, makeText } from '../../../http/assets.ts';
import { escapeHtml } from '../html.ts';

/** A sitemap may have 50,000, but reading so many for each search engine would take too long. */
const MAX_ADDRESSES = 10_000;
const CHUNK = 100;
/** The names of these parameters are in `web/route.ts`. */
const kinds: [Kind, string][] = [
  ['artist', 'artists'],
  ['character', 'characters'],
  ['category', 'categories'],
  ['album', 'albums'],
];

interface Made {
  origin: string;
  asset: Asset;
}

export class Sitemap {
  readonly #services: Services;
  #paths: Promise<string[]> | undefined;
  #startedAt = 0;
  #latest: Made | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Whether it takes little time to get it. */
  isReady(origin: string): boolean {
    return this.#latest?.origin === origin && !this.#isOld();
  }

  async get(origin: string): Promise<Asset> {
    if (this.#latest && this.isReady(origin)) return this.#latest.asset;
    if (!this.#paths || this.#isOld()) {
      this.#startedAt = this.#services.clock();
      this.#paths = findPaths(this.#services);
      this.#paths.catch(() => (this.#paths = undefined));
    }
    // Clients choose the origin, by the `Host` that they send.
    const asset = makeText(formatSitemap(await this.#paths, origin), 'application/xml; charset=utf-8');
    this.#latest = { origin, asset };
    return asset;
  }

  #isOld(): boolean {
    const { clock, tuning } = this.#services;
    return Math.abs(clock() - this.#startedAt) >= tuning.maxSitemapAgeMs;
  }
}

function formatSitemap(paths: readonly string[], origin: string): string {
  const urls = paths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('')}</urlset>
`;
}

async function findPaths(services: Services): Promise<string[]> {
  const paths = ['/', '/?order=newest'];
  for (const [kind, list] of kinds) {
    const found = await findEntries(services, kind, MAX_ADDRESSES - paths.length - 1);
    if (found.length > 0) paths.push(`/?in=${list}`, ...found);
  }
  return [...paths, ...(await findImages(services, MAX_ADDRESSES - paths.length))];
}

/** Only those with a cover: the others have no picture that everyone may see. */
async function findEntries({ catalogue }: Services, kind: Kind, limit: number): Promise<string[]> {
  const paths: string[] = [];
  for (let offset = 0; paths.length < limit; offset += CHUNK) {
    const { items, total } = await catalogue.list(kind, { limit: CHUNK, offset }, true);
    for (const { document, cover } of items) {
      const entry: Artist | Character | Category | Album = JSON.parse(document);
      const isPublic = cover && !('nsfw' in entry && entry.nsfw) && entry.id !== UNKNOWN_ARTIST.id;
      if (isPublic) paths.push(`/?${kind}=${entry.id}`);
    }
    if (offset + CHUNK >= total || offset >= MAX_ADDRESSES) break;
    // Other requests are served meanwhile.
    await setImmediate();
  }
  return paths.slice(0, limit);
}

/** The newest images rated sfw. */
async function findImages({ catalogue }: Services, limit: number): Promise<string[]> {
  const caller = { client: 'sitemap', signal: new AbortController().signal };
  const paths: string[] = [];
  let below: number | undefined;
  while (paths.length < limit) {
    const latest = await catalogue.latestImages({ nsfw: ['sfw'] }, below, CHUNK, caller);
    if ('problem' in latest) break;
    paths.push(...latest.images.map((document) => `/?image=${document.toImage(withoutLink, []).id}`));
    below = latest.next;
    if (below === undefined) break;
    await setImmediate();
  }
  return paths.slice(0, limit);
}
