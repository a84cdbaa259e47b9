/** The content of pages: model to markup. Pure; the `html` template escapes everything that it inserts. */
import { firstPage, formatView, kinds, kindWords, type Query, type View } from './address.ts';
import { chips, filterForm } from './filters.ts';
import { type Description, entryView } from './head.ts';
import { html, type Markup } from './html.ts';
import { externalLink, propertyList } from './layout.ts';
import type { AnyEntry, EntriesModel, Entry, Facts, ImagesModel, Model } from './model.ts';
import { pictureContent } from './picture-template.ts';
import { texts } from './texts.ts';
import { gridSources, groundOf, pictureTag, placeholder, tile } from './tile.ts';

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
  const feed = kind === 'category' ? `categories=${encodeURIComponent(record.name)}` : `${kind}=${record.id}`;
  const website =
    'url' in record && record.url ? [externalLink(record.url, hostOf(record.url) || record.url)] : [];
  const line = [
    html`${texts.count(images, 'image')}`,
    ...website,
    html`<a href="/feed.xml?${feed}">${texts.feed}</a>`,
  ];
  const text = 'description' in record ? record.description : '';
  return html`<div class="about">
${text ? html`<p class="lead" dir="auto">${text}</p>\n` : ''}${'ages' in record ? characterProperties(record) : ''}<p class="quiet">${line.map((part, index) => html`${index > 0 ? ' · ' : ''}${part}`)}</p>
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
