/** Pictures in HTML: which files of an image a page offers, and what is in their place until one has loaded. */
import type { Image, Rating } from '../catalogue/schemas.ts';
import { formatView, type Query } from './address.ts';
import { isShown } from './head.ts';
import { html, Markup } from './html.ts';
import type { Cover } from './model.ts';
import { altOf, texts } from './texts.ts';

interface Source {
  url: string;
  width: number;
}

/** Larger originals load where the visitor asks for them. */
const MAX_PIXELS = 4_000_000;
const MAX_BYTES_IN_GRID = 500_000;
const MAX_BYTES_ON_PAGE = 3_000_000;

/** Thumbnails are stills, so nothing moves in a grid unless there are none. An image of which it is not known may be an animation. */
export const gridSources = (image: Cover) =>
  listSources(image, image.meta.animated === false, MAX_BYTES_IN_GRID);
export const pageSources = (image: Image) => listSources(image, true, MAX_BYTES_ON_PAGE);

/** An image has no thumbnails if it is small, or if the service makes none. */
function listSources({ url, meta }: Cover, mayBeOriginal: boolean, maxBytes: number): Source[] {
  const { thumbnails = [], size, dimens } = meta;
  const isSmall = size <= maxBytes && dimens.width * dimens.height <= MAX_PIXELS;
  const original = { url, width: dimens.width };
  return (mayBeOriginal && isSmall) || thumbnails.length === 0 ? [...thumbnails, original] : thumbnails;
}

interface PictureOptions {
  alt: string;
  sizes: string;
  /** Among the first of the page, which load at once. */
  isEarly: boolean;
}

export function pictureTag(
  image: Cover,
  sources: readonly Source[],
  { alt, sizes, isEarly }: PictureOptions,
): Markup {
  const { width, height } = image.meta.dimens;
  const [smallest] = sources;
  const list = sources.map((source) => `${source.url} ${source.width}w`).join(', ');
  return html`<img src="${smallest?.url ?? ''}"${sources.length > 1 ? html` srcset="${list}" sizes="${sizes}"` : ''} width="${width}" height="${height}" alt="${alt}"${isEarly ? EARLY : LATE}>`;
}

const EARLY = new Markup(' decoding="async"');
const LATE = new Markup(' loading="lazy" decoding="async"');

/** Images outside these ratios (width / height) are cropped, because a panorama would get a thin row for itself. */
const [MIN_RATIO, MAX_RATIO] = [0.45, 2.6];
/** The stylesheet has a class for each twentieth. */
const RATIO_STEPS = 20;

const ratioClass = (ratio: number) =>
  Math.round(Math.min(MAX_RATIO, Math.max(MIN_RATIO, ratio)) * RATIO_STEPS);

/** An inline style would need `unsafe-inline` in the Content-Security-Policy. */
export function ratioStyles(): string {
  const [first, last] = [ratioClass(MIN_RATIO), ratioClass(MAX_RATIO)];
  const classes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return classes.map((number) => `.r${number}{--r:${number / RATIO_STEPS}}`).join('');
}

/** Smaller ones keep their size, because an enlarged icon is a blur. In pixels. */
const TINY = 128;

/** Whether an image is clear in places, and its average colour. Reads the start of the ThumbHash, which has the averages. */
export function groundOf({ meta: { thumbHash, color } }: Cover): { isClear: boolean; colour: string } {
  const hash = Buffer.from(thumbHash ?? '', 'base64');
  if (hash.length < 5) return { isClear: false, colour: color };
  const header = hash.readUIntLE(0, 3);
  const luminance = (header & 63) / 63;
  const yellow = ((header >> 6) & 63) / 31.5 - 1;
  const red = ((header >> 12) & 63) / 31.5 - 1;
  const blue = luminance - (2 / 3) * yellow;
  const r = (3 * luminance - blue + red) / 2;
  const hex = [r, r - red, blue].map((part) =>
    Math.round(255 * Math.min(1, Math.max(0, part)))
      .toString(16)
      .padStart(2, '0'),
  );
  return { isClear: header >> 23 === 1, colour: `#${hex.join('')}` };
}

/** In place of the picture until it has loaded. A presentation attribute of SVG is no inline style. */
export function placeholder({ colour }: { colour: string }): Markup {
  return html`<svg aria-hidden="true"><rect fill="${colour}"/></svg>`;
}

interface TileOptions {
  chosen: readonly Rating[];
  /** Of the addresses of pictures. */
  query: Query;
  isEarly: boolean;
}

/** An item of a grid. Of an image that the visitor has not chosen to see, it says nothing but the rating. */
export function tile(image: Image, { chosen, query, isEarly }: TileOptions): Markup {
  const { id, nsfw, meta } = image;
  const { width, height } = meta.dimens;
  const ground = groundOf(image);
  const ratio = ratioClass(width / height);
  if (!isShown(nsfw, chosen)) {
    const href = formatView({ name: 'picture', id, query: { ...query, nsfw: [...chosen, nsfw] } });
    return html`<li class="tile r${ratio} blurred" data-id="${id}" data-rating="${nsfw}">${placeholder(ground)}<a href="${href}" rel="nofollow"><span>${texts.blurred(nsfw)}</span></a></li>
`;
  }
  const isTiny = Math.max(width, height) <= TINY;
  const classes = `${ground.isClear ? ' clear' : ''}${isTiny ? ' tiny' : ''}`;
  const href = formatView({ name: 'picture', id, query }, image.title);
  const alt = altOf(image);
  const picture = pictureTag(image, gridSources(image), { alt, sizes: sizesOf(ratio), isEarly });
  return html`<li class="tile r${ratio}${classes}" data-id="${id}"><a href="${href}">${ground.isClear ? '' : placeholder(ground)}${picture}${meta.animated ? html`<span class="badge">${texts.animation}</span>` : ''}</a></li>
`;
}

/** About the width of a tile: rows are higher on phones, compared to the width of the page. */
const sizesOf = (ratio: number) =>
  `(max-width: 40rem) ${Math.min(92, Math.round(ratio * 2.5))}vw, ${Math.round(ratio * 1.1)}vw`;
