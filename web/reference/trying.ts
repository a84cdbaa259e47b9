/** “Try it”: a form with the parameters of an operation, and the answer of this server. */
import { el } from '../dom.ts';
import { countdown, errorMessage, showAnswer, showPicture, showProblem } from './answers.ts';
import { call, loadPicture, remainingWait } from './calls.ts';
import { formatAddress } from './code.ts';
import { showSamples } from './code-blocks.ts';
import { createFields, readForm, readRequest } from './fields.ts';
import { announce } from './status.ts';
import { readToken } from './token.ts';

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
