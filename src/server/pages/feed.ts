/**
 * Feeds of the newest images, as Atom and as JSON Feed, with the filters of `/image/latest`. A call of a feed is admitted like
 * a call of the API. Without `nsfw`, only images rated sfw appear, because a reader cannot blur the others.
 */

import {
  type Call,
  type Callable,
  keepLatest,
  pageUrl,
  pictureLinks,
  type QueryOf,
  type TaggedResponse,
} from '../../api/endpoint.ts';
import { type CursorPage, readLatest } from '../../api/images.ts';
import { cursor, embedFilters, pickParameters, withStrict } from '../../api/parameters.ts';
import type { Image } from '../../catalogue/schemas.ts';
import { makeTextLater } from '../../http/assets.ts';
import { entityTag } from '../../http/request.ts';
import { parseJsonBytes } from '../../lib/byte-string.ts';
import * as Type from '../../lib/json-schema.ts';
import { type Licence, readLicence } from '../../lib/licence.ts';
import { shorten as shortenText } from '../../lib/text.ts';
import { formatView } from '../../pages/address.ts';
import { artistPath, type Picture, pictureOf } from '../../pages/head.ts';
import { ATOM_TYPE, html, JSON_FEED_TYPE, type Markup } from '../../pages/html.ts';
import { categoryNames, shorten, titleOf } from '../../pages/texts.ts';

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

export const feedQuery = { ...embedFilters, cursor };
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
  return { path, access: 'open', query: withStrict(Type.Object(feedQuery)), handle };
}

type Feed = Awaited<ReturnType<typeof describePage>> & { entries: Entry[] };
type Entry = ReturnType<typeof toEntry>;

/**
 * A reader that asks again gets a 304 unless images were changed: the tag is that of their version. If links expire, it also
 * changes twice within their lifetime, before those that a reader has do.
 */
async function makeFeed(
  call: FeedCall,
  type: string,
  format: (feed: Feed) => string,
): Promise<TaggedResponse> {
  const { catalogue, hasLastingLinks, previewLifetime, site } = call.services;
  const { images, cursor } = await readImages(call);
  const feed = await describePage(call, cursor);
  const period = hasLastingLinks ? 0 : Math.floor(call.now / (previewLifetime * 500));
  const versions = images.map(({ fileName, revision }) => [fileName, revision]);
  const eTag = entityTag(JSON.stringify([period, feed, versions]));
  const make = () =>
    makeTextLater(
      () => {
        const signLink = pictureLinks(call.services, call.origin);
        const entries = images.map((image) => toEntry(image.toImage(signLink, include, site), call.origin));
        return format({ ...feed, entries });
      },
      type,
      eTag,
    );
  // Most readers ask for everything.
  const isFiltered = feed.self !== `${call.origin}${call.path}`;
  return { answer: isFiltered ? make() : keepLatest(catalogue, call.path, eTag, make) };
}

async function readImages(call: FeedCall): Promise<CursorPage> {
  const filter = pickParameters(embedFilters, call.query);
  const page = await readLatest(call, filter, PAGE_SIZE);
  const bytes = page.images.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MAX_PAGE_BYTES) return page;
  return readLatest(call, filter, Math.ceil((PAGE_SIZE * MAX_PAGE_BYTES) / bytes));
}

/** Everything but the entries. */
async function describePage(call: FeedCall, cursor: string | undefined) {
  const { name, licence = '' } = call.services.site;
  const isGiven = ([name, value]: [string, unknown]) => value !== defaults[name];
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
    /** Of the images that neither state a licence nor have an artist who does. */
    licence: describeLicence(readLicence(licence)),
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
  const names = (await Promise.all(entries)).map((entry): string => entry && parseJsonBytes(entry.json).name);
  return [...names, query.categories.join(', ')].filter(Boolean);
}

