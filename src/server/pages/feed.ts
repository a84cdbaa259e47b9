/**
 * Feeds of the newest images, as Atom and as JSON Feed, with the filters of `/image/latest`. A call of a feed is admitted like
 * a call of the API. Only images rated sfw appear, because a reader cannot blur them.
 */
import { linkValidity } from '../../access/links.ts';
import {
  type Call,
  type Callable,
  keepLatest,
  pageUrl,
  type QueryOf,
  type TaggedResponse,
} from '../../api/endpoint.ts';
import { type LatestPage, readLatest, unwrap } from '../../api/images.ts';
import { cursor, imageFilters, pickParameters } from '../../api/parameters.ts';
import type { Image } from '../../catalogue/schemas.ts';
import { makeTextLater } from '../../http/assets.ts';
import { entityTag } from '../../http/request.ts';
import * as Type from '../../lib/json-schema.ts';
import { shorten as shortenText } from '../../lib/text.ts';
import { categoryNames, choosePicture, shorten, titleOf } from './gallery/discovery.ts';
import { ATOM_TYPE, html, JSON_FEED_TYPE, type Markup } from './html.ts';

/** Most readers load the first page only. */
const PAGE_SIZE = 25;
/** Of the documents of a page: parsing them takes most of the time, and the categories of an image may have long descriptions. */
const MAX_PAGE_BYTES = 200_000;
/** How many artists, and how many characters, the title of a feed names. */
const MAX_NAMES = 3;
/** What an entry shows of a description; the rest is on its page. */
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_PARAGRAPHS = 10;
/** The date of a feed without images: the standard requires one, and it must not change. */
const NEVER = '1970-01-01T00:00:00.000Z';

const include = ['artist', 'thumbnails', 'details'] as const;

export const feedQuery = { ...imageFilters, cursor };
const defaults = Object.fromEntries(
  Object.entries(feedQuery).map(([name, rule]) => [name, (rule as { default?: unknown }).default]),
);
type FeedCall = Call<QueryOf<typeof feedQuery>>;

export const feeds: readonly Callable[] = [
  describeFeed('/feed.xml', ATOM_TYPE, formatAtom),
  describeFeed('/feed.json', JSON_FEED_TYPE, formatJson),
];

function describeFeed(path: string, type: string, format: (feed: Feed) => string): Callable {
  const handle = (call: FeedCall) => makeFeed(call, `${type}; charset=utf-8`, format);
  return { path, access: 'open', query: Type.Object(feedQuery), handle };
}

interface Feed {
  siteName: string;
  title: string;
  /** Of the site, of the first page, of this page, and of the next one. */
  home: string;
  first: string;
  self: string;
  next: string | undefined;
  icon: string;
  entries: Entry[];
}

interface Entry {
  id: string;
  title: string;
  url: string;
  createdAt: string;
  artist: { name: string; url: string };
  categories: string[];
  picture: ReturnType<typeof choosePicture>;
  content: Markup;
}

/**
 * The links to pictures change every few minutes, but a reader that asks again gets a 304 unless images were changed: the tag is
 * that of their version. It also changes twice within the lifetime of links, before those that a reader has expire.
 */
async function makeFeed(
  call: FeedCall,
  type: string,
  format: (feed: Feed) => string,
): Promise<TaggedResponse> {
  const { catalogue, links, previewLifetime } = call.services;
  const { images, cursor } = await readImages(call);
  const feed = await describePage(call, cursor);
  const period = Math.floor(call.now / (previewLifetime * 500));
  const versions = images.map(({ fileName, revision }) => [fileName, revision]);
  const eTag = entityTag(JSON.stringify([period, feed, versions]));
  const make = () =>
    makeTextLater(
      () => {
        const signLink = links.signer(call.origin, linkValidity(call.now, previewLifetime, false));
        const entries = images.map((image) => toEntry(image.toImage(signLink, include), call.origin));
        return format({ ...feed, entries });
      },
      type,
      eTag,
    );
  // Most readers ask for everything.
  const isFiltered = feed.self !== `${call.origin}${call.path}`;
  return { answer: isFiltered ? make() : keepLatest(catalogue, call.path, eTag, make) };
}

/** Those that the gallery shows and never blurs, and the call asks for. */
async function readImages(call: FeedCall): Promise<LatestPage> {
  const { site, catalogue } = call.services;
  const filter = pickParameters(imageFilters, call.query);
  const isWanted = site.ratings.includes('sfw') && (filter.nsfw?.includes('sfw') ?? true);
  if (isWanted) {
    const read = (limit: number) => readLatest(call, { ...filter, nsfw: ['sfw'] }, limit);
    const page = await read(PAGE_SIZE);
    const bytes = page.images.reduce((sum, { size }) => sum + size, 0);
    return bytes <= MAX_PAGE_BYTES ? page : read(Math.ceil((PAGE_SIZE * MAX_PAGE_BYTES) / bytes));
  }
  unwrap((await catalogue.checkFilter(filter)) ?? {});
  return { images: [], cursor: undefined };
}

