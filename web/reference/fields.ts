/** The form fields of an operation, made from the table of its parameters. */
import { formatQuery } from '../../client/query.ts';
import { el } from '../dom.ts';

/** The section's address with `{id}`, and the values of its example call. */
export interface Example {
  template: string;
  id: string;
  query: URLSearchParams;
}

/** The example call is a command whose last argument is the quoted URL. */
export const quotedUrl = /'([^']*)'$/;

export function readExample(section: HTMLElement): Example {
  const template = section.dataset.address ?? '';
  const command = section.querySelector('.call')?.textContent ?? '';
  const { pathname, searchParams } = new URL(quotedUrl.exec(command)?.[1] ?? '', location.href);
  const position = template.split('/').indexOf('{id}');
  return { template, id: pathname.split('/')[position] ?? '', query: searchParams };
}

export function createFields(section: HTMLElement, { id, query }: Example): HTMLElement[] {
  const rows = section.querySelectorAll<HTMLElement>('tr[data-in]');
  return Array.from(rows, (row) => {
    const name = row.querySelector('th')?.textContent ?? '';
    const { in: location, values = '', many, default: fallback = '' } = row.dataset;
    const value = location === 'path' ? id : (query.get(name) ?? '');
    const choices = values.split(',').filter(Boolean);
    if (choices.length > 0 && many !== undefined) return checkboxes(name, choices, value.split(','));
    const field = choices.length > 0 ? select(name, choices, value, fallback) : input(name, value, fallback);
    if (location === 'path') field.required = true;
    return el('label', { class: 'field' }, el('span', {}, name), field);
  });
}

function input(name: string, value: string, placeholder: string): HTMLInputElement {
  const attributes = { type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' };
  return el('input', { ...attributes, name, value, placeholder });
}

function select(name: string, choices: string[], value: string, fallback: string): HTMLSelectElement {
  const options = choices
    .filter((choice) => choice !== fallback)
    .map((choice) => el('option', { value: choice, selected: choice === value }, choice));
  return el('select', { name }, el('option', { value: '' }, `${fallback} (default)`), ...options);
}

function checkboxes(name: string, choices: string[], checked: string[]): HTMLElement {
  const boxes = choices.map((value) =>
    el(
      'label',
      {},
      el('input', { type: 'checkbox', name, value, checked: checked.includes(value) }),
      el('span', {}, value),
    ),
  );
  return el('fieldset', { class: 'field' }, el('legend', {}, name), ...boxes);
}

/** The path and query of the call that the form describes. Empty fields are left out. */
export function formatAddress(template: string, form: HTMLFormElement): string {
  const query: Record<string, string> = {};
  let path = template;
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim();
    if (text === '') continue;
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, () => encodeURIComponent(text));
    else query[name] = name in query ? `${query[name]},${text}` : text;
  }
  return (path.replace(/\/$/, '') || '/') + formatQuery(query).replaceAll('%2C', ',');
}
