/**
 * Suggests names while the visitor types in the search field, as a combobox with a list of options. Names that are already
 * loaded appear at once, those of the API one kind after the other.
 */
import { searchNames } from './api.ts';
import { byId, el } from './dom.ts';
import { entryView } from './entries.ts';
import { announce } from './messages.ts';
import { findKnownNames, suggestNames } from './names.ts';
import { createTyping } from './pace-typing.ts';
import { type EntryKind, entryKinds, formatUrl } from './route.ts';
import { containing } from './search-pattern.ts';
import { capitalize } from './text.ts';

const MAX_PER_KIND = 4;
/** Names rarely contain these, so who types them means a pattern. */
const patternOnly = /[%|*+?{}[\]\\]/;

const input = byId<HTMLInputElement>('search-text');
const list = el('div', { id: 'suggestions', role: 'listbox', 'aria-label': 'Suggestions' });
const note = el('p', { class: 'quiet' });
const popup = el('div', { class: 'popup', hidden: true }, list, note);
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
  close();
  if (text === '' || patternOnly.test(text)) return;
  show(text, true);
  typing.change(async (signal, isCurrent) => {
    try {
      for (const kind of entryKinds) {
        if (findKnownNames(kind, text)) continue;
        await searchNames(kind, containing(text), { signal });
        if (!isCurrent()) return;
        show(text, true);
      }
    } finally {
      if (isCurrent()) {
        show(text, false);
        announce(note.textContent || `${list.querySelectorAll('[role=option]').length} suggestions`);
      }
    }
  });
}

function show(text: string, isSearching: boolean): void {
  const groups = suggestNames(text).filter(({ entries }) => entries.length > 0);
  list.replaceChildren(
    ...groups.map(({ kind, entries }) =>
      el(
        'div',
        { role: 'group', 'aria-labelledby': `suggested-${kind}` },
        el('p', { id: `suggested-${kind}`, class: 'eyebrow', role: 'presentation' }, capitalize(kind)),
        ...entries.slice(0, MAX_PER_KIND).map((entry) => {
          const id = `suggestion-${entry.id}`;
          const href = formatUrl(entryView(entry));
          const option = { role: 'option', id, href, tabindex: -1, dir: 'auto', 'aria-selected': 'false' };
          return el('a', option, entry.name);
        }),
      ),
    ),
  );
  const isComplete = !isSearching || entryKinds.every((kind: EntryKind) => findKnownNames(kind, text));
  const nothing = groups.length === 0 ? `No names contain “${text}”.` : '';
  note.textContent = isComplete ? nothing : 'Searching…';
  popup.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  mark(active);
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