async function describePage(call: FeedCall, cursor: string | undefined): Promise<Omit<Feed, 'entries'>> {
  const { site, apiRatings } = call.services;
  const { name } = site;
  // Without the operator's default ratings, so that the id of the feed stays when they change.
  const isGiven = ([name, value]: [string, unknown]) => value !== defaults[name] && value !== apiRatings;
  const given = Object.entries(call.query).filter(isGiven);
  const { cursor: _, ...query } = Object.fromEntries(given);
  const first = { ...call, query };
  return {
    siteName: name,
    title: shorten([...(await subjects(call)), name].join(' · ')),
    home: `${call.origin}/`,
    first: pageUrl(first, {}),
    self: pageUrl(first, call.query.cursor === undefined ? {} : { cursor: call.query.cursor }),
    next: cursor && pageUrl(first, { cursor }),
    icon: `${call.origin}/favicon.ico`,
  };
}

/** The names of what the filter selects. */
async function subjects({ services, query }: FeedCall): Promise<string[]> {
  const entries = (['artist', 'character', 'album'] as const).flatMap((kind) =>
    [query[kind] ?? []]
      .flat()
      .slice(0, MAX_NAMES)
      .map((id) => services.catalogue.one(kind, id)),
  );
  const names = (await Promise.all(entries)).map((entry): string => entry && JSON.parse(entry.document).name);
  return [...names, query.categories.join(', ')].filter(Boolean);
}

function toEntry(image: Image, origin: string): Entry {
  const { name = '', url = '' } = image.artistDetails ?? {};
  const page = `${origin}/?image=${image.id}`;
  const picture = choosePicture(image);
  return {
    id: `urn:uuid:${image.id}`,
    title: titleOf(image),
    url: page,
    createdAt: image.createdAt,
    artist: { name: shorten(name), url: URL.parse(url)?.href ?? `${origin}/?artist=${image.artist}` },
    categories: categoryNames(image).map(shorten),
    picture,
    content: html`<p><a href="${page}">${picture ? pictureTag(picture) : titleOf(image)}</a></p>${paragraphsOf(
      image.description ?? '',
    ).map((text) => html`<p>${text}</p>`)}`,
  };
}

/** The beginning of a description, which may have thousands of lines. */
function paragraphsOf(description: string): string[] {
  const lines = shortenText(description, MAX_DESCRIPTION_LENGTH).split('\n');
  const paragraphs = lines.map((line) => line.trim()).filter(Boolean);
  if (paragraphs.length <= MAX_PARAGRAPHS) return paragraphs;
  return [...paragraphs.slice(0, MAX_PARAGRAPHS - 1), `${paragraphs[MAX_PARAGRAPHS - 1]} …`];
}

function pictureTag({ url, width, height, alt }: NonNullable<Entry['picture']>): Markup {
  return html`<img src="${url}" width="${width}" height="${height}" alt="${alt}">`;
}

/** Everything but the characters of XML 1.0. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function formatAtom({ siteName, title, home, first, self, next, icon, entries }: Feed): string {
  const updated = entries.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), NEVER);
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<id>${first}</id>
<title>${title}</title>
<updated>${updated}</updated>
<author><name>${siteName}</name></author>
<icon>${icon}</icon>
<link rel="alternate" type="text/html" href="${home}"/>
<link rel="self" type="${ATOM_TYPE}" href="${self}"/>
${next === undefined ? '' : html`<link rel="next" type="${ATOM_TYPE}" href="${next}"/>\n`}${entries.map(atomEntry)}</feed>
`;
  return feed.text.replaceAll(forbidden, '');
}

function atomEntry({ id, title, url, createdAt, artist, categories, picture, content }: Entry): Markup {
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${url}"/>
<published>${createdAt}</published>
<updated>${createdAt}</updated>
<author><name>${artist.name}</name><uri>${artist.url}</uri></author>
${categories.map((name) => html`<category term="${name}"/>\n`)}${
  picture
    ? html`<media:thumbnail url="${picture.url}" width="${picture.width}" height="${picture.height}"/>\n`
    : ''
}<content type="html">${content.text}</content>
</entry>
`;
}

function formatJson({ title, home, self, next, icon, entries }: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: home,
    feed_url: self,
    next_url: next,
    favicon: icon,
    items: entries.map(({ id, title, url, createdAt, artist, categories, picture, content }) => ({
      id,
      url,
      title,
      content_html: content.text,
      image: picture?.url,
      date_published: createdAt,
      authors: [artist],
      tags: categories,
    })),
  });
}
