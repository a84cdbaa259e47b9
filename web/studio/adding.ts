/** Sends pictures to be added, and shows what became of each. Those that look like others wait for a decision. */
import type { AddedPicture, Found, RequestTo } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { AlikeQuestion, type Decision } from './alike-question.ts';
import { Refused, upload } from './api.ts';
import type { ChosenFile } from './dropped-files.ts';
import { hideProgress, showProgress } from './notices.ts';
import { forgetPictures } from './picture-address.ts';
import { forgetSent, rememberSent, wasSent } from './sent-files.ts';
import { listen, showSteps } from './steps.ts';
import { capitalise, formatNumber } from './text.ts';

/** As the server accepts them, so that nothing is sent in vain. */
export const pictureName = /\.(jpe?g|jfif|png|webp|gif|avif)$/i;
const MAX_BYTES = 256 * 1024 * 1024;
/** Of pictures that were added without a remark. */
const MAX_ROWS = 200;

/** Of all the pictures that are added together. */
export type Fields = Omit<RequestTo<'/add/picture'>, 'name' | 'folder' | 'run' | 'alike'>;

/** What was chosen together is one import. */
interface Batch {
  fields: Fields;
  run?: string;
}

export class Adding {
  readonly #results = el('ul', { class: 'added' });
  readonly #status = el('p', { class: 'quiet', role: 'status' });
  readonly #trouble = el('div', { class: 'all', hidden: true });
  readonly #all = el('div', { class: 'all', hidden: true });
  readonly #questions = new Set<AlikeQuestion>();
  readonly element = el('div', { class: 'results' }, this.#status, this.#trouble, this.#all, this.#results);
  /** The pictures are listed again. */
  onAdded = () => {};
  /** One picture after the other, so that each has its own result. */
  #last: Promise<unknown> = Promise.resolve();
  #left = 0;

  constructor() {
    addEventListener('beforeunload', (event) => {
      if (this.#left > 0) event.preventDefault();
    });
    listen({ onUndone: forgetSent });
  }

  /** What was added stays if another one is refused. */
  async addAll(files: ChosenFile[], fields: Fields): Promise<void> {
    if (this.#left + this.#questions.size === 0) this.#results.replaceChildren();
    this.#left += files.length;
    const total = this.#left;
    const batch: Batch = { fields };
    for (const chosen of files)
      this.#enqueue(async () => {
        this.#report(total - this.#left, total, chosen.file.name);
        this.#append(await this.#add(chosen, batch));
        this.#left--;
      });
    await this.#enqueue(async () => this.#report(total, total));
    if (this.#left === 0) forgetSent();
    this.onAdded();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done;
    return done;
  }

  #report(done: number, total: number, name = ''): void {
    showProgress({ done, total });
    if (done === total) hideProgress();
    this.#status.textContent =
      done === total ? '' : `${formatNumber(done + 1)} of ${formatNumber(total)}: ${name}…`;
  }

  /** Refusals and remarks stay, however many pictures follow. */
  #append(row: HTMLElement): void {
    this.#results.append(row);
    const plain = this.#results.querySelectorAll(':scope > .plain');
    if (plain.length > MAX_ROWS) plain[0]?.remove();
  }

