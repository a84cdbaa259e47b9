/**
 * Suggests what a search finds while the visitor types in the search field, as a combobox with a list of options. Names that
 * are already loaded appear at once.
 */
import { getSearch, search } from './api.ts';
import { findCachedSubjects } from './cache.ts';
import { byId, el } from './dom.ts';
import { createCover, entryView, kindOf } from './entries.ts';
import { foundText, foundView } from './found.ts';
import { LazyPictures } from './lazy-pictures.ts';
import { announce } from './messages.ts';
import { createTyping } from './pace-typing.ts';
import { formatUrl, searchedKinds } from './route.ts';
import { capitalize, formatCount, imageTitle } from './text.ts';
import type { EntryGroup, Subject, ViewData } from './types.ts';

const MAX_PER_KIND = 4;
/** The sides of a cover in CSS pixels. */
const COVER_SIZE = 40;

const input = byId<HTMLInputElement>('search-text');
const list = el('div', { id: 'suggestions', role: 'listbox', 'aria-label': 'Suggestions' });
const note = el('p', { class: 'quiet' });
const popup = el('div', { class: 'popup', hidden: true }, list, note);
const covers = new LazyPictures();
const typing = createTyping();
/** The id of the option that Enter opens. */
let active: string | undefined;

export function initSuggestions(): void {
  const attributes = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  const form = byId('search');
  form.after(popup);
  input.addEventListener('input', suggest);
  input.addEventListener('keydown', handleKey);
  // The search that follows uses the request that is under way. It moves the focus, which would abort the request, so this
  // comes before it.
  form.addEventListener('submit', () => close(true), { capture: true });
  list.addEventListener('click', () => close());
  form.parentElement?.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.parentElement?.contains(relatedTarget))) close();
  });
}

function close(canFinish = false): void {
  typing.stop(canFinish);
  active = undefined;
  popup.hidden = true;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}

function suggest(): void {
  const text = input.value.trim();
  const known = getSearch(text);
  typing.stop();
  active = undefined;
  if (text === '') close();
  else if (known) showFound(text, known);
  else find(text);
}

/** Shows what is loaded, and then what the API finds. */
function find(text: string): void {
  const subjects = findCachedSubjects(text);
  show(searchedKinds.map((kind) => ({ kind, entries: subjects.filter((entry) => kindOf(entry) === kind) })));
  note.textContent = 'Searching…';
  typing.change(async (signal, isCurrent) => {
    try {
      const data = await search(text, { signal });
      if (isCurrent()) showFound(text, data);
    } finally {
      // Without a connection there is what is already loaded.
      if (isCurrent()) note.textContent = list.hasChildNodes() ? '' : `Nothing found for “${text}”.`;
    }
  });
}

function showFound(text: string, { filters, groups, images }: ViewData): void {
  const view = foundView(filters);
  const meant = view ? [createOption('meant', formatUrl(view), el('span', {}, foundText(view, text)))] : [];
  // Anyone can see the suggestions.
  const titled = images.slice(0, MAX_PER_KIND).map((image) => {
    const title = { name: imageTitle(image), ...(image.nsfw === 'sfw' && { cover: image }) };
    return createNamed(image.id, formatUrl({ name: 'search', search: text }, image.id), title, '');
  });
  show(groups, meant, titled.length > 0 ? [createGroup('pictures', titled)] : []);
  note.textContent = list.hasChildNodes() ? '' : `Nothing found for “${text}”.`;
  announce(note.textContent || `${options().length} suggestions`);
}

function show(groups: EntryGroup[], before: HTMLElement[] = [], after: HTMLElement[] = []): void {
  covers.clear();
  const found = groups
    .filter(({ entries }) => entries.length > 0)
    .map(({ kind, entries }) => createGroup(kind, entries.slice(0, MAX_PER_KIND).map(createEntry)));
  list.replaceChildren(...before, ...found, ...after);
  popup.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  mark(active);
}

function createGroup(name: string, options: HTMLElement[]): HTMLElement {
  const id = `suggested-${name}`;
  const title = el('p', { id, class: 'eyebrow', role: 'presentation' }, capitalize(name));
  return el('div', { role: 'group', 'aria-labelledby': id }, title, ...options);
}

function createEntry(entry: Subject): HTMLElement {
  const count = entry.images === undefined ? '' : formatCount(entry.images, 'images');
  return createNamed(entry.id, formatUrl(entryView(entry)), entry, count);
}

function createNamed(
  id: string,
  href: string,
  named: Pick<Subject, 'name' | 'cover'>,
  count: string,
): HTMLElement {
  const name = el('span', { dir: 'auto' }, named.name);
  return createOption(id, href, createCover(named, covers, COVER_SIZE), name, el('small', {}, count));
}

function createOption(id: string, href: string, ...content: Node[]): HTMLElement {
  const option = { role: 'option', id: `suggestion-${id}`, href, tabindex: -1, 'aria-selected': 'false' };
  return el('a', option, ...content);
}

/** Options that arrive later do not change which one is active. */
function mark(id: string | undefined): void {
  active = undefined;
  for (const option of options()) {
    const isActive = option.id === id;
    option.setAttribute('aria-selected', String(isActive));
    if (!isActive) continue;
    active = id;
    option.scrollIntoView({ block: 'nearest' });
  }
  if (active) input.setAttribute('aria-activedescendant', active);
  else input.removeAttribute('aria-activedescendant');
}

function options(): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role=option]')];
}

function handleKey(event: KeyboardEvent): void {
  if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  if (key === 'ArrowDown' && popup.hidden) suggest();
  if (popup.hidden) return;
  if (key === 'ArrowDown' || key === 'ArrowUp') step(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Escape') close();
  else if (key === 'Enter' && active) byId(active).click();
  else return;
  event.preventDefault();
}

/** From the text field to the options and around. */
function step(by: 1 | -1): void {
  const ids: (string | undefined)[] = [undefined, ...options().map(({ id }) => id)];
  mark(ids.at((ids.indexOf(active) + by) % ids.length));
}
