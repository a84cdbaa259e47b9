/** What is known of an artist, a character or a category, and lists of them. */
import { el, linkOut } from './dom.ts';
import { addressOf, everything, type Place } from './place.ts';
import type { Entry, Subject } from './types.ts';
import { counted, dayText } from './words.ts';

/** Pairs of a term and what it says; what says nothing is left out. */
export function factList(facts: [string, (Node | string)[]][]): HTMLElement {
  const given = facts.filter(([, content]) => content.some((part) => part !== ''));
  const rows = given.map(([term, content]) => el('div', {}, el('dt', {}, term), el('dd', {}, ...content)));
  return el('dl', { class: 'facts' }, ...rows);
}

export function factsOf(subject: Subject): Node[] {
  const { images } = subject;
  const count = images === undefined ? '' : counted(images, 'pictures');
  if ('ages' in subject) {
    const { description, source, gender, ages, birth_date, nationality, occupations } = subject;
    return [
      ...paragraph(description),
      factList([
        ['From', [source]],
        ['Gender', [gender]],
        [ages.length === 1 ? 'Age' : 'Ages', [ages.join(', ')]],
        ['Born', [birth_date]],
        ['Nationality', [nationality]],
        ['Occupation', [occupations.join(', ')]],
        ['Pictures', [count && String(images)]],
      ]),
    ];
  }
  if ('nsfw' in subject) {
    const since = `in the catalogue since ${dayText(subject.createdAt)}`;
    const rating = subject.nsfw ? 'not safe for work' : '';
    return [...paragraph(subject.description), line(count, rating, since)];
  }
  return [line(count, subject.url && linkOut(subject.url, hostOf(subject.url)))];
}

function paragraph(text: string): Node[] {
  return text ? [el('p', { class: 'lead' }, text)] : [];
}

function line(...parts: (Node | string)[]): HTMLElement {
  const given = parts.filter((part) => part !== '');
  const spread = given.flatMap((part, index) => (index > 0 ? [' · ', part] : [part]));
  return el('p', { class: 'quiet' }, ...spread);
}

export function entryItem(entry: Entry): HTMLElement {
  const href = addressOf(placeOf(entry));
  const more = moreOf(entry);
  return el('li', {}, el('a', { href }, entry.name), ...(more ? [el('p', { class: 'quiet' }, more)] : []));
}

export function placeOf(entry: Entry): Place {
  const { id } = entry;
  const filter = everything;
  if ('ages' in entry) return { name: 'character', id, filter };
  return 'nsfw' in entry ? { name: 'category', id, filter } : { name: 'artist', id, filter, page: 1 };
}

function moreOf(entry: Entry): string {
  if ('ages' in entry) return [entry.source, ...entry.occupations].filter(Boolean).join(' · ');
  return 'nsfw' in entry ? entry.description : entry.url && hostOf(entry.url);
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
