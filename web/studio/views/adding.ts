/** Sends pictures to be added, and shows what became of each. Those that look like others wait for a decision. */
import type { AddedPicture, Found, RequestTo } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { Refused, upload } from '../shared/api.ts';
import { button } from '../shared/elements.ts';
import { capitalise, formatNumber, hideProgress, showProgress } from '../shared/notices.ts';
import { describeFacts, describeFile, forgetPictures, pictureCard } from '../shared/picture.ts';

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
  readonly #results = el('ul.added');
  readonly #status = el('p.quiet', { role: 'status' });
  readonly #trouble = el('div.all', { hidden: true });
  readonly #all = el('div.all', { hidden: true });
  readonly #questions = new Set<Question>();
  readonly element = el('div.results', this.#status, this.#trouble, this.#all, this.#results);
  readonly #steps: Steps;
  readonly #onAdded: () => void;
  /** One picture after the other, so that each has its own result. */
  #last: Promise<unknown> = Promise.resolve();
  #left = 0;

  /** `onAdded` lists the pictures again. */
  constructor(steps: Steps, onAdded: () => void) {
    this.#steps = steps;
    this.#onAdded = onAdded;
    addEventListener('beforeunload', (event) => {
      if (this.#left > 0) event.preventDefault();
    });
    steps.listen({ onStale: forgetSent });
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
    this.#onAdded();
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
      return 'alike' in sent ? this.#ask(chosen, batch, sent.alike) : this.#outcome(chosen, batch, sent);
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
      this.#trouble.replaceChildren(
        el('p', { role: 'alert' }, `${file.name} waits, and what follows it. ${capitalise(reason)}`),
        button('Go on', answer(true)),
        button('Skip this file', answer(false)),
      );
      this.#trouble.hidden = false;
    });
  }

  #ask(chosen: ChosenFile, batch: Batch, alike: Found[]): HTMLElement {
    const question: Question = createQuestion(chosen.file, alike, (decision) => {
      this.#questions.delete(question);
      this.#showAll();
      // Its buttons go, and with them the place of the keyboard.
      const [next] = this.#questions;
      next?.element.querySelector('button')?.focus();
      void this.#enqueue(async () => {
        question.element.replaceWith(await this.#decide(chosen, batch, decision));
        this.#onAdded();
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
        return sent ? this.#outcome(chosen, batch, sent as AddedPicture) : refusal(file, 'skipped');
      }
      const { id, version, label } = decision;
      this.#steps.show(await upload('/add/replacement', { name: file.name, id, version }, file));
      forgetPictures();
      return result(file, `replaced the file of “${label}”`);
    } catch (error) {
      return refusal(file, (error as Error).message);
    }
  }

  #outcome(chosen: ChosenFile, batch: Batch, sent: AddedPicture): HTMLElement {
    const { added, updated, notes, run } = sent;
    // All that were chosen together are one import, and one step.
    if (run !== undefined) batch.run = String(run);
    this.#steps.show(sent);
    rememberSent(chosen, batch.fields);
    const text = added > 0 ? 'added' : updated > 0 ? 'was there already, updated' : 'was there already';
    return result(chosen.file, text, notes.slice(1));
  }

  /** One decision for all questions. */
  #showAll(): void {
    const { size } = this.#questions;
    const answerAll = (text: string, answer: (question: Question) => void) =>
      button(text, () => [...this.#questions].forEach(answer));
    this.#all.hidden = size < 2;
    this.#all.replaceChildren(
      el('p', `${size} pictures look like others.`),
      answerAll('Keep both of all', (question) => question.decide('keep')),
      answerAll('Replace all', (question) => question.decide(question.nearest)),
      answerAll('Skip all', (question) => question.decide('skip')),
    );
  }
}

function sendPicture({ file, folders }: ChosenFile, { fields, run }: Batch, alike?: 'ask') {
  const query = { ...fields, name: file.name, folder: folders, ...(run && { run }), ...(alike && { alike }) };
  return upload('/add/picture', query, file);
}

function result(file: File, text: string, notes: string[] = []): HTMLElement {
  return el(
    'li',
    { class: notes.length > 0 ? 'remark' : 'plain' },
    fileThumbnail(file),
    el('div', `${file.name}: ${text}`, ...notes.map((note) => el('div.quiet', note))),
  );
}

