/**
 * The dialog that finds categories, combines them and excludes them. It changes a draft; one button shows its images, so a
 * selection of any size takes one request.
 */
import type { CallOptions } from '../client/index.ts';
import { loadNames } from './api.ts';
import { cacheEntries, findCachedSubjects, Results } from './cache.ts';
import { getSelection } from './category-chips.ts';
import { byId, el } from './dom.ts';
import { kindOf } from './entries.ts';
import { createErrorMessage } from './messages.ts';
import { createTyping } from './pace-typing.ts';
import { emptySelection, type Selection } from './route.ts';
import { containing } from './search-pattern.ts';
import { choiceOf, choose } from './selection.ts';
import { formatCount } from './text.ts';

let draft: Selection = emptySelection;
/** Those of the images on show, then all by name, as far as they are loaded. */
let names: string[] = [];
let listed: string[] = [];
let total: number | undefined;

/** By the text that they contain. */
const found = new Results<{ count: number; total: number }>();
const typing = createTyping();
const input = el('input', {
  id: 'find-category',
  type: 'search',
  autocomplete: 'off',
  spellcheck: 'false',
  autofocus: true,
  placeholder: 'Find a category',
  'aria-label': 'Find a category',
  input: search,
});
const chosen = el('div', { class: 'chosen' });
const list = el('ul', { class: 'choices', tabindex: -1 });
const note = el('p', { class: 'quiet', role: 'status' });
const problem = el('div');
const more = el('button', { type: 'button', class: 'button', click: loadMore }, 'Show more');
const matches = (['all', 'any'] as const).map((match) =>
  el(
    'button',
    { type: 'button', value: match, click: () => update({ ...draft, match }) },
    `${match} of these`,
  ),
);
const matchField = el('fieldset', { class: 'toggles', 'aria-label': 'Images in' }, ...matches);
const showButton = el('button', { type: 'button', class: 'button strong', click: close }, 'Show images');
const dialog = el(
  'dialog',
  { id: 'category-dialog', class: 'panel', 'aria-labelledby': 'category-title', close: () => typing.stop() },
  el(
    'div',
    { class: 'row' },
    el('h2', { id: 'category-title' }, 'Categories'),
    el('button', { type: 'button', class: 'button small', click: close }, 'Cancel'),
  ),
  chosen,
  matchField,
  input,
  el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Found' }, list, problem, more),
  el(
    'div',
    { class: 'row' },
    note,
    el('button', { type: 'button', class: 'button', click: () => update(emptySelection) }, 'Clear'),
    showButton,
  ),
);

export function initCategoryDialog(): void {
  document.body.append(dialog);
  const button = byId<HTMLButtonElement>('choose-categories');
  button.disabled = false;
  button.addEventListener('click', open);
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) close();
  });
  input.addEventListener('keydown', (event) => {
    // Escape empties the field first, and closes the dialog then.
    if (event.key !== 'Escape' || input.value === '') return;
    event.preventDefault();
    input.value = '';
    search();
  });
}

function open(): void {
  input.value = '';
  problem.replaceChildren();
  dialog.showModal();
  const { selection, frequent } = getSelection();
  update(selection);
  names = [...frequent, ...listed.filter((name) => !frequent.includes(name))];
  showNames();
  if (total === undefined) void loadMore();
}

function close(): void {
  dialog.close();
}

function update(selection: Selection): void {
  draft = selection;
  const { categories, exclude, match } = draft;
  chosen.replaceChildren(
    ...[...categories, ...exclude].map((name) => {
      const isExcluded = choiceOf(draft, name) === 'exclude';
      const attributes = {
        type: 'button',
        class: isExcluded ? 'chip excluded' : 'chip',
        'aria-pressed': 'true',
      };
      const remove = () => {
        update(choose(draft, name, undefined));
        input.focus();
      };
      return el('button', { ...attributes, click: remove }, isExcluded ? `not ${name}` : name);
    }),
  );
  matchField.hidden = categories.length < 2;
  for (const button of matches) button.setAttribute('aria-pressed', String(button.value === match));
  showButton.dataset.filterUrl = getSelection().urlOf(draft);
  for (const row of list.children) markRow(row as HTMLElement);
}

/** Each row has a button that includes its category and one that excludes it. */
function createRow(name: string): HTMLElement {
  const createButton = (choice: 'include' | 'exclude', label: string, text: string) => {
    const click = () => update(choose(draft, name, choiceOf(draft, name) === choice ? undefined : choice));
    return el('button', { type: 'button', value: choice, 'aria-label': label, dir: 'auto', click }, text);
  };
  const row = el(
    'li',
    { 'data-name': name },
    createButton('include', name, name),
    createButton('exclude', `not ${name}`, 'not'),
  );
  markRow(row);
  return row;
}

function markRow(row: HTMLElement): void {
  const choice = choiceOf(draft, row.dataset.name ?? '');
  for (const button of row.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button.value === choice));
}

/** What is already loaded appears at once. */
function showNames(): void {
  const text = input.value.trim();
  const shown = text === '' ? names : suggestCategories(text);
  // Rows stay, so the focus does too.
  const rows = new Map([...list.children].map((row) => [(row as HTMLElement).dataset.name ?? '', row]));
  list.replaceChildren(...shown.map((name) => rows.get(name) ?? createRow(name)));
  more.hidden = text !== '' || listed.length >= (total ?? 0);
  note.textContent = text === '' && total !== undefined ? formatCount(total, 'categories') : '';
}

function suggestCategories(text: string): string[] {
  return findCachedSubjects(text).flatMap((entry) => (kindOf(entry) === 'categories' ? entry.name : []));
}

async function loadCategories(search: string, call: CallOptions, offset = 0) {
  const sort = 'name';
  const { entries, total } = await loadNames({ kind: 'categories', search, sort }, call, offset);
  cacheEntries({ groups: [{ kind: 'categories', entries }], subject: undefined });
  return { entries, count: entries.length, total };
}

function search(): void {
  const text = input.value.trim();
  showNames();
  typing.stop();
  if (text === '') return;
  note.textContent = 'Searching…';
  typing.change(async (signal) => {
    const { count, total } = await found.load(text, () => loadCategories(containing(text), { signal }));
    if (signal.aborted) return;
    showNames();
    const rest = total > count ? ' Type more to narrow them down.' : '';
    note.textContent = `${formatCount(total, 'categories')} found.${rest}`;
  });
}

async function loadMore(): Promise<void> {
  problem.replaceChildren();
  more.setAttribute('aria-disabled', 'true');
  const hadFocus = document.activeElement === more;
  try {
    const page = await loadCategories('', {}, listed.length);
    total = page.total;
    const loaded = page.entries.map(({ name }) => name);
    const fresh = loaded.filter((name) => !names.includes(name));
    listed = [...listed, ...loaded];
    names = [...names, ...fresh];
    if (input.value.trim() === '') showNames();
    if (hadFocus)
      list.querySelector<HTMLElement>(`[data-name="${CSS.escape(fresh[0] ?? '')}"] button`)?.focus();
  } catch (error) {
    problem.replaceChildren(createErrorMessage(error, loadMore));
  } finally {
    more.removeAttribute('aria-disabled');
  }
}
