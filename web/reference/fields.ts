/** The form fields of an operation, made from the list of its parameters. */
import { el } from '../dom.ts';
import { type Query, type Request, toValue, type ValueType } from './code.ts';

export function readRequest(section: HTMLElement): Request {
  return JSON.parse(section.dataset.request ?? '');
}

const rowsIn = (section: HTMLElement) => section.querySelectorAll<HTMLElement>('[data-in]');

export function createFields(section: HTMLElement, { id = '', query = {} }: Request): HTMLElement[] {
  return Array.from(rowsIn(section), (row) => {
    const { name = '', in: place, type, values = '', default: fallback = '' } = row.dataset;
    const value = place === 'path' ? id : String(query[name] ?? '');
    const choices = values.split(',').filter(Boolean);
    if (choices.length > 0 && type === 'list') return checkboxes(name, choices, value.split(','));
    const field = choices.length > 0 ? select(name, choices, value, fallback) : input(name, value, fallback);
    if (place === 'path') field.required = true;
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
  return el('select', { name }, el('option', { value: '' }, fallback && `${fallback} (default)`), ...options);
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

/** The call that the form describes. Empty fields are left out. */
export function readForm(section: HTMLElement, form: HTMLFormElement): Request {
  const data = new FormData(form);
  const query: Query = {};
  let id = '';
  for (const { dataset } of rowsIn(section)) {
    const { name = '', in: place, type } = dataset;
    const text = data.getAll(name).join().trim();
    if (place === 'path') id = text;
    else if (text !== '') query[name] = toValue(text, type as ValueType);
  }
  return { ...readRequest(section), id, query };
}
