/** Shows artists, characters, categories and albums: in a list, and on a page of their own. */
import { parseUrl } from '../client/address.ts';
import { byId, el, externalLink, prefersReducedMotion } from './dom.ts';
import { LazyPictures } from './lazy-pictures.ts';
import { Picture } from './picture.ts';
import { type EntryKind, formatUrl, noFilter, type View } from './route.ts';
import { gridSources } from './sources.ts';
import { capitalize, formatCount, formatDate } from './text.ts';
import type { Entry, EntryGroup, Shown, Subject } from './types.ts';

/** How many of each kind a search finds. */
const MAX_FOUND = 10;
const COVER_SIZE = 220;
/** The views of single entries. */
const viewNames = {
  artists: 'artist',
  characters: 'character',
  categories: 'category',
  albums: 'album',
} as const;

const covers = new LazyPictures();
let shown: readonly Subject[] = [];

/** Leaves out properties without content. */
export function createPropertyList(properties: [string, (Node | string)[]][]): HTMLElement {
  const given = properties.filter(([, content]) => content.some((part) => part !== ''));
  const rows = given.map(([term, content]) =>
    el('div', {}, el('dt', {}, term), el('dd', { dir: 'auto' }, ...content)),
  );
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
  const { name, id } = entryView(subject);
  const feed = el('a', { href: `/feed.xml?${name}=${id}` }, 'Feed');
  if (!('url' in subject)) return [...createLead(subject.description), createLine(count, feed)];
  const website = subject.url && externalLink(subject.url, hostName(subject.url));
  return [createLine(count, website, feed)];
}

/** Longer texts are cut after a few lines. */
const MAX_LEAD_LENGTH = 280;
const MAX_LEAD_LINES = 4;

function createLead(text: string): Node[] {
  if (!text) return [];
  const isLong = text.length > MAX_LEAD_LENGTH || text.split('\n').length > MAX_LEAD_LINES;
  const lead = el('p', { class: isLong ? 'lead clamped' : 'lead', dir: 'auto' }, text);
  if (!isLong) return [lead];
  const click = () => {
    const isCut = lead.classList.toggle('clamped');
    button.textContent = isCut ? 'Show all' : 'Show less';
    button.ariaExpanded = String(!isCut);
  };
  const button = el(
    'button',
    { type: 'button', class: 'link-button', 'aria-expanded': 'false', click },
    'Show all',
  );
  return [lead, button];
}

function createLine(...parts: (Node | string)[]): HTMLElement {
  const given = parts.filter((part) => part !== '');
  const separated = given.flatMap((part, index) => (index > 0 ? [' · ', part] : [part]));
  return el('p', { class: 'quiet' }, ...separated);
}

/** Keeps what is on show when a list starts with it. `hasMore` is whether more of the list can be loaded. */
export function showEntries(groups: readonly EntryGroup[], view: View, hasMore: boolean): void {
  const found = groups.filter(({ entries }) => entries.length > 0);
  byId('entries').hidden = found.length === 0;
  const entries = view.name === 'list' ? found.flatMap((group) => withImages(group, hasMore)) : [];
  const isContinuation = shown.length > 0 && shown.every((entry, index) => entry === entries[index]);
  if (!isContinuation) {
    covers.clear();
    const lists = view.name === 'search' ? found.map((group) => createGroup(group, view)) : [createList([])];
    byId('entries').replaceChildren(...lists);
  }
  byId('entries')
    .querySelector(':scope > ul')
    ?.append(...entries.slice(isContinuation ? shown.length : 0).map(createItem));
  shown = entries;
}

export function countEntries(): number {
  return shown.length;
}

export function clearEntries(): void {
  covers.clear();
  shown = [];
  byId('entries').replaceChildren();
  byId('entries').hidden = true;
}

/** The entries of a search under the name of their kind, with a link to the rest. */
function createGroup({ kind, entries }: EntryGroup, { search }: { search: string }): HTMLElement {
  const href = formatUrl({ name: 'list', kind, search, sort: 'name' });
  const rest = el('a', { href, class: 'button' }, `More ${kind}`);
  return el(
    'section',
    { 'aria-labelledby': `found-${kind}` },
    el('h2', { id: `found-${kind}` }, capitalize(kind)),
    createList(entries),
    ...(entries.length === MAX_FOUND ? [rest] : []),
  );
}

/** Those without images are left out, unless that would leave nothing. */
function withImages({ entries }: EntryGroup, hasMore: boolean): Subject[] {
  const used = entries.filter(({ images }) => images !== 0);
  return used.length > 0 || hasMore ? used : entries;
}

function createList(entries: readonly Subject[]): HTMLElement {
  return el('ul', { class: 'entries' }, ...entries.map(createItem));
}

function createItem(entry: Subject): HTMLElement {
  const href = formatUrl(entryView(entry));
  const count = entry.images === undefined ? '' : formatCount(entry.images, 'images');
  const summary = [count, summarizeEntry(entry)].filter(Boolean).join(' · ');
  const link = el(
    'a',
    { href },
    createCover(entry, covers, COVER_SIZE),
    el('span', { class: 'name', dir: 'auto' }, entry.name),
  );
  return el('li', {}, link, ...(summary ? [el('p', { class: 'quiet', dir: 'auto' }, summary)] : []));
}

/** The name is next to it, so it needs no description. `size` is its sides in CSS pixels, about. */
export function createCover(
  { cover, name }: Pick<Subject, 'cover' | 'name'>,
  covers: LazyPictures,
  size: number,
): HTMLElement {
  const [initial = ''] = name;
  if (!cover) return el('span', { class: 'cover', 'aria-hidden': 'true' }, initial.toUpperCase());
  const picture = new Picture(cover, '', (cover: Shown) => gridSources(cover, prefersReducedMotion()));
  const frame = el('span', { class: 'cover picture' }, ...picture.elements);
  const { width, height } = cover.meta.dimens;
  frame.style.backgroundColor = cover.meta.color;
  covers.add(frame, picture);
  // A wide picture is cropped, so it is drawn wider than its frame.
  picture.fit(size * Math.max(1, width / height));
  covers.observe(frame);
  return frame;
}

export function kindOf(entry: Entry): EntryKind {
  if ('ages' in entry) return 'characters';
  if ('nsfw' in entry) return 'categories';
  return 'url' in entry ? 'artists' : 'albums';
}

export function entryView(entry: Entry) {
  return { name: viewNames[kindOf(entry)], id: entry.id, filter: noFilter };
}

function summarizeEntry(entry: Entry): string {
  if ('ages' in entry) return [entry.source, ...entry.occupations].filter(Boolean).join(' · ');
  return 'url' in entry ? entry.url && hostName(entry.url) : entry.description;
}

function hostName(address: string): string {
  return parseUrl(address)?.host ?? address;
}