function toEntry(image: Image, origin: string) {
  const { name = '', url = '' } = image.artistDetails ?? {};
  const page = origin + formatView({ name: 'picture', id: image.id, query: {} }, image.title);
  const picture = pictureOf(image);
  const { licence = { name: '', url: '' }, credit = '' } = image;
  return {
    id: `urn:uuid:${image.id}`,
    title: titleOf(image),
    url: page,
    createdAt: image.createdAt,
    artist: {
      name: shorten(name),
      url: URL.parse(url)?.href ?? origin + artistPath(image, name),
    },
    categories: categoryNames(image).map(shorten),
    picture,
    /** The original. */
    file: { url: image.url, type: image.meta.mimetype, size: image.meta.size },
    rights: { licence, credit },
    content: html`<p><a href="${page}">${picture ? pictureTag(picture) : titleOf(image)}</a></p>${paragraphsOf(
      image.description ?? '',
    ).map((text) => html`<p>${text}</p>`)}${rightsParagraph(licence, credit)}`,
  };
}

const describeLicence = ({ name, url }: Licence) => [name, url].filter(Boolean).join(' ');

function rightsParagraph({ name, url }: Licence, credit: string): Markup {
  const licence = url ? html`<a rel="license" href="${url}">${name || url}</a>` : html`${name}`;
  if (!credit && !licence.text) return html``;
  return html`<p>${credit}${credit && licence.text ? ' · ' : ''}${licence}</p>`;
}

/** The beginning of a description, which may have thousands of lines. */
function paragraphsOf(description: string): string[] {
  const lines = shortenText(description, MAX_DESCRIPTION_LENGTH).split('\n');
  const paragraphs = lines.map((line) => line.trim()).filter(Boolean);
  if (paragraphs.length <= MAX_PARAGRAPHS) return paragraphs;
  return [...paragraphs.slice(0, MAX_PARAGRAPHS - 1), `${paragraphs[MAX_PARAGRAPHS - 1]} …`];
}

function pictureTag({ url, width, height, alt }: Picture): Markup {
  return html`<img src="${url}" width="${width}" height="${height}" alt="${alt}">`;
}

/** Everything but the characters of XML 1.0. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function formatAtom(page: Feed): string {
  const { siteName, title, home, first, self, next, icon, licence, entries } = page;
  const updated = entries.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), NEVER);
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<id>${first}</id>
<title>${title}</title>
<updated>${updated}</updated>
<author><name>${siteName}</name></author>
<icon>${icon}</icon>
${licence && html`<rights>${licence}</rights>\n`}<link rel="alternate" type="text/html" href="${home}"/>
<link rel="self" type="${ATOM_TYPE}" href="${self}"/>
${next === undefined ? '' : html`<link rel="next" type="${ATOM_TYPE}" href="${next}"/>\n`}${entries.map(atomEntry)}</feed>
`;
  return feed.text.replaceAll(forbidden, '');
}

function atomEntry({
  id,
  title,
  url,
  createdAt,
  artist,
  categories,
  picture,
  file,
  rights,
  content,
}: Entry): Markup {
  const { licence, credit } = rights;
  const stated = [credit, describeLicence(licence)].filter(Boolean).join(' · ');
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${url}"/>
<link rel="enclosure" type="${file.type}" length="${file.size}" href="${file.url}"/>
<published>${createdAt}</published>
<updated>${createdAt}</updated>
<author><name>${artist.name}</name><uri>${artist.url}</uri></author>
${categories.map((name) => html`<category term="${name}"/>\n`)}${stated && html`<rights>${stated}</rights>\n`}${
  licence.url && html`<link rel="license" href="${licence.url}"/>\n`
}${
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
    items: entries.map(
      ({ id, title, url, createdAt, artist, categories, picture, file, rights, content }) => ({
        id,
        url,
        title,
        content_html: content.text,
        image: picture?.url,
        date_published: createdAt,
        authors: [artist],
        tags: categories,
        attachments: [{ url: file.url, mime_type: file.type, size_in_bytes: file.size }],
        _rights: rights,
      }),
    ),
  });
}
