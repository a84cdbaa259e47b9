/**
 * Suggests what a search finds while the visitor types, as a combobox with a list of options: the entries and pictures of the page of
 * the search, so Enter shows the same.
 */
import { byId, el } from '../dom.ts';
import { createPageCache } from './fetch-page.ts';
import { texts } from './texts.ts';

const MAX_PER_KIND = 4;
/** Long enough to type the next letter, short enough to feel quick. */
const DELAY_MS = 300;

export function initSuggestions(): void {
  const input = byId<HTMLInputElement>('search-text');
  const form = byId<HTMLFormElement>('search');
  const list = el('div', { id: 'suggestions', role: 'listbox', 'aria-label': texts.suggested });
  const note = el('p.quiet');
  const status = el('p.visually-hidden', { role: 'status' });
  const popup = el('div.popup', { hidden: true }, list, note);
  const load = createPageCache();
  /** The id of the option that Enter opens. */
  let active: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setOpen = (isOpen: boolean) => {
    popup.hidden = !isOpen;
    input.setAttribute('aria-expanded', String(isOpen));
  };
  const close = () => {
    clearTimeout(timer);
    mark(undefined);
    setOpen(false);
  };
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>('[role=option]')];
  const mark = (id: string | undefined) => {
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
  };

  const suggest = () => {
    clearTimeout(timer);
    const text = input.value.trim();
    if (text === '') return close();
    const isCurrent = () => input.value.trim() === text && document.activeElement === input;
    note.textContent = texts.searching;
    if (!list.hasChildNodes()) setOpen(true);
    timer = setTimeout(async () => {
      const groups = await load(`/search?q=${encodeURIComponent(text)}`).then(readGroups, () => []);
      if (!isCurrent()) return;
      list.replaceChildren(...groups);
      note.textContent = groups.length > 0 ? '' : texts.nothingFound(text);
      status.textContent = note.textContent || texts.suggestions(options().length);
      setOpen(true);
      mark(active);
    }, DELAY_MS);
  };

  /** From the text field to the options and around. */
  const step = (by: 1 | -1) => {
    const ids = [undefined, ...options().map(({ id }) => id)];
    mark(ids.at((ids.indexOf(active) + by) % ids.length));
  };
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    if (key === 'ArrowDown' && popup.hidden) suggest();
    if (popup.hidden) return;
    if (key === 'ArrowDown' || key === 'ArrowUp') step(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Escape') close();
    else if (key === 'Enter' && active) byId(active).click();
    else return;
    event.preventDefault();
  });
  input.addEventListener('input', suggest);
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && popup.contains(relatedTarget))) close();
  });
  // A click must not take the focus away before it opens the option.
  popup.addEventListener('pointerdown', (event) => event.preventDefault());
  const attributes = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false' };
  for (const [name, value] of Object.entries({ ...attributes, 'aria-controls': list.id }))
    input.setAttribute(name, value);
  form.after(popup, status);
}

/** The first entries of each kind, and the first pictures. Anyone can see the suggestions, so none is blurred. */
function readGroups(page: Document): HTMLElement[] {
  const sections = [...page.querySelectorAll('.found > section')].map((section) => {
    const items = [...section.querySelectorAll('.entries > li')].slice(0, MAX_PER_KIND);
    return createGroup(section.querySelector('h2')?.textContent ?? '', items.map(createEntry));
  });
  const tiles = [...page.querySelectorAll('main > .grid > .tile:not(.blurred)')].slice(0, MAX_PER_KIND);
  const title = page.querySelector('.eyebrow')?.textContent ?? '';
  return tiles.length > 0 ? [...sections, createGroup(title, tiles.map(createPicture))] : sections;
}

function createGroup(name: string, options: HTMLElement[]): HTMLElement {
  const title = el('p.eyebrow', { role: 'presentation' }, name);
  return el('div', { role: 'group', 'aria-label': name }, title, ...options);
}

function createEntry(item: Element): HTMLElement {
  const [count = ''] = item.querySelector('p')?.textContent?.split(' · ') ?? [];
  return createOption(item, [...(item.querySelector('a')?.children ?? [])], count);
}

function createPicture(tile: Element): HTMLElement {
  const cover = el('span.cover', ...tile.querySelectorAll('svg, img'));
  const picture = cover.querySelector('img');
  const name = el('span.name', { dir: 'auto' }, picture?.alt ?? '');
  if (picture) picture.alt = '';
  return createOption(tile, [cover, name], '');
}

function createOption(item: Element, content: Element[], count: string): HTMLElement {
  const href = item.querySelector('a')?.getAttribute('href') ?? '';
  const id = `suggestion-${item.getAttribute('data-id')}`;
  // Covers are smaller here.
  for (const picture of content.flatMap((part) => [...part.querySelectorAll('img')])) picture.sizes = '40px';
  return el(
    'a',
    { role: 'option', id, href, tabindex: -1, 'aria-selected': 'false' },
    ...content,
    el('small', count),
  );
}
