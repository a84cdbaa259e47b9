/** The filters above a grid: a form, and links that add or remove a category. They work without scripts. */
import type { Image } from '../catalogue/schemas.ts';
import { firstPage, formatView, type Query } from './address.ts';
import { isShown } from './head.ts';
import { html, type Markup } from './html.ts';
import type { Facts, ImagesModel } from './model.ts';
import { texts } from './texts.ts';

const MAX_CHIPS = 12;
/** The fields of the form. */
const FORM_FIELDS = ['nsfw', 'orientation', 'animated', 'minWidth'] as const;
/** Not filters. */
const PLACES = ['seed', 'cursor', 'offset', 'q'];

/** Empty if the catalogue has nothing to choose from. */
export function filterForm(model: ImagesModel, facts: Facts): Markup {
  const { view } = model;
  const { query } = view;
  const { ratings, orientations, hasAnimations, widths } = facts;
  const groups = [
    ratings.length > 1 ? checkboxes('nsfw', texts.rating, ratings, texts.ratings, query.nsfw) : undefined,
    orientations.length > 1
      ? checkboxes('orientation', texts.shape, orientations, texts.shapes, query.orientation)
      : undefined,
    hasAnimations
      ? choice('animated', texts.motion, query.animated, [
          ['', texts.anyMotion],
          ['false', texts.still],
          ['true', texts.animated],
        ])
      : undefined,
    widths.length > 0
      ? choice('minWidth', texts.width, query.minWidth, [
          ['', texts.anyWidth],
          ...widths.map((width): [string, string] => [String(width), texts.widthOf(width)]),
        ])
      : undefined,
  ].filter((group) => group !== undefined);
  const blur = blurLink(model, facts);
  if (groups.length === 0) return blur;
  const first = firstPage(view);
  const others = Object.entries({ q: query.q, ...first.query }).filter(
    ([name, value]) => value !== undefined && !(FORM_FIELDS as readonly string[]).includes(name),
  );
  const count = Object.keys(first.query).filter((name) => !PLACES.includes(name)).length;
  const action = formatView({ ...view, query: {} });
  const cleared = formatView({ ...view, query: query.q === undefined ? {} : { q: query.q } });
  return html`<details class="filters">
<summary class="button"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h14M6 10h8M8.5 14h3"/></svg><span class="label">${texts.filters}</span>${count > 0 ? html`<span class="count">${count}</span>` : ''}</summary>
<form action="${action}">
${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${[value].flat().join(',')}">\n`)}${groups}
<p class="actions"><button class="button strong">${texts.apply}</button> <a class="button" href="${cleared}">${texts.clear}</a> ${blur}</p>
</form>
</details>`;
}

/** Naming the ratings in the address is how a visitor chooses to see them. */
function blurLink({ view, images, chosen, seed }: ImagesModel, { ratings }: Facts): Markup {
  const { nsfw = [], ...query } = { ...view.query, ...(seed && { seed }) };
  const link = (id: string, query: Query, text: string) =>
    html`<a id="${id}" class="button" href="${formatView({ ...view, query })}" rel="nofollow">${text}</a>`;
  if (images.some(({ nsfw }) => !isShown(nsfw, chosen)))
    return link('unblur', { ...query, nsfw: ratings }, texts.unblur);
  return nsfw.length === ratings.length && nsfw.length > 1 ? link('blur', query, texts.blur) : html``;
}

function checkboxes<Value extends string>(
  name: string,
  label: string,
  values: readonly Value[],
  names: Record<Value, string>,
  chosen: readonly Value[] = [],
): Markup {
  const boxes = values.map(
    (value) =>
      html`<label><input type="checkbox" name="${name}" value="${value}"${chosen.includes(value) ? html` checked` : ''}> ${names[value]}</label>\n`,
  );
  return html`<fieldset><legend>${label}</legend>
${boxes}</fieldset>
`;
}

function choice(
  name: string,
  label: string,
  chosen: unknown,
  options: [value: string, text: string][],
): Markup {
  const items = options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === String(chosen ?? '') ? html` selected` : ''}>${text}</option>`,
  );
  return html`<label>${label} <select name="${name}">${items}</select></label>
`;
}

/** What is selected, each with a link without it, and the most frequent categories of the page, which always leave a picture. */
export function chips({ view, images, named, chosen, entry, search }: ImagesModel): Markup {
  const { query } = view;
  const { categories = [], exclude = [] } = query;
  const isCategory = entry?.kind === 'category' ? entry.record.name : undefined;
  const remove = (name: string, text: string, changed: Query, type = 'included') =>
    html`<li><a class="chip ${type}" href="${linkTo(view, changed)}" rel="nofollow" aria-label="${texts.remove(name)}" dir="auto">${text}</a></li>\n`;
  const words = search?.words ?? [];
  const selected = [
    ...words.map((word, index) => {
      const others = words.filter((_, at) => at !== index).map(({ text }) => text);
      const name = word.excluded ? texts.not(word.text.slice(1)) : word.text;
      const type = word.found ? (word.excluded ? 'excluded' : 'included') : 'unknown';
      return remove(name, name, { q: others.join(' ') || undefined }, type);
    }),
    ...(search || query.q === undefined ? [] : [remove(query.q, query.q, { q: undefined })]),
    ...categories.map((name) => remove(name, name, { categories: without(categories, name) })),
    ...exclude.map((name) =>
      remove(texts.not(name), texts.not(name), { exclude: without(exclude, name) }, 'excluded'),
    ),
    ...named.map(({ field, id, name }) => {
      const text = `${texts.named[field]} ${name}`;
      return remove(text, text, { [field]: without(query[field] ?? [], id) });
    }),
  ];
  const isTaken = (name: string) =>
    categories.includes(name) || exclude.includes(name) || name === isCategory;
  const shown = images.filter(({ nsfw }) => isShown(nsfw, chosen));
  const hasSuggestions = view.name !== 'search' && !('kind' in view && view.kind === 'album');
  const suggested = (hasSuggestions ? rankCategories(shown) : [])
    .filter((name) => !isTaken(name))
    .slice(0, MAX_CHIPS)
    .map((name) => {
      const href = linkTo(view, { categories: [...categories, name] });
      return html`<li><a class="chip" href="${href}" rel="nofollow" aria-label="${texts.add(name)}" dir="auto">${name}</a></li>\n`;
    });
  const items = [...selected, ...suggested];
  return items.length > 0
    ? html`<ul class="chips row" aria-label="${texts.categories}">\n${items}</ul>\n`
    : html``;
}

function linkTo(view: ImagesModel['view'], changed: Query): string {
  const first = firstPage(view);
  return formatView({ ...first, query: { ...first.query, ...changed } });
}

const without = (list: readonly string[], name: string) => list.filter((other) => other !== name);

/** By frequency. */
function rankCategories(images: readonly Image[]): string[] {
  const counts = new Map<string, number>();
  for (const { categories } of images)
    for (const { name } of categories) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]).map(([name]) => name);
}
