/** The content of pages: model to markup. Pure; the `html` template escapes everything that it inserts. */

import type { Image } from '../catalogue/schemas.ts';
import {
  firstPage,
  formatView,
  kinds,
  kindWords,
  pictureFileName,
  type Query,
  type View,
} from './address.ts';
import { chips, filterForm } from './filters.ts';
import {
  artistName,
  artistPath,
  type Description,
  entryView,
  feedFilter,
  hasArtist,
  isShown,
} from './head.ts';
import { html, join, type Markup } from './html.ts';
import { externalLink, propertyList } from './layout.ts';
import type { AnyEntry, EntriesModel, Entry, Facts, ImagesModel, Model, PictureModel } from './model.ts';
import { altOf, formatDay, texts, titleOf } from './texts.ts';
import { gridSources, groundOf, pageSources, pictureTag, placeholder, tile } from './tile.ts';

/** Those that most screens show at once. */
const EARLY_PICTURES = 6;

export interface Content {
  description: Description;
  facts: Facts;
}

export function content(model: Model, page: Content): Markup {
  if (model.name === 'picture') return pictureContent(model, page.description);
  return model.name === 'entries' ? entriesContent(model) : imagesContent(model, page);
}

function heading(eyebrow: string, title: string, tools: Markup | Markup[] | string = ''): Markup {
  return html`<div class="heading">
<div><p class="eyebrow">${eyebrow}</p><h1 dir="auto">${title}</h1></div>
<div class="tools">${tools}</div>
</div>
`;
}

function imagesContent(model: ImagesModel, { description, facts }: Content): Markup {
  const { view, images, entry, found, search } = model;
  const isRandom = view.name === 'random';
  const ofAll = view.name === 'search' ? texts.search : texts.pictures;
  const eyebrow = entry
    ? texts.kind(entry.kind)
    : [ofAll, search && view.query.q && texts.count(search.total, 'image')].filter(Boolean).join(' · ');
  const title =
    isRandom && description.trail.length === 1 ? texts.random : (entry?.record.name ?? description.title);
  const tools = [filterForm(model, facts), ...(isRandom ? [shuffleButton(view)] : [])];
  return html`${heading(eyebrow, title, tools)}${entry ? entryDetails(entry) : ''}${chips(model)}${searchNotes(model)}${foundEntries(found)}${
    images.length > 0
      ? html`${grid(model)}${pager(model, view)}`
      : unknownWords(model).some(({ excluded }) => !excluded)
        ? ''
        : emptyMessage(model, facts)
  }`;
}

const unknownWords = ({ search }: ImagesModel) => search?.words.filter(({ found }) => !found) ?? [];

/** What a visitor should know about words that are about no picture, and other spellings. */
function searchNotes(model: ImagesModel): Markup {
  const { view, images, search } = model;
  const unknown = unknownWords(model);
  if (!search || unknown.length === 0) return html``;
  const links = search.suggestions.map(({ q, images }) => {
    const href = formatView({ name: 'search', query: { ...firstPage(view).query, q } });
    return html` <a href="${href}" rel="nofollow" dir="auto">${q}</a> <span class="quiet">${texts.count(images, 'image')}</span>`;
  });
  return html`<div class="${images.length > 0 ? 'notes' : 'problem'}">
${unknown.map(
  (word) => html`<p>${texts.unknownWord(word)}</p>
`,
)}${
  links.length > 0
    ? html`<p>${texts.didYouMean}${links}</p>
`
    : ''
}</div>
`;
}

function shuffleButton(view: View): Markup {
  return html`<a id="shuffle" class="button strong" href="${formatView(firstPage(view))}" rel="nofollow"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M16 10a6 6 0 1 1-1.8-4.3M16 2.5V6h-3.5"/></svg>${texts.shuffle}</a>`;
}

