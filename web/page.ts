/** The parts of the page that change with what it shows: heading, facts, categories, pictures, lists, other pages. */
import { chipsOf, toggled } from './chips.ts';
import { byId, el } from './dom.ts';
import { entryItem, factsOf } from './facts.ts';
import { clearPictures, showPictures } from './grid.ts';
import { PAGE } from './load.ts';
import type { Answer } from './memory.ts';
import { addressOf, everything, isChosen, isDrawn, type Place } from './place.ts';
import type { Entry } from './types.ts';
import { counted, eyebrowOf, titleOf } from './words.ts';

/** Places where one can choose among the categories of the pictures. */
type Choosable = Extract<Place, { name: 'random' | 'category' }>;
const hasChips = (place: Place): place is Choosable => place.name === 'random' || place.name === 'category';

export function clear(): void {
  for (const id of ['facts', 'filter', 'notice', 'entries']) byId(id).replaceChildren();
  for (const id of ['entries', 'pages']) byId(id).hidden = true;
  clearPictures();
}

export function setBusy(isBusy: boolean): void {
  byId('main').setAttribute('aria-busy', String(isBusy));
}

export function showHeading(place: Place, subject: Entry | undefined): void {
  const title = titleOf(place, subject);
  byId('eyebrow').textContent = eyebrowOf(place);
  byId('title').textContent = title;
  byId('others').hidden = !isDrawn(place);
  byId('tools').hidden = place.name === 'search';
  byId('facts').dataset.place = place.name;
  if (place.name === 'search') byId('facts').replaceChildren(patternHint());
  byId('filter').hidden = !hasChips(place);
  byId('notice').replaceChildren();
  document.title = place.name === 'random' && !place.categories.length ? 'zukan' : `${title} · zukan`;
}

export function render(place: Place, answer: Answer): void {
  showHeading(place, answer.subject);
  if (answer.subject) byId('facts').replaceChildren(...factsOf(answer.subject));
  showPictures(answer.pictures, place);
  if (hasChips(place)) showChips(place, answer);
  const entries = byId('entries');
  entries.replaceChildren(...answer.entries.map(entryItem));
  entries.hidden = answer.entries.length === 0;
  showPages(place, answer);
}

function patternHint(): HTMLElement {
  const signs = { '%': 'any text', _: 'any character', 'a|b': 'one or the other', '[a-f]': 'one of these' };
  const parts = Object.entries(signs).flatMap(([sign, meaning], index) => [
    ...(index > 0 ? [' · '] : []),
    el('code', {}, sign),
    ` ${meaning}`,
  ]);
  return el('p', { class: 'quiet' }, ...parts);
}

/** For screen readers: what has come. */
export function summaryOf(place: Place, { pictures, total }: Answer): string {
  if (place.name === 'search') return counted(total ?? 0, place.kind);
  return counted(pictures.length, 'pictures');
}

export function showProblem(message: HTMLElement): void {
  clearPictures();
  byId('entries').hidden = true;
  byId('pages').hidden = true;
  byId('notice').replaceChildren(message);
}

/** Those of the first pictures: they stay as they are when more come. */
function showChips(place: Choosable, { pictures, subject }: Answer): void {
  const chosen = place.name === 'random' ? place.categories : subject ? [subject.name] : [];
  const line = byId('filter');
  const focused = line.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  const chips = chipsOf(pictures.slice(0, PAGE), chosen).map(({ name, isChosen }) => {
    const narrow = addressOf({ name: 'random', categories: toggled(chosen, name), filter: place.filter });
    return el(
      'button',
      { type: 'button', class: 'chip', 'aria-pressed': String(isChosen), 'data-narrow': narrow },
      name,
    );
  });
  const all = el('a', {
    class: 'chip',
    href: addressOf({ name: 'search', kind: 'categories', search: '', page: 1 }),
  });
  all.textContent = 'All categories…';
  line.replaceChildren(...chips, all);
  line.scrollLeft = 0;
  chips.find((chip) => chip.textContent === focused)?.focus();
}

function showPages(place: Place, { total }: Answer): void {
  const nav = byId('pages');
  nav.replaceChildren();
  if ('page' in place && total !== undefined && total > PAGE) {
    const last = Math.ceil(total / PAGE);
    const link = (page: number, text: string) =>
      page >= 1 && page <= last
        ? [el('a', { class: 'button', href: addressOf({ ...place, page }), rel: text.toLowerCase() }, text)]
        : [];
    const where = el('span', { class: 'quiet' }, `Page ${place.page} of ${last}`);
    nav.append(...link(place.page - 1, 'Previous'), where, ...link(place.page + 1, 'Next'));
  }
  nav.hidden = nav.childElementCount === 0;
}

/** Says so where nothing was found. */
export function showIfEmpty(place: Place, { pictures, entries }: Answer): void {
  if (pictures.length + entries.length > 0) return;
  const message = el('div', { class: 'problem' }, el('p', {}, emptyText(place)));
  const [href, text = ''] = wider(place);
  if (href) message.append(el('a', { href, class: 'button' }, text));
  byId('notice').replaceChildren(message);
}

function emptyText(place: Place): string {
  if (place.name === 'search') return 'No name matches.';
  if (isChosen(place.filter)) return 'No picture here has such a rating and shape.';
  if (place.name !== 'random') return 'There is no picture here.';
  return place.categories.length > 1 ? 'No picture is in all of these.' : 'There is no picture yet.';
}

/** Where something may be found instead. */
function wider(place: Place): [string, string] | [] {
  if (place.name !== 'search')
    return isChosen(place.filter) ? [addressOf({ ...place, filter: everything }), 'Show all'] : [];
  const { search } = place;
  if (search === '' || /[%_|*+?{}()[\]\\]/.test(search)) return [];
  return [addressOf({ ...place, search: `%${search}%`, page: 1 }), `Names that contain “${search}”`];
}
