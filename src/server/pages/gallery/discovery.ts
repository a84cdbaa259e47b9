/**
 * The preview of the page that a link to the gallery shows: an image, or an artist, character, category or album with its
 * cover. Only images rated sfw appear, because a preview cannot blur them.
 */
import { linkValidity } from '../../../access/links.ts';
import { readUuid } from '../../../api/query.ts';
import type { Services } from '../../../api/services.ts';
import type { SignLink } from '../../../catalogue/documents/image-document.ts';
import type { Album, Artist, Category, Character, Image, Kind } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import type { RawQuery } from '../../../http/query-string.ts';
import { ATOM_TYPE, html, JSON_FEED_TYPE, type Markup } from '../html.ts';

/** What a link to the gallery is about. The id is undefined if it is not a UUID. */
export interface Subject {
  kind: Kind | 'image';
  id: string | undefined;
}

/** `blurred` must not be shown, `missing` does not exist. */
export type Found = Preview | 'blurred' | 'missing';

/** The names of parameters in `web/route.ts`. An open image covers the view behind it. */
const kinds = ['image', 'artist', 'character', 'category', 'album'] as const;
/** What most sites show is up to this wide. */
const PICTURE_SIZE = 1200;
/** Crawlers reject larger files. */
const MAX_PICTURE_BYTES = 5_000_000;
const MAX_TEXT_LENGTH = 200;

const lists = new Intl.ListFormat('en');
const numbers = new Intl.NumberFormat('en');

/** Undefined if the page is about nothing in particular. */
export function readSubject(query: RawQuery): Subject | undefined {
  for (const kind of kinds) {
    const [text] = [query.get(kind) ?? ''].flat();
    if (text) return { kind, id: readUuid(text) };
  }
  return undefined;
}

export async function findPreview(services: Services, { kind, id }: Subject, origin: string): Promise<Found> {
  if (id === undefined) return 'missing';
  const { links, previewLifetime, clock } = services;
  const signLink = links.signer(origin, linkValidity(clock(), previewLifetime, false));
  const found = await (kind === 'image'
    ? previewImage(services, id, signLink)
    : previewEntry(services, kind, id, signLink));
  if (typeof found === 'string') return found;
  const { id: current, ...preview } = found;
  return { ...preview, url: `${origin}/?${kind}=${current}` };
}

/** The start page shows the newest picture, by an address that does not expire. */
export function previewStart(newest: Image | undefined, origin: string, prefix: string): Start {
  const picture = newest && choosePicture(newest);
  const url = `${origin}${prefix}/image/${newest?.id}/file?width=${picture?.width}`;
  return { url: `${origin}/`, picture: picture && { ...picture, url } };
}

/** The id is the current one: that of the link may be of an entry that was merged. */
type FoundRecord = (Omit<Preview, 'url'> & { id: string }) | 'blurred' | 'missing';

async function previewImage({ catalogue }: Services, id: string, signLink: SignLink): Promise<FoundRecord> {
  const document = await catalogue.image(id);
  if (!document) return 'missing';
  const image = document.toImage(signLink, ['artist', 'thumbnails', 'details']);
  if (image.nsfw !== 'sfw') return 'blurred';
  const { width, height } = image.meta.dimens;
  const artist = image.artist === UNKNOWN_ARTIST.id ? '' : ` by ${image.artistDetails?.name}`;
  return {
    id,
    title: shorten(titleOf(image) + artist),
    description: shorten(
      image.description || [...categoryNames(image), `${width} × ${height} pixels`].join(' · '),
    ),
    picture: choosePicture(image),
    feedFilter: '',
  };
}

