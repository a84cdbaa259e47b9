/**
 * What search engines, link previews and feed readers read of a page. Only images rated sfw appear, because none of these can
 * blur. A page that is one of very many, or that shows what a visitor chose to see, is not for search engines.
 */
import type { Site } from '../api/endpoint.ts';
import { UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import type { Image, Rating } from '../catalogue/schemas.ts';
import { shorten as shortenText } from '../lib/text.ts';
import { type EntryView, firstPage, formatView, isPlain, kindWords, type View } from './address.ts';
import { ATOM_TYPE, html, JSON_FEED_TYPE, jsonScript, type Markup } from './html.ts';
import type { Cover, Entry, Facts, Model, PictureModel } from './model.ts';
import { altOf, categoryNames, shorten, texts, titleOf } from './texts.ts';

/** What most sites show is up to this wide. */
const PICTURE_SIZE = 1200;
/** Search engines and tabs show little more. */
const MAX_TITLE_LENGTH = 60;
/** Crawlers reject larger files. */
const MAX_PICTURE_BYTES = 5_000_000;

/** What the head and the heading of a page say. */
export interface Description {
  title: string;
  text: string;
  /** Absolute; without one, the page is not for search engines. */
  canonical: string | undefined;
  /** From the start page to this one. */
  trail: { name: string; path: string }[];
  picture: Picture | undefined;
  /** The query of the feed with the newest images of the page; empty for that of the whole site. */
  feedFilter: string;
}

export interface Picture {
  url: string;
  width: number;
  height: number;
  mimetype: string;
  alt: string;
}

/** The smallest version that is large enough, or else the largest. */
export function choosePicture({ url, meta }: Cover, alt: string): Picture | undefined {
  const { thumbnails = [], dimens, mimetype, size } = meta;
  const original = { url, width: dimens.width, height: dimens.height, mimetype };
  // Few programs that show previews know AVIF.
  const isUnderstood = mimetype !== 'image/avif' || thumbnails.length === 0;
  const versions = [...thumbnails, ...(size <= MAX_PICTURE_BYTES && isUnderstood ? [original] : [])];
  const isLarge = ({ width, height }: { width: number; height: number }) =>
    Math.max(width, height) >= PICTURE_SIZE;
  const chosen = versions.find(isLarge) ?? versions.at(-1);
  return chosen && { ...chosen, alt };
}

export const pictureOf = (image: Image) => choosePicture(image, altOf(image));

export const isShown = (rating: Rating, chosen: readonly Rating[]): boolean =>
  rating === 'sfw' || chosen.includes(rating);

export function describe(model: Model, facts: Facts, site: Site, origin: string): Description {
  const described = describeModel(model, facts, site);
  const isFound = isPublic(model);
  return { ...described, canonical: isFound ? origin + canonicalPath(model) : undefined };
}

/** The address without what may be left out, and with the name of what is shown. */
export function canonicalPath(model: Model): string {
  const { view } = model;
  if (model.name === 'picture') return formatView({ ...view, query: {} } as View, pictureName(model));
  return formatView(view, entryOf(model)?.record.name);
}

const pictureName = ({ image }: PictureModel) => image.title ?? '';

export const entryOf = (model: Model): Entry | undefined => ('entry' in model ? model.entry : undefined);

/** Lists continue on pages of their own; filters and seeds make too many. */
function isPublic(model: Model): boolean {
  const { view } = model;
  if (model.name === 'picture') return model.image.nsfw === 'sfw' && view.query.nsfw === undefined;
  if (model.name === 'entries') return view.query.search === undefined && view.query.sort === undefined;
  const record = entryOf(model)?.record;
  const isForEveryone = !(record && 'nsfw' in record && record.nsfw);
  return isForEveryone && view.name !== 'search' && view.query.seed === undefined && isPlain(view);
}

type Described = Omit<Description, 'canonical'>;

function describeModel(model: Model, facts: Facts, site: Site): Described {
  const start = { name: site.name, path: '/' };
  const { view } = model;
  if (model.name === 'picture') return describePicture(model, start);
  if (view.name === 'list' && model.name === 'entries') {
    const title = texts.kinds(view.kind);
    const text = texts.listDescription(view.kind, model.total, site.name);
    const trail = [start, { name: title, path: formatView(firstPage(view)) }];
    return { title, text, trail, picture: undefined, feedFilter: '' };
  }
  const entry = entryOf(model);
  if (entry && view.name === 'entry') return describeEntry(entry, view, start);
  const isStart = view.name === 'random' && isPlain(view);
  const title = isStart ? site.name : imagesTitle(view, model.name === 'images' ? model.named : []);
  const text = isStart
    ? site.description || texts.siteDescription(site.name, facts.images)
    : texts.newestDescription(site.name);
  const trail = isStart ? [start] : [start, { name: title, path: formatView(firstPage(view)) }];
  return { title, text, trail, picture: facts.newest && pictureOf(facts.newest), feedFilter: '' };
}

/** What the filters of a page select. */
export function imagesTitle(
  { name, query }: View,
  named: readonly { field: keyof typeof texts.named; name: string }[],
): string {
  if (name === 'search') return query.q ? texts.found(query.q) : texts.search;
  const { q, categories = [], exclude = [], match } = query;
  const parts = [
    q === undefined ? '' : texts.found(q),
    texts.matching(categories, match === 'any'),
    ...exclude.map(texts.not),
    ...named.map((entry) => `${texts.named[entry.field]} ${entry.name}`),
  ].filter(Boolean);
  if (parts.length > 0) return parts.join(' ');
  return name === 'newest' ? texts.newest : texts.random;
}

function describeEntry(
  { kind, record, images, cover }: Entry,
  view: EntryView,
  start: { name: string; path: string },
): Described {
  const name = shorten(record.name);
  const isForEveryone = !('nsfw' in record && record.nsfw);
  const ownText = 'description' in record && isForEveryone ? record.description : '';
  return {
    title: name,
    text: shorten(ownText || texts.entryDescription(kind, name, images)),
    trail: [
      start,
      { name: texts.kinds(kind), path: `/${kindWords[kind]}` },
      { name, path: formatView(firstPage(view), record.name) },
    ],
    picture: cover && isForEveryone ? choosePicture(cover, name) : undefined,
    feedFilter: isForEveryone ? feedFilter({ kind, record }) : '',
  };
}

/** The query of the feed with the newest images of an entry. */
export function feedFilter({ kind, record }: Pick<Entry, 'kind' | 'record'>): string {
  return kind === 'category' ? `?categories=${encodeURIComponent(record.name)}` : `?${kind}=${record.id}`;
}

function describePicture(model: PictureModel, start: { name: string; path: string }): Described {
  const { image, view, chosen, album } = model;
  const none = { picture: undefined, feedFilter: '' };
  const path = formatView(view);
  if (!isShown(image.nsfw, chosen))
    return {
      ...none,
      title: texts.picture,
      text: texts.blurredPicture(image.nsfw),
      trail: [start, { name: texts.picture, path }],
    };
  const { width, height } = image.meta.dimens;
  const title = titleOf(image);
  const artist = shorten(artistName(image));
  const middle = album
    ? { name: shorten(album.record.name), path: formatView(entryView(album), album.record.name) }
    : artist && { name: artist, path: artistPath(image, artist) };
  return {
    title: artist ? shorten(texts.by(title, artist)) : title,
    text: shorten(image.description || [...categoryNames(image), texts.pixels(width, height)].join(' · ')),
    trail: [start, ...(middle ? [middle] : []), { name: title, path }],
    picture: image.nsfw === 'sfw' ? pictureOf(image) : undefined,
    feedFilter: '',
  };
}

export const hasArtist = ({ artist }: Image): boolean => artist !== UNKNOWN_ARTIST.id;

/** Empty if it is not known. */
export const artistName = (image: Image): string =>
  hasArtist(image) ? (image.artistDetails?.name ?? '') : '';

export const artistPath = ({ artist }: Image, name: string): string =>
  formatView({ name: 'entry', kind: 'artist', id: artist, query: {} }, name);

export function entryView({ kind, record }: Pick<Entry, 'kind' | 'record'>): EntryView {
  return { name: 'entry', kind, id: record.id, query: {} };
}

/** `next` and `previous` are the pages of a list. */
export function headTags(model: Model, description: Description, site: Site, origin: string): Markup {
  const { title, text, canonical, picture, feedFilter } = description;
  const isStart = title === site.name;
  const feedTitle = feedFilter ? `${title} · ${site.name}` : site.name;
  const preview =
    canonical === undefined ? undefined : picture && { ...picture, url: new URL(picture.url, origin).href };
  return html`<title>${isStart ? title : `${shortenText(title, MAX_TITLE_LENGTH)} · ${site.name}`}</title>
<meta name="description" content="${text}">
${canonical === undefined ? html`<meta name="robots" content="noindex">\n` : html`<link rel="canonical" href="${canonical}">\n<meta property="og:url" content="${canonical}">\n`}<meta property="og:site_name" content="${site.name}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${text}">
<meta name="twitter:card" content="${preview ? 'summary_large_image' : 'summary'}">
${preview ? pictureTags(preview) : ''}${model.name === 'picture' && canonical ? embedLink(origin, canonical, title) : ''}${model.name === 'picture' ? '' : pageLinks(model)}<link rel="alternate" type="${ATOM_TYPE}" title="${feedTitle}" href="/feed.xml${feedFilter}">
<link rel="alternate" type="${JSON_FEED_TYPE}" title="${feedTitle}" href="/feed.json${feedFilter}">
${canonical === undefined ? '' : structuredData(model, description, origin)}`;
}

function pageLinks({ previous, next }: Pick<Model, 'previous' | 'next'>): Markup[] {
  const link = (rel: string, view: View | undefined) =>
    view ? [html`<link rel="${rel}" href="${formatView(view)}">\n`] : [];
  return [...link('prev', previous), ...link('next', next)];
}

function embedLink(origin: string, page: string, title: string): Markup {
  const address = `${origin}/oembed?url=${encodeURIComponent(page)}`;
  return html`<link rel="alternate" type="application/json+oembed" title="${title}" href="${address}">\n`;
}

function pictureTags({ url, width, height, mimetype, alt }: Picture): Markup {
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="${mimetype}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${alt}">
`;
}

function structuredData(model: Model, { trail, canonical = '' }: Description, origin: string): Markup {
  const breadcrumbs = {
    '@type': 'BreadcrumbList',
    itemListElement: trail.map(({ name, path }, index) => {
      return { '@type': 'ListItem', position: index + 1, name, item: origin + path };
    }),
  };
  const graph = [
    ...(model.name === 'picture' ? [imageObject(model.image, canonical, origin)] : []),
    ...(trail.length > 1 ? [breadcrumbs] : []),
  ];
  return graph.length > 0 ? jsonScript({ '@context': 'https://schema.org', '@graph': graph }) : html``;
}

/** As Google names it for images that can be licensed. Fields that are undefined are left out. */
function imageObject(image: Image, page: string, origin: string): object {
  const { url, artistDetails, description, createdAt, meta, licence, credit } = image;
  const { dimens, mimetype, thumbnails = [] } = meta;
  const absolute = (address: string) => new URL(address, origin).href;
  const name = artistName(image);
  const creator = name ? { '@type': 'Person', name, url: artistDetails?.url || undefined } : undefined;
  return {
    '@type': 'ImageObject',
    contentUrl: absolute(url),
    thumbnailUrl: thumbnails[0] && absolute(thumbnails[0].url),
    url: page,
    name: titleOf(image),
    description: description || undefined,
    width: dimens.width,
    height: dimens.height,
    encodingFormat: mimetype,
    uploadDate: createdAt,
    isFamilyFriendly: true,
    creator,
    creditText: credit || creator?.name,
    copyrightNotice: credit || creator?.name,
    license: licence?.url || undefined,
    acquireLicensePage: page,
  };
}
