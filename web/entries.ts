/** Shows artists, characters and categories: in a list, and on a page of their own. */
import { el, externalLink } from './dom.ts';
import { kindOf } from './names.ts';
import { formatUrl, noFilter, type View } from './route.ts';
import { capitalize, formatCount, formatDate } from './text.ts';
import type { Entry, EntryGroup, Subject } from './types.ts';

/** How many of each kind the page of a search shows. */
const MAX_IN_GROUP = 12;

/** Leaves out properties without content. */
export function createPropertyList(properties: [string, (Node | string)[]][]): HTMLElement {
  const given = properties.filter(([, content]) => content.some((part) => part !== ''));
  const rows = given.map(([term, content]) => el('div', {}, el('dt', {}, term), el('dd', {}, ...content)));
  return el('dl', { class: 'properties' }, ...rows);
}

export function describeSubject(subject: Subject): Node[] {
  const { images } = subject;
  const count = images === undefined ? '' : formatCount(images, 'images');
  if ('ages' in subject) {
    const { description, source, gender, ages, birth_date, nationality, occupations } = subject;
    return [
      ...createLead(description),
      createPropertyList([
        ['Source', [source]],
        ['Gender', [gender]],
        [ages.length === 1 ? 'Age' : 'Ages', [ages.join(', ')]],
        ['Born', [birth_date]],
        ['Nationality', [nationality]],
        ['Occupation', [occupations.join(', ')]],
        ['Images', [count && String(images)]],
      ]),
    ];
  }
  if ('nsfw' in subject) {
    const rating = subject.nsfw ? 'not safe for work' : '';
    return [
      ...createLead(subject.description),
      createLine(count, rating, `added ${formatDate(subject.createdAt)}`),
    ];
  }
  return [createLine(count, subject.url && externalLink(subject.url, hostName(subject.url)))];
}

function createLead(text: string): Node[] {
  return text ? [el('p', { class: 'lead' }, text)] : [];
}

function createLine(...parts: (Node | string)[]): HTMLElement {
  const given = parts.filter((part) => part !== '');
  const separated = given.flatMap((part, index) => (index > 0 ? [' · ', part] : [part]));
  return el('p', { class: 'quiet' }, ...separated);
}

/** The entries of a search under the name of their kind, with a link to the rest. */
export function createGroup({ kind, entries, total }: EntryGroup, search: string): HTMLElement {
  const href = formatUrl({ name: 'list', kind, search, page: 1 });
  const rest = el('a', { href, class: 'button' }, `Show all ${formatCount(total, kind)}`);
  return el(
    'section',
    { 'aria-labelledby': `found-${kind}` },
    el('h2', { id: `found-${kind}` }, capitalize(kind), ' ', el('span', { class: 'quiet' }, String(total))),
    createList(entries.slice(0, MAX_IN_GROUP)),
    ...(total > MAX_IN_GROUP ? [rest] : []),
  );
}

export function createList(entries: readonly Subject[]): HTMLElement {
  return el('ul', { class: 'entries' }, ...entries.map(createItem));
}

function createItem(entry: Subject): HTMLElement {
  const href = formatUrl(entryView(entry));
  const count = entry.images === undefined ? '' : formatCount(entry.images, 'images');
  const summary = [count, summarizeEntry(entry)].filter(Boolean).join(' · ');
  return el(
    'li',
    {},
    el('a', { href }, entry.name),
    ...(summary ? [el('p', { class: 'quiet' }, summary)] : []),
  );
}

export function entryView(entry: Entry): View {
  const { id } = entry;
  const filter = noFilter;
  const kind = kindOf(entry);
  if (kind === 'artists') return { name: 'artist', id, filter, page: 1 };
  return { name: kind === 'characters' ? 'character' : 'category', id, filter };
}

function summarizeEntry(entry: Entry): string {
  if ('ages' in entry) return [entry.source, ...entry.occupations].filter(Boolean).join(' · ');
  return 'nsfw' in entry ? entry.description : entry.url && hostName(entry.url);
}

function hostName(address: string): string {
  return URL.parse(address)?.host ?? address;
}