async function previewEntry(
  { catalogue }: Services,
  kind: Kind,
  id: string,
  signLink: SignLink,
): Promise<FoundRecord> {
  const entry = await catalogue.one(kind, id, true);
  if (!entry) return 'missing';
  const record: Artist | Character | Category | Album = JSON.parse(entry.document);
  if ('nsfw' in record && record.nsfw) return 'blurred';
  const { id: current, name } = record;
  const count = `${numbers.format(entry.images)} ${entry.images === 1 ? 'image' : 'images'}`;
  const filter = kind === 'category' ? `categories=${encodeURIComponent(name)}` : `${kind}=${current}`;
  const relation = { artist: 'by', character: 'of', category: 'in', album: 'in' }[kind];
  return {
    id: current,
    title: shorten(name),
    description: shorten(('description' in record && record.description) || `${count} ${relation} ${name}`),
    picture: entry.cover && choosePicture(entry.cover.toImage(signLink, ['thumbnails'])),
    feedFilter: `?${filter}`,
  };
}

/** The smallest version that is large enough, or else the largest. */
export function choosePicture(image: Image): Picture | undefined {
  const { thumbnails = [], dimens, mimetype, size } = image.meta;
  const original = { url: image.url, width: dimens.width, height: dimens.height, mimetype };
  const versions = [...thumbnails, ...(size <= MAX_PICTURE_BYTES ? [original] : [])];
  const isLarge = ({ width, height }: { width: number; height: number }) =>
    Math.max(width, height) >= PICTURE_SIZE;
  const chosen = versions.find(isLarge) ?? versions.at(-1);
  return chosen && { ...chosen, alt: describe(image) };
}

/** The same text as in the gallery, without names of categories that are not for everyone. */
function describe(image: Image): string {
  const parts = [image.title, characterNames(image), categoryNames(image).join(', ')].filter(Boolean);
  return shorten(parts.join(': ') || 'Image without a description');
}

/** As in the gallery, but without names of categories that are not for everyone. Never empty. */
export function titleOf(image: Image): string {
  const texts = [image.title ?? '', characterNames(image), lists.format(categoryNames(image))];
  return texts.map(shorten).find(Boolean) ?? 'Image';
}

function characterNames({ characters }: Image): string {
  return lists.format(characters.map(({ name }) => name));
}

export function categoryNames({ categories }: Image): string[] {
  return categories.flatMap(({ name, nsfw }) => (nsfw ? [] : [name]));
}

/** On one line. Control characters, and those that change the direction of the text around them, become spaces. */
export function shorten(text: string): string {
  const line = text.slice(0, 2000).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ');
  const letters = [...line.trim()];
  return letters.length <= MAX_TEXT_LENGTH
    ? letters.join('')
    : `${letters.slice(0, MAX_TEXT_LENGTH - 1).join('')}…`;
}

interface Start {
  /** Of the page, absolute. */
  url: string;
  picture: Picture | undefined;
}

interface Preview extends Start {
  title: string;
  description: string;
  /** The query of the feed with the newest images of the subject; empty for that of the whole site. */
  feedFilter: string;
}

interface Picture {
  /** Absolute, for crawlers. */
  url: string;
  width: number;
  height: number;
  mimetype: string;
  alt: string;
}

/**
 * What search engines, link previews and feed readers read: the title, the description, the tags of Open Graph and Twitter, and
 * links to feeds. Without a preview, they tell nothing but the name of the site.
 */
export function headTags(siteName: string, preview?: Preview, start?: Start): Markup {
  const { title, description, feedFilter } = preview ?? {
    title: siteName,
    description: 'Browse an image catalogue.',
    feedFilter: '',
  };
  const { url, picture } = preview ?? start ?? {};
  const feedTitle = feedFilter ? `${title} · ${siteName}` : siteName;
  return html`<title>${preview ? `${title} · ${siteName}` : title}</title>
<meta name="description" content="${description}">
<meta property="og:site_name" content="${siteName}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url ? html`<meta property="og:url" content="${url}">\n` : ''}<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">
<link rel="alternate" type="${ATOM_TYPE}" title="${feedTitle}" href="/feed.xml${feedFilter}">
<link rel="alternate" type="${JSON_FEED_TYPE}" title="${feedTitle}" href="/feed.json${feedFilter}">
${picture ? pictureTags(picture) : ''}`;
}

function pictureTags({ url, width, height, mimetype, alt }: Picture): Markup {
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="${mimetype}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${alt}">
`;
}
