/** The parts of the page that change with what it shows: heading, facts, filter, pictures, lists, other pages. */
import { chipsOf, toggled } from './chips.ts';
import { byId, el } from './dom.ts';
import { entryItem, factsOf } from './facts.ts';
import { showPictures } from './grid.ts';
import { PAGE } from './load.ts';
import type { Answer, Picture } from './memory.ts';
import { addressOf, type Place } from './place.ts';
import { counted, type Entry, eyebrowOf, titleOf } from './words.ts';

export interface Moves {
  /** Shows an address without leaving what has the focus. */
  go(address: string): void;
  /** Goes to another page: to its top, and its title. */
  visit(address: string): void;
  /** Other pictures of the same place. */
  others(): void;
}

const isDrawn = (place: Place) => place.name === 'random' || place.name === 'category';
let pictures: readonly Picture[] | undefined;

export function clear(): void {
  for (const id of ['facts', 'filter', 'notice', 'entries', 'grid']) byId(id).replaceChildren();
  for (const id of ['entries', 'grid', 'pages']) byId(id).hidden = true;
  pictures = undefined;
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
  byId('filter').hidden = !isDrawn(place);
  byId('notice').replaceChildren();
  document.title = place.name === 'random' && !place.categories.length ? 'zukan' : `${title} · zukan`;
}

export function render(place: Place, answer: Answer, moves: Moves): void {
  showHeading(place, answer.subject);
  if (answer.subject) byId('facts').replaceChildren(...factsOf(answer.subject));
  if (pictures !== answer.pictures) showPictures(answer.pictures, place);
  pictures = answer.pictures;
  if (isDrawn(place)) showChips(place, answer, moves);
  const entries = byId('entries');
  entries.replaceChildren(...answer.entries.map(entryItem));
  entries.hidden = answer.entries.length === 0;
  showPages(place, answer, moves);
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
  byId('grid').hidden = true;
  byId('entries').hidden = true;
  byId('pages').hidden = true;
  pictures = undefined;
  byId('notice').replaceChildren(message);
}

function showChips(place: Place, { pictures, subject }: Answer, { go }: Moves): void {
  const chosen = place.name === 'random' ? place.categories : subject ? [subject.name] : [];
  const filter = byId('filter');
  const focused = filter.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  const chips = chipsOf(pictures, chosen).map(({ name, isChosen }) => {
    const click = () => go(addressOf({ name: 'random', categories: toggled(chosen, name) }));
    return el('button', { type: 'button', class: 'chip', 'aria-pressed': String(isChosen), click }, name);
  });
  const all = el('a', {
    class: 'chip',
    href: addressOf({ name: 'search', kind: 'categories', search: '', page: 1 }),
  });
  all.textContent = 'All categories…';
  filter.replaceChildren(...chips, all);
  filter.scrollLeft = 0;
  chips.find((chip) => chip.textContent === focused)?.focus();
}

function showPages(place: Place, { total, pictures }: Answer, { others }: Moves): void {
  const nav = byId('pages');
  nav.replaceChildren();
  // Who has got fewer has got them all.
  if (isDrawn(place) && pictures.length === PAGE)
    nav.append(el('button', { type: 'button', class: 'button', click: others }, 'Show others'));
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
  if (place.name === 'search' && place.search && !/[%_|*+?{}()[\]\\]/.test(place.search)) {
    const wider = addressOf({ ...place, search: `%${place.search}%`, page: 1 });
    message.append(el('a', { href: wider, class: 'button' }, `Names that contain “${place.search}”`));
  }
  byId('notice').replaceChildren(message);
}

function emptyText(place: Place): string {
  if (place.name === 'random')
    return place.categories.length > 1 ? 'No picture is in all of these.' : 'There is no picture yet.';
  if (place.name === 'character') return 'Pictures of this character that you come across are gathered here.';
  return place.name === 'search' ? 'No name matches.' : 'There is no picture here.';
}