  async #add(chosen: ChosenFile, batch: Batch): Promise<HTMLElement> {
    const { file } = chosen;
    if (!pictureName.test(file.name)) return refusal(file, 'it is not a picture');
    if (file.size > MAX_BYTES) return refusal(file, 'it is larger than 256 MB');
    if (wasSent(chosen, batch.fields)) return result(file, 'was sent before');
    try {
      const sent = await this.#send(file, () => sendPicture(chosen, batch, 'ask'));
      if (sent === undefined) return refusal(file, 'skipped');
      return 'alike' in sent ? this.#ask(chosen, batch, sent.alike) : outcome(chosen, batch, sent);
    } catch (error) {
      return refusal(file, (error as Error).message);
    }
  }

  /** Waits until the studio can be reached again, or somebody skips the file: undefined then. */
  async #send<T>(file: File, send: () => Promise<T>): Promise<T | undefined> {
    for (;;)
      try {
        return await send();
      } catch (error) {
        // A session that has ended can be opened again in another tab.
        if (error instanceof Refused && error.status !== 401) throw error;
        if (!(await this.#askToGoOn(file, (error as Error).message))) return undefined;
      }
  }

  #askToGoOn(file: File, reason: string): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (isRetried: boolean) => () => {
        this.#trouble.hidden = true;
        resolve(isRetried);
      };
      const button = (text: string, isRetried: boolean) =>
        el('button', { type: 'button', class: 'button small', click: answer(isRetried) }, text);
      this.#trouble.replaceChildren(
        el('p', { role: 'alert' }, `${file.name} waits, and what follows it. ${capitalise(reason)}`),
        button('Go on', true),
        button('Skip this file', false),
      );
      this.#trouble.hidden = false;
    });
  }

  #ask(chosen: ChosenFile, batch: Batch, alike: Found[]): HTMLElement {
    const question = new AlikeQuestion(chosen.file, alike, (decision) => {
      this.#questions.delete(question);
      this.#showAll();
      // Its buttons go, and with them the place of the keyboard.
      const [next] = this.#questions;
      next?.element.querySelector('button')?.focus();
      void this.#enqueue(async () => {
        question.element.replaceWith(await this.#decide(chosen, batch, decision));
        this.onAdded();
      });
    });
    this.#questions.add(question);
    this.#showAll();
    return question.element;
  }

  async #decide(chosen: ChosenFile, batch: Batch, decision: Decision): Promise<HTMLElement> {
    const { file } = chosen;
    if (decision === 'skip') return result(file, 'skipped');
    try {
      if (decision === 'keep') {
        const sent = await this.#send(file, () => sendPicture(chosen, batch));
        return sent ? outcome(chosen, batch, sent as AddedPicture) : refusal(file, 'skipped');
      }
      const { id, version, label } = decision;
      showSteps(await upload('/add/replacement', { name: file.name, id, version }, file));
      forgetPictures();
      return result(file, `replaced the file of “${label}”`);
    } catch (error) {
      return refusal(file, (error as Error).message);
    }
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

function sendPicture({ file, folders }: ChosenFile, { fields, run }: Batch, alike?: 'ask') {
  const query = { ...fields, name: file.name, folder: folders, ...(run && { run }), ...(alike && { alike }) };
  return upload('/add/picture', query, file);
}

function outcome(chosen: ChosenFile, batch: Batch, sent: AddedPicture): HTMLElement {
  const { added, updated, notes, run } = sent;
  // All that were chosen together are one import, and one step.
  if (run !== undefined) batch.run = String(run);
  showSteps(sent);
  rememberSent(chosen, batch.fields);
  const text = added > 0 ? 'added' : updated > 0 ? 'was there already, updated' : 'was there already';
  return result(chosen.file, text, notes.slice(1));
}

function result(file: File, text: string, notes: string[] = []): HTMLElement {
  return el(
    'li',
    { class: notes.length > 0 ? 'remark' : 'plain' },
    fileThumbnail(file),
    el('div', {}, `${file.name}: ${text}`, ...notes.map((note) => el('div', { class: 'quiet' }, note))),
  );
}

function refusal(file: File, reason: string): HTMLElement {
  return el('li', { class: 'refused' }, fileThumbnail(file), el('div', {}, `${file.name}: ${reason}`));
}

/** The picture as the browser reads it. The row says what it is. */
export function fileThumbnail(file: File): HTMLElement {
  const address = URL.createObjectURL(file);
  const forget = () => URL.revokeObjectURL(address);
  const image: HTMLImageElement = el('img', {
    ...{ src: address, alt: '', decoding: 'async' },
    load: forget,
    error: () => {
      forget();
      image.removeAttribute('src');
    },
  });
  return el('span', { class: 'thumbnail' }, image);
}