function grid({ images, view, chosen }: ImagesModel): Markup {
  const album = view.name === 'entry' && view.kind === 'album' ? view : undefined;
  const nsfw = chosen.length > 0 ? { nsfw: chosen } : {};
  const tiles = images.map((image, index) => {
    const place = (album?.query.offset ?? 0) + index;
    const query: Query = album ? { album: [album.id], ...(place > 0 && { offset: place }), ...nsfw } : nsfw;
    return tile(image, { chosen, query, isEarly: index < EARLY_PICTURES });
  });
  return html`<ul class="grid">
${tiles}</ul>
`;
}

function pager({ previous, next }: Pick<Model, 'previous' | 'next'>, { name }: View): Markup {
  const link = (rel: 'prev' | 'next', view: View | undefined, text: string) =>
    view
      ? html`<a class="button" rel="${rel}${name === 'random' ? ' nofollow' : ''}" href="${formatView(view)}">${text}</a>\n`
      : html``;
  if (!previous && !next) return html``;
  const more = name === 'list' ? texts.nextPage : texts.more;
  return html`<nav class="pages" aria-label="${texts.pages}">
${link('prev', previous, texts.previousPage)}${link('next', next, more)}</nav>
`;
}

function emptyMessage({ view }: ImagesModel, facts: Facts): Markup {
  const { q } = view.query;
  const text =
    facts.images === 0
      ? texts.emptyCatalogue
      : q
        ? texts.nothingFound(q)
        : view.name === 'search'
          ? texts.searchHint
          : texts.noPictures;
  const cleared = { ...view, query: {} };
  return html`<div class="problem"><p>${text}</p>${
    Object.keys(firstPage(view).query).length > 0 && view.name !== 'search'
      ? html`<p><a class="button" href="${formatView(cleared)}">${texts.clear}</a></p>`
      : ''
  }</div>
`;
}

// Artists, characters, categories and albums.

/** In one line or column, so that the pictures come first. */
function foundEntries(found: readonly Entry[]): Markup {
  const sections = kinds
    .map((kind) => ({ kind, entries: found.filter((entry) => entry.kind === kind) }))
    .filter(({ entries }) => entries.length > 0)
    .map(
      ({ kind, entries }) => html`<section><h2>${texts.kinds(kind)}</h2>\n${entryList(entries)}</section>\n`,
    );
  return sections.length > 0
    ? html`<aside class="found" aria-label="${texts.browse}">\n${sections}</aside>\n`
    : html``;
}

