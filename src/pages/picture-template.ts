/** The page of a picture: what it is, who made it, how to credit it, and its sizes to download. */
import type { Image } from '../catalogue/schemas.ts';
import { formatView, pictureFileName, type View } from './address.ts';
import { type Description, entryView, hasArtist, isShown } from './head.ts';
import { html, type Markup } from './html.ts';
import { externalLink, propertyList } from './layout.ts';
import type { PictureModel } from './model.ts';
import { altOf, formatDay, texts, titleOf } from './texts.ts';
import { groundOf, pageSources, pictureTag, placeholder, tile } from './tile.ts';

export function pictureContent(model: PictureModel, description: Description): Markup {
  const { image, similar, chosen, view } = model;
  const isVisible = isShown(image.nsfw, chosen);
  const query = view.query.nsfw ? { nsfw: view.query.nsfw } : {};
  return html`<article class="picture-page" data-id="${image.id}"${isVisible ? '' : html` data-rating="${image.nsfw}"`}>
${isVisible ? stage(model) : blurredStage(model)}
<div class="panel">
${trail(description)}${isVisible ? details(model) : html`<h1>${texts.blurredPicture(image.nsfw)}</h1>\n`}</div>
</article>
${
  isVisible && similar.length > 0
    ? html`<section class="similar" aria-labelledby="similar-title"><h2 id="similar-title">${texts.similar}</h2>
<ul class="grid">
${similar.map((other) => tile(other, { chosen, query, isEarly: false }))}</ul>
</section>`
    : ''
}`;
}

function stage({ image, previous, next }: PictureModel): Markup {
  const { width, height } = image.meta.dimens;
  const sources = pageSources(image);
  // As wide as the stage, or as its height allows (web/picture.css): a phone needs no more of a portrait.
  const ratio = (width / height).toFixed(3);
  const sizes = `(max-width: 52rem) min(100vw, 100vw * ${ratio}, 70svh * ${ratio}, ${width}px), min(74vw, (100svh - 3.6rem) * ${ratio}, ${width}px)`;
  const picture = pictureTag(image, sources, { alt: altOf(image), sizes, isEarly: true });
  return html`<div class="stage${groundOf(image).isClear ? ' clear' : ''}"><a class="full" href="${image.url}"${image.meta.animated ? html` data-animated` : ''}>${picture}</a>${step('prev', previous)}${step('next', next)}</div>`;
}

function blurredStage({ image, view, chosen }: PictureModel): Markup {
  const href = formatView({ ...view, query: { ...view.query, nsfw: [...chosen, image.nsfw] } });
  return html`<div class="stage blurred">${placeholder(groundOf(image))}<a class="button strong" href="${href}" rel="nofollow">${texts.showPicture}</a></div>`;
}

const ARROWS = { prev: 'M12 4l-6 6 6 6', next: 'M8 4l6 6-6 6' };

function step(rel: 'prev' | 'next', view: View | undefined): Markup {
  if (!view) return html``;
  const label = rel === 'prev' ? texts.previous : texts.next;
  return html`<a class="icon-button step ${rel}" rel="${rel}" href="${formatView(view)}" aria-label="${label}"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="${ARROWS[rel]}"/></svg></a>`;
}

/** The last step is the page itself, whose heading has its name. */
function trail({ trail }: Description): Markup {
  const steps = trail.slice(0, -1);
  return html`<nav class="trail" aria-label="${texts.breadcrumb}"><ol>${steps.map(({ name, path }) => html`<li><a href="${path}" dir="auto">${name}</a></li>`)}</ol></nav>
`;
}

const NO_LICENCE = { name: '', url: '' };

function details({ image }: PictureModel): Markup {
  const {
    title,
    description = '',
    source,
    licence = NO_LICENCE,
    nsfw,
    createdAt,
    takenAt = '',
    reportUrl = '',
  } = image;
  const isReportable = /^(https?|mailto):/i.test(reportUrl);
  const heading = titleOf(image);
  // The first line of the description may be the heading.
  const lead =
    !title && description.startsWith(heading) ? description.slice(heading.length).trim() : description;
  return html`<h1 dir="auto">${heading}</h1>
${hasArtist(image) ? html`<p class="artist"><a href="${formatView(artistView(image), image.artistDetails?.name)}" dir="auto">${image.artistDetails?.name ?? texts.artist}</a></p>\n` : ''}${lead ? html`<p class="lead" dir="auto">${lead}</p>\n` : ''}${tags(image)}${downloads(image, heading)}${propertyList(
  [
    [texts.licence, sourceLink(licence, 'license')],
    [texts.credit, creditLine(image)],
    [texts.source, sourceLink(source)],
    [texts.taken, formatDay(takenAt)],
    [texts.rating, nsfw === 'sfw' ? '' : nsfw],
    [texts.added, formatDay(createdAt)],
  ],
)}${isReportable ? html`<p class="report"><a href="${reportUrl}" rel="noopener noreferrer">${texts.report}</a></p>\n` : ''}`;
}

const artistView = ({ artist }: Image): View => ({ name: 'entry', kind: 'artist', id: artist, query: {} });

function tags({ characters, categories }: Image): Markup {
  const link =
    (kind: 'character' | 'category') => (record: Image['characters'][number] | Image['categories'][number]) =>
      html`<li><a class="chip" href="${formatView(entryView({ kind, record }), record.name)}" dir="auto">${record.name}</a></li>\n`;
  const items = [...characters.map(link('character')), ...categories.map(link('category'))];
  return items.length > 0 ? html`<ul class="chips" aria-label="${texts.tags}">\n${items}</ul>\n` : html``;
}

/** All sizes, the largest first. */
function downloads(image: Image, title: string): Markup {
  const { thumbnails = [], dimens, mimetype, size } = image.meta;
  const smaller = thumbnails.toReversed().map(({ url, width, height, mimetype }) => ({
    ...{ url, file: pictureFileName(title, image.id, mimetype, width) },
    text: texts.size(width, height),
    about: mimetype.slice('image/'.length).toUpperCase(),
  }));
  const original = {
    ...{ url: image.url, file: pictureFileName(title, image.id, mimetype) },
    text: texts.size(dimens.width, dimens.height),
    about: `${texts.original}, ${texts.file(mimetype, size)}`,
  };
  const items = [original, ...smaller].map(
    ({ url, file, text, about }) =>
      html`<li><a href="${url}" download="${file}">${text}</a> <span class="quiet">${about}</span></li>\n`,
  );
  return html`<h2>${texts.download}</h2>
<ul class="downloads">
${items}</ul>
`;
}

function sourceLink({ name, url }: { name: string; url: string }, rel = ''): Markup | string {
  return /^https?:/i.test(url) ? externalLink(url, name || url, rel) : name;
}

/** What somebody who uses the picture can copy. Empty if nobody is known. */
function creditLine(image: Image): string {
  const artist = hasArtist(image) ? (image.artistDetails?.name ?? '') : '';
  const credit = image.credit || (artist && texts.by(titleOf(image), artist));
  const { name = '', url = '' } = image.licence ?? {};
  const licence = name || url;
  return credit && licence ? texts.creditWith(credit, licence) : credit;
}
