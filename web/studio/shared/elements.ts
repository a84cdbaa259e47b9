/** What pages of the studio have in common: buttons, fields, lists to choose from, and the frame of a page. */
import { byId, el } from '../../dom.ts';

type Attributes = Parameters<typeof el>[1];

/** A small one, unless it has another class. */
export function button(label: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: 'button small', click, ...attributes }, label);
}

/** With its label above it. */
export function field(label: string, input: HTMLElement): HTMLElement {
  return el('label', { class: 'field' }, el('span', {}, label), input);
}

export function textField(label: string, value: string, attributes: Attributes = {}) {
  const input = el('input', { type: 'text', value, ...attributes });
  return { input, element: field(label, input) };
}

/** `options` are texts by value. */
export function choice(options: Record<string, string>, attributes: Attributes = {}): HTMLSelectElement {
  const entries = Object.entries(options).map(([value, text]) => el('option', { value }, text));
  return el('select', attributes, ...entries);
}

/** In place of the page before. `controls` are next to the title. Returns the element of the content, which `label` names. */
export function showPage(title: string, controls: Node[], label: string, ...content: Node[]): HTMLElement {
  const region = { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label };
  const element = el('div', region, ...content);
  const head = el('div', { class: 'filters' }, el('h1', { tabindex: '-1' }, title), ...controls);
  byId('lists').replaceChildren(head, element);
  return element;
}