function entriesContent(model: EntriesModel): Markup {
  const { view, entries, total } = model;
  const used = entries.filter(({ images }) => images > 0);
  const isLong = total > entries.length || view.query.search !== undefined || view.query.sort !== undefined;
  return html`${heading(texts.browse, texts.kinds(view.kind))}${isLong ? browseTools(model) : ''}${
    entries.length > 0
      ? html`${entryList(used.length > 0 ? used : entries)}${pager(model, view)}`
      : html`<div class="problem"><p>${texts.noEntries(view.kind)}</p></div>`
  }`;
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ#'];
/** Names that start with a letter, or with none of them. */
const letterPattern = (letter: string) => (letter === '#' ? '[^a-z]%' : `${letter.toLowerCase()}%`);

/** A field that filters by name, the order, and letters to jump to. */
function browseTools({ view }: EntriesModel): Markup {
  const { kind } = view;
  const { search = '', sort } = view.query;
  const isLetter = letters.some((letter) => letterPattern(letter) === search);
  const order = (value: 'images' | undefined, text: string) => {
    const href = formatView({ ...view, query: { ...(search && { search }), ...(value && { sort: value }) } });
    return html`<a href="${href}"${sort === value ? html` aria-current="true"` : ''}>${text}</a>`;
  };
  const letter = (pattern: string, text: string, label: string) => {
    const href = formatView({
      ...view,
      query: { ...(pattern && { search: pattern }), ...(sort && { sort }) },
    });
    return html`<a href="${href}" aria-label="${label}"${search === pattern ? html` aria-current="true"` : ''}>${text}</a>`;
  };
  return html`<div class="browse">
<form action="/${kindWords[kind]}"><input type="search" name="search" aria-label="${texts.filterByName}" placeholder="${texts.filterByName}" maxlength="50" value="${isLetter ? '' : search}" autocomplete="off" spellcheck="false">${sort ? html`<input type="hidden" name="sort" value="${sort}">` : ''}</form>
<nav class="toggles" aria-label="${texts.sortBy}">${order(undefined, texts.byName)}${order('images', texts.byImages)}</nav>
<nav class="letters" aria-label="${texts.letters}">${letter('', texts.allLetters, texts.allLetters)}${letters.map((text) => letter(letterPattern(text), text, text === '#' ? texts.otherLetters : text))}</nav>
</div>
`;
}

export function entryList(entries: readonly Entry[]): Markup {
  return html`<ul class="entries">
${entries.map((entry, index) => entryItem(entry, index < EARLY_PICTURES))}</ul>
`;
}

const COVER_SIZES = '(max-width: 40rem) 45vw, 15rem';

function entryItem(entry: Entry, isEarly: boolean): Markup {
  const { kind, record, images, cover } = entry;
  const [initial = ''] = record.name;
  const picture = cover
    ? html`<span class="cover">${placeholder(groundOf(cover))}${pictureTag(cover, gridSources(cover), { alt: '', sizes: COVER_SIZES, isEarly })}</span>`
    : html`<span class="cover" aria-hidden="true">${initial.toUpperCase()}</span>`;
  const summary = [texts.count(images, 'image'), summarise(record)].filter(Boolean).join(' · ');
  return html`<li data-id="${record.id}"><a href="${formatView(entryView({ kind, record }), record.name)}">${picture}<span class="name" dir="auto">${record.name}</span></a><p class="quiet" dir="auto">${summary}</p></li>
`;
}

function summarise(record: AnyEntry): string {
  if ('ages' in record) return [record.source, ...record.occupations].filter(Boolean).join(' · ');
  return 'url' in record ? hostOf(record.url) : record.description;
}

const hostOf = (address: string) => URL.parse(address)?.host ?? '';

function entryDetails({ kind, record, images }: Entry): Markup {
  const website =
    'url' in record && record.url ? [externalLink(record.url, hostOf(record.url) || record.url)] : [];
  const line = [
    html`${texts.count(images, 'image')}`,
    ...website,
    html`<a href="/feed.xml${feedFilter({ kind, record })}">${texts.feed}</a>`,
  ];
  const text = 'description' in record ? record.description : '';
  return html`<div class="about">
${text ? html`<p class="lead" dir="auto">${text}</p>\n` : ''}${'ages' in record ? characterProperties(record) : ''}<p class="quiet">${join(line, ' · ')}</p>
</div>
`;
}

function characterProperties(record: Extract<AnyEntry, { ages: unknown }>): Markup {
  const { source, gender, ages, birth_date, nationality, occupations } = record;
  return propertyList([
    [texts.source, source],
    [texts.gender, gender],
    [texts.ageOrAges(ages.length), ages.join(', ')],
    [texts.born, birth_date],
    [texts.nationality, nationality],
    [texts.occupation, occupations.join(', ')],
  ]);
}

// The page of a picture: what it is, who made it, how to credit it, and its sizes to download.

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
  const artist = artistName(image);
  const isReportable = /^(https?|mailto):/i.test(reportUrl);
  const heading = titleOf(image);
  // The first line of the description may be the heading.
  const lead =
    !title && description.startsWith(heading) ? description.slice(heading.length).trim() : description;
  return html`<h1 dir="auto">${heading}</h1>
${hasArtist(image) ? html`<p class="artist"><a href="${artistPath(image, artist)}" dir="auto">${artist || texts.artist}</a></p>\n` : ''}${lead ? html`<p class="lead" dir="auto">${lead}</p>\n` : ''}${tags(image)}${downloads(image, heading)}${propertyList(
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
  const artist = artistName(image);
  const credit = image.credit || (artist && texts.by(titleOf(image), artist));
  const { name = '', url = '' } = image.licence ?? {};
  const licence = name || url;
  return credit && licence ? texts.creditWith(credit, licence) : credit;
}