function refusal(file: File, reason: string): HTMLElement {
  return el('li.refused', fileThumbnail(file), el('div', `${file.name}: ${reason}`));
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
  return el('span.thumbnail', image);
}

// A new picture next to those that it looks like: keep both, replace one of them, or skip the new one.

/** A picture is the one to replace. */
export type Decision = 'keep' | 'skip' | Found;

type Question = ReturnType<typeof createQuestion>;

function createQuestion(file: File, found: Found[], onDecide: (decision: Decision) => void) {
  const address = URL.createObjectURL(file);
  const decide = (decision: Decision) => {
    for (const button of element.querySelectorAll('button')) button.disabled = true;
    URL.revokeObjectURL(address);
    onDecide(decision);
  };
  const facts = el('p.quiet', describeFile(file));
  const image: HTMLImageElement = el('img', {
    src: address,
    alt: `New: ${file.name}`,
    decoding: 'async',
    load: () => facts.prepend(`${image.naturalWidth} × ${image.naturalHeight} · `),
  });
  const actions = el(
    'div.actions',
    button('Keep both', () => decide('keep'), { 'aria-label': `Keep both: add ${file.name}` }),
    button('Skip', () => decide('skip'), { 'aria-label': `Skip ${file.name}` }),
  );
  const cards = found.map((picture) => {
    const label = `Replace this: ${picture.label}, ${describeFacts(picture)}, by ${file.name}`;
    return pictureCard(
      picture,
      button('Replace this', () => decide(picture), { 'aria-label': label }),
    );
  });
  const element: HTMLElement = el(
    'li.question',
    `${file.name} looks like ${found.length === 1 ? 'another picture' : 'other pictures'}:`,
    el('ul.alike', el('li', image, el('p', 'The new picture'), facts, actions), ...cards),
  );
  /** The one that the new picture looks like most. */
  const nearest = found[0] as Found;
  return { element, nearest, decide };
}

// Which files of an unfinished batch were added already, as long as the tab is open: after a reload or a lost connection,
// somebody who chooses the same folder again goes on with the rest.

const PREFIX = 'sent ';

/** The same name, size and time are the same file. */
const keyOf = ({ file, folders }: ChosenFile) =>
  PREFIX + JSON.stringify([...folders, file.name, file.size, file.lastModified]);

/** A file that is added with other fields is sent again, because it then gets these. */
function wasSent(chosen: ChosenFile, fields: object): boolean {
  return sessionStorage.getItem(keyOf(chosen)) === JSON.stringify(fields);
}

function rememberSent(chosen: ChosenFile, fields: object): void {
  try {
    sessionStorage.setItem(keyOf(chosen), JSON.stringify(fields));
  } catch {
    // The storage is full: the file would only be sent twice.
  }
}

/** The batch is complete, or what it added may be gone. */
function forgetSent(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

// The files that were dropped or chosen, with the folders that they are in.

export interface ChosenFile {
  file: File;
  /** From the outermost one on. */
  folders: string[];
}

export async function filesOf({ items }: DataTransfer): Promise<ChosenFile[]> {
  // All at once: the list is emptied when the event is over.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return withoutRoot((await Promise.all(entries.map((entry) => filesIn(entry, [])))).flat());
}

/** Those of a file input. */
export function chosenFiles(files: File[]): ChosenFile[] {
  const folders = ({ webkitRelativePath }: File) => webkitRelativePath.split('/').slice(0, -1);
  return withoutRoot(files.map((file) => ({ file, folders: folders(file) })));
}

/** A single folder is the one to import, so its own name does not count, as for the command. */
export function withoutRoot<T extends Pick<ChosenFile, 'folders'>>(files: T[]): T[] {
  const [root] = files[0]?.folders ?? [];
  const hasRoot = root !== undefined && files.every(({ folders }) => folders[0] === root);
  return hasRoot ? files.map((chosen) => ({ ...chosen, folders: chosen.folders.slice(1) })) : files;
}

async function filesIn(entry: FileSystemEntry, folders: string[]): Promise<ChosenFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ file, folders }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside = [...folders, entry.name];
  const files: ChosenFile[] = [];
  for (;;) {
    // A call returns a hundred entries at most, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    for (const found of entries)
      if (!found.name.startsWith('.')) files.push(...(await filesIn(found, inside)));
  }
}
