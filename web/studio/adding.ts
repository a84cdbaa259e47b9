/** Sends pictures to be added, and shows what became of each. Those that look like others wait for a decision. */
import { el } from '../dom.ts';
import { AlikeQuestion, type Decision, type Found } from './alike-question.ts';
import { type Step, upload } from './api.ts';
import { hideProgress, showProgress } from './notices.ts';
import { forgetPictures } from './picture-address.ts';
import { showSteps } from './steps.ts';

/** As the server accepts them, so that nothing is sent in vain. */
const pictureName = /\.(jpe?g|jfif|png|webp|gif|avif)$/i;
const MAX_BYTES = 256 * 1024 * 1024;

interface Result {
  added: number;
  updated: number;
  notes: string[];
  /** The import that it belongs to, if anything changed. */
  run?: number;
  steps: Step[];
}

export class Adding {
  readonly #results = el('ul', { class: 'added' });
  readonly #status = el('p', { class: 'quiet', role: 'status' });
  readonly #all = el('div', { class: 'all', hidden: true });
  readonly #questions = new Set<AlikeQuestion>();
  readonly element = el('div', { class: 'results' }, this.#status, this.#all, this.#results);
  /** The pictures are listed again. */
  onAdded = () => {};
  /** One picture after the other, so that each has its own result. */
  #last: Promise<unknown> = Promise.resolve();
  #left = 0;

  constructor() {
    addEventListener('beforeunload', (event) => {
      if (this.#left > 0) event.preventDefault();
    });
  }

  /** The query has the fields of all of them. What was added stays if another one is refused. */
  async addAll(files: File[], query: URLSearchParams): Promise<void> {
    if (this.#left + this.#questions.size === 0) this.#results.replaceChildren();
    this.#left += files.length;
    const total = this.#left;
    for (const file of files)
      this.#enqueue(async () => {
        this.#report(total - this.#left, total);
        this.#results.append(await this.#add(file, query));
        this.#left--;
      });
    await this.#enqueue(async () => this.#report(total, total));
    this.onAdded();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done;
    return done;
  }

  #report(done: number, total: number): void {
    showProgress({ done, total });
    if (done === total) hideProgress();
    this.#status.textContent = done === total ? '' : `${done + 1} of ${total}…`;
  }

  async #add(file: File, query: URLSearchParams): Promise<HTMLElement> {
    if (!pictureName.test(file.name)) return refusal(file, 'it is not a picture');
    if (file.size > MAX_BYTES) return refusal(file, 'it is larger than 256 MB');
    try {
      const result = await send<Result | { alike: Found[] }>(file, [...query, ['alike', 'ask']]);
      return 'alike' in result ? this.#ask(file, query, result.alike) : outcome(file, query, result);
    } catch (error) {
      return refusal(file, (error as Error).message);
    }
  }

  #ask(file: File, query: URLSearchParams, alike: Found[]): HTMLElement {
    const question = new AlikeQuestion(file, alike, (decision) => {
      this.#questions.delete(question);
      this.#showAll();
      // Its buttons go, and with them the place of the keyboard.
      const [next] = this.#questions;
      next?.element.querySelector('button')?.focus();
      void this.#enqueue(async () => {
        question.element.replaceWith(await decide(file, query, decision));
        this.onAdded();
      });
    });
    this.#questions.add(question);
    this.#showAll();
    return question.element;
  }

  /** One decision for all questions. */
  #showAll(): void {
    const { size } = this.#questions;
    const button = (text: string, answer: (question: AlikeQuestion) => void) =>
      el(
        'button',
        { type: 'button', class: 'button small', click: () => [...this.#questions].forEach(answer) },
        text,
      );
    this.#all.hidden = size < 2;
    this.#all.replaceChildren(
      el('p', {}, `${size} pictures look like others.`),
      button('Keep both of all', (question) => question.decide('keep')),
      button('Replace all', (question) => question.decide(question.nearest)),
      button('Skip all', (question) => question.decide('skip')),
    );
  }
}

async function decide(file: File, query: URLSearchParams, decision: Decision): Promise<HTMLElement> {
  if (decision === 'skip') return el('li', {}, `${file.name}: skipped`);
  try {
    if (decision === 'keep') return outcome(file, query, await send<Result>(file, [...query]));
    const { id, version, label } = decision;
    const target = [
      ['replaces', id],
      ['version', version],
    ];
    const { steps } = await send<{ steps: Step[] }>(file, target);
    showSteps(steps);
    forgetPictures();
    return el('li', {}, `${file.name}: replaced the file of “${label}”`);
  } catch (error) {
    return refusal(file, (error as Error).message);
  }
}

function send<T>(file: File, fields: string[][]): Promise<T> {
  return upload<T>(new URLSearchParams([...fields, ['name', file.name]]), file);
}

function outcome(file: File, query: URLSearchParams, result: Result): HTMLElement {
  const { added, updated, notes, run, steps } = result;
  // All that were chosen together are one import, and one step.
  if (run !== undefined) query.set('run', String(run));
  showSteps(steps);
  const text = added > 0 ? 'added' : updated > 0 ? 'was there already, updated' : 'was there already';
  return el(
    'li',
    {},
    `${file.name}: ${text}`,
    ...notes.slice(1).map((note) => el('div', { class: 'quiet' }, note)),
  );
}

function refusal(file: File, reason: string): HTMLElement {
  return el('li', { class: 'refused' }, `${file.name}: ${reason}`);
}
