/**
 * The sitemap: an index of parts, for a catalogue of any size, with what everyone may see. Entries are there with a picture rated sfw,
 * and images if they are rated sfw themselves. The images of a part are those with certain numbers, so the parts of older images
 * stay the same.
 */
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { lastingLinks } from '../access/links.ts';
import type { Services } from '../api/endpoint.ts';
import { unwrap } from '../api/images.ts';
import { UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import { type ImageDocument, withoutLink } from '../catalogue/documents/image-document.ts';
import type { Kind, Statistics } from '../catalogue/schemas.ts';
import { type Asset, makeText } from '../http/assets.ts';
import { parseJsonBytes } from '../lib/byte-string.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { formatView, kinds, kindWords } from './address.ts';
import { escapeHtml } from './html.ts';
import type { AnyEntry } from './model.ts';

/** Numbers of images, or entries: few enough that a part costs no more than some pages. */
const PART_SIZE = 1000;
/** Those that an index may have. */
const MAX_PARTS = 50_000;
/** What is read at a time: the catalogue serves other requests between two calls. */
const CHUNK = 50;
/** For compressed parts, in each thread that serves. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

const XML_TYPE = 'application/xml; charset=utf-8';
const START = 'start';
const PICTURES = 'pictures';
const caller = { client: 'sitemap', signal: new AbortController().signal };

/** A page, with the time of its newest picture, and the address of the picture that it is about. */
interface Address {
  path: string;
  changedAt?: string;
  picture?: string;
}

type Source = Pick<Services, 'catalogue' | 'hasLastingLinks' | 'tuning'>;

export class Sitemap {
  readonly #source: Source;
  readonly #partSize: number;
  /** Without the origin, which clients choose by the `Host` that they send. */
  readonly #kept = new LruCache<string, { bytes: number; gzip: Buffer }>(MAX_KEPT_BYTES);
  readonly #running = new Map<string, Promise<string | undefined>>();
  /** The catalogue returns the same object until it changes. */
  #statistics: Statistics | undefined;

  constructor(source: Source, partSize = PART_SIZE) {
    this.#source = source;
    this.#partSize = partSize;
  }

  /** `name` is that of a part; without one, it is the index. Undefined if there is no such part. */
  async read(origin: string, name = ''): Promise<Asset | undefined> {
    const text = await this.#find(name);
    if (text === undefined) return undefined;
    const from = `loc>${escapeHtml(origin)}/`;
    return makeText(
      text.replaceAll('loc>/', () => from),
      XML_TYPE,
    );
  }

  async #find(name: string): Promise<string | undefined> {
    const statistics = await this.#source.catalogue.statistics();
    if (statistics !== this.#statistics) this.#kept.clear();
    this.#statistics = statistics;
    const kept = this.#kept.get(name);
    if (kept) return gunzipSync(kept.gzip).toString();
    // Those who ask meanwhile wait for the same, even if the catalogue changes.
    const running =
      this.#running.get(name) ?? this.#write(name, statistics).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  async #write(name: string, statistics: Statistics): Promise<string | undefined> {
    const text =
      name === ''
        ? formatIndex(await this.#findParts())
        : formatPart(await Array.fromAsync(this.#addressesOf(name)));
    if (text && this.#source.tuning.isCaching) {
      const compressed = await promisify(gzip)(text);
      if (statistics === this.#statistics)
        this.#kept.set(name, { bytes: compressed.length, gzip: compressed });
    }
    return text;
  }

  #addressesOf(name: string): AsyncIterable<Address> | Address[] {
    if (name === START) return [{ path: '/' }, { path: '/newest' }];
    const [, word, digits] = /^([a-z]+)-([1-9][0-9]{0,5})$/.exec(name) ?? [];
    const from = (Number(digits) - 1) * this.#partSize;
    if (word === PICTURES) return this.#pictures(from);
    const kind = kinds.find((kind) => kindWords[kind] === word);
    return kind ? this.#entries(kind, from) : [];
  }

  async #findParts(): Promise<string[]> {
    const parts = [START];
    for (const kind of kinds) {
      const { total } = await this.#source.catalogue.list(kind, { limit: 1, offset: 0 });
      for (let from = 0; from < total && parts.length < MAX_PARTS; from += this.#partSize) {
        const first = await this.#entries(kind, from).next();
        if (!first.done) parts.push(`${kindWords[kind]}-${from / this.#partSize + 1}`);
      }
    }
    const pictures: string[] = [];
    for (let below: number | undefined; parts.length + pictures.length < MAX_PARTS; ) {
      const [newest] = (await this.#latest(below, 1)).images;
      if (!newest) break;
      const part = Math.floor(numberOf(newest) / this.#partSize);
      pictures.unshift(`${PICTURES}-${part + 1}`);
      below = part * this.#partSize;
    }
    return [...parts, ...pictures];
  }

  async #latest(below: number | undefined, limit: number) {
    return unwrap(await this.#source.catalogue.latestImages({ nsfw: ['sfw'] }, below, limit, caller));
  }

  /** Newest first. */
  async *#pictures(from: number): AsyncGenerator<Address, void> {
    const { hasLastingLinks } = this.#source;
    for (let below: number | undefined = from + this.#partSize; below !== undefined; ) {
      const { images, next } = await this.#latest(below, CHUNK);
      for (const document of images) {
        if (numberOf(document) < from) return;
        const { id, title, url, createdAt } = document.toImage(lastingLinks(''), ['details']);
        const path = formatView({ name: 'picture', id, query: {} }, title);
        yield { path, changedAt: createdAt, ...(hasLastingLinks && { picture: url }) };
      }
      below = next;
    }
  }

  /** Those with a cover: the others have no picture that everyone may see. The first ones come after their list. */
  async *#entries(kind: Kind, from: number): AsyncGenerator<Address, void> {
    let isFirst = from === 0;
    const end = from + this.#partSize;
    for (let offset = from; offset < end; offset += CHUNK) {
      const window = { offset, limit: Math.min(CHUNK, end - offset) };
      const { items, total } = await this.#source.catalogue.list(kind, window, true);
      for (const { json, cover } of items) {
        const entry: AnyEntry = parseJsonBytes(json);
        if (!cover || ('nsfw' in entry && entry.nsfw) || entry.id === UNKNOWN_ARTIST.id) continue;
        if (isFirst) yield { path: `/${kindWords[kind]}` };
        isFirst = false;
        const path = formatView({ name: 'entry', kind, id: entry.id, query: {} }, entry.name);
        yield { path, changedAt: cover.toImage(withoutLink).createdAt };
      }
      if (offset + CHUNK >= total) return;
    }
  }
}

const numberOf = ({ number }: ImageDocument) => number as number;

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const IMAGE_SCHEMA = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

function formatIndex(parts: readonly string[]): string {
  const lines = parts.map((name) => `<sitemap><loc>/sitemap/${name}.xml</loc></sitemap>\n`);
  return `${HEAD}<sitemapindex ${SCHEMA}>\n${lines.join('')}</sitemapindex>\n`;
}

function formatPart(addresses: readonly Address[]): string | undefined {
  if (addresses.length === 0) return undefined;
  const lines = addresses.map(({ path, changedAt, picture }) => {
    const time = changedAt ? `<lastmod>${changedAt}</lastmod>` : '';
    const image = picture ? `<image:image><image:loc>${escapeHtml(picture)}</image:loc></image:image>` : '';
    return `<url><loc>${escapeHtml(path)}</loc>${time}${image}</url>\n`;
  });
  return `${HEAD}<urlset ${SCHEMA} ${IMAGE_SCHEMA}>\n${lines.join('')}</urlset>\n`;
}
