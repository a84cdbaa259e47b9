/** Sends pictures to be added, and shows what became of each. Those that look like others wait for a decision. */
import type { AddedPicture, Found, RequestTo } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { AlikeQuestion, type Decision } from './alike-question.ts';
import { upload } from './api.ts';
import { hideProgress, showProgress } from './notices.ts';
import { forgetPictures } from './picture-address.ts';
import { showSteps } from './steps.ts';

/** As the server accepts them, so that nothing is sent in vain. */
const pictureName = /\.(jpe?g|jfif|png|webp|gif|avif)$/i;
const MAX_BYTES = 256 * 1024 * 1024;

/** Of all the pictures that are added together. */
export type Fields = Omit<RequestTo<'/add/picture'>, 'name'>;

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

  /** What was added stays if another one is refused. */
  async addAll(files: File[], fields: Fields): Promise<void> {
    if (this.#left + this.#questions.size === 0) this.#results.replaceChildren();
    this.#left += files.length;
    const total = this.#left;
    for (const file of files)
      this.#enqueue(async () => {
        this.#report(total - this.#left, total);
        this.#results.append(await this.#add(file, fields));
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

  async #add(file: File, fields: Fields): Promise<HTMLElement> {
    if (!pictureName.test(file.name)) return refusal(file, 'it is not a picture');
    if (file.size > MAX_BYTES) return refusal(file, 'it is larger than 256 MB');
    try {
      const result = await upload('/add/picture', { ...fields, name: file.name, alike: 'ask' }, file);
      return 'alike' in result ? this.#ask(file, fields, result.alike) : outcome(file, fields, result);
    } catch (error) {
      return refusal(file, (error as Error).message);
    }
  }

  #ask(file: File, fields: Fields, alike: Found[]): HTMLElement {
    const question = new AlikeQuestion(file, alike, (decision) => {
      this.#questions.delete(question);
      this.#showAll();
      // Its buttons go, and with them the place of the keyboard.
      const [next] = this.#questions;
      next?.element.querySelector('button')?.focus();
      void this.#enqueue(async () => {
        question.element.replaceWith(await decide(file, fields, decision));
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

async function decide(file: File, fields: Fields, decision: Decision): Promise<HTMLElement> {
  if (decision === 'skip') return el('li', {}, `${file.name}: skipped`);
  try {
    if (decision === 'keep') {
      const result = await upload('/add/picture', { ...fields, name: file.name }, file);
      return outcome(file, fields, result as AddedPicture);
    }
    const { id, version, label } = decision;
    showSteps((await upload('/add/replacement', { name: file.name, id, version }, file)).steps);
    forgetPictures();
    return el('li', {}, `${file.name}: replaced the file of “${label}”`);
  } catch (error) {
    return refusal(file, (error as Error).message);
  }
}

function outcome(file: File, fields: Fields, result: AddedPicture): HTMLElement {
  const { added, updated, notes, run, steps } = result;
  // All that were chosen together are one import, and one step.
  if (run !== undefined) fields.run = String(run);
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
