/** “Try it”: a form with the parameters of an operation, and the answer of this server. */
import { el } from '../dom.ts';
import { countdown, errorMessage, showAnswer, showPicture, showProblem } from './answers.ts';
import { call, loadPicture, readToken, remainingWait } from './calls.ts';
import { formatAddress, type Query, type Request, toValue, type ValueType } from './code.ts';
import { announce, showSamples } from './code-blocks.ts';

export function toggleForm(button: HTMLButtonElement): void {
  const section = button.closest<HTMLElement>('.operation');
  if (!section) return;
  let form = section.querySelector<HTMLFormElement>('.try');
  if (form) form.hidden = !form.hidden;
  else {
    form = createForm(section);
    button.closest('.example')?.after(form);
  }
  button.setAttribute('aria-expanded', String(!form.hidden));
}

function createForm(section: HTMLElement): HTMLFormElement {
  const request = readRequest(section);
  const send = el('button', { type: 'submit', class: 'button strong' }, 'Send');
  const cancel = el('button', { type: 'button', class: 'button', hidden: true }, 'Cancel');
  const state = el('span', { class: 'quiet' });
  const result = el('div', { class: 'result' });
  const form = el(
    'form',
    { class: 'try', 'aria-label': `Try ${request.path}` },
    el('div', { class: 'fields' }, ...createFields(section, request)),
    el('p', { class: 'send' }, send, cancel, state),
    result,
  );
  form.addEventListener('input', () => showSamples(section, readForm(section, form)));
  let controller: AbortController | undefined;
  cancel.addEventListener('click', () => {
    controller?.abort();
    send.focus();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (controller) return;
    controller = new AbortController();
    send.setAttribute('aria-disabled', 'true');
    cancel.hidden = false;
    result.classList.add('reserved');
    state.replaceChildren(...describeWait());
    try {
      const address = formatAddress(readForm(section, form)) || '/';
      const shown = await (request.body === 'file' ? fetchFile : fetchRecord)(address, controller.signal);
      result.replaceChildren(...shown);
    } catch (error) {
      if (!controller.signal.aborted) result.replaceChildren(...showProblem(explainFailure(error)));
    }
    announce(result.querySelector('.outcome')?.textContent ?? '');
    controller = undefined;
    send.removeAttribute('aria-disabled');
    cancel.hidden = true;
    state.replaceChildren();
  });
  return form;
}

function describeWait(): (Node | string)[] {
  const seconds = Math.ceil(remainingWait() / 1000);
  return seconds > 0 ? ['Waiting for the rate limit: ', countdown(seconds)] : ['Sending…'];
}

async function fetchRecord(address: string, signal: AbortSignal): Promise<Node[]> {
  const token = readToken();
  return showAnswer(await call(address, token, signal), token ? 'sent' : 'none');
}

/** If there is no picture, the call is made once more to learn why. */
async function fetchFile(address: string, signal: AbortSignal): Promise<Node[]> {
  const picture = await loadPicture(address, signal);
  if (picture) return showPicture(picture);
  const answer = await call(address, '', signal);
  if (errorMessage(answer) !== undefined) return showAnswer(answer, 'impossible');
  const again = await loadPicture(address, signal);
  return again ? showPicture(again) : showProblem('The file cannot be shown.');
}

/** `fetch` says little about a failed connection. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof TypeError)) return String((error as Error).message);
  return navigator.onLine ? 'No response from the server. Try again.' : 'You are offline.';
}

// The fields of the form, made from the list of the parameters.

function readRequest(section: HTMLElement): Request {
  return JSON.parse(section.dataset.request ?? '');
}

const rowsIn = (section: HTMLElement) => section.querySelectorAll<HTMLElement>('[data-in]');

function createFields(section: HTMLElement, { id = '', query = {} }: Request): HTMLElement[] {
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
function readForm(section: HTMLElement, form: HTMLFormElement): Request {
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
