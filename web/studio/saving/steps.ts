/** Makes changes and undoes them, one after the other. The button undoes one's own, the last one first. */
import type {
  AddressOf,
  Changed,
  ImageEdit,
  RequestTo,
  ResponseOf,
  Step,
  Undone,
} from '../../../src/studio/contract.ts';
import { byId } from '../../dom.ts';
import { change, get } from '../shared/api.ts';
import { capitalise, explain, formatNumber, notify } from '../shared/notices.ts';
import { forgetPictures } from '../shared/picture.ts';
import { type Answer, Outbox } from './outbox.ts';

interface Listener {
  /** Pictures are rated, but this is not saved yet. */
  onRated?(): void;
  /** Pictures were edited, or were not because somebody else had changed them. */
  onEdited?(ids: Set<string>, edits: ImageEdit[]): void;
  /** Everything on the page may be old. */
  onStale?(hasOtherPictures: boolean): void;
}

export class Steps {
  readonly outbox = new Outbox({
    onWaiting: () => this.#showWaiting(),
    onAnswers: (answers, changed) => this.#onAnswers(answers, changed),
  });
  readonly #listeners: Listener[] = [];
  #steps: Step[] = [];
  /** The number of the last change that the steps are of. */
  #lastChange = 0;
  #turn: Promise<unknown> = Promise.resolve();
  /** Part of them has to stay, so that the button goes on with the one before. */
  readonly #passed = new Set<number>();

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Sends what an earlier page left behind. What is done meanwhile follows it. */
  resume(): Promise<void> {
    return this.#inTurn(() => this.outbox.resume());
  }

  /** Returns the number of the last change of all. */
  async load(): Promise<number> {
    const changed = await get('/data/steps', {});
    this.show(changed);
    return changed.last;
  }

  show(changed: Changed): void {
    // A response that was on its way while others came.
    if (changed.last < this.#lastChange) return;
    this.#lastChange = changed.last;
    this.#steps = changed.steps.filter(({ id }) => !this.#passed.has(id));
    this.#showLast();
  }

  /** Makes a change that does not wait in the browser, once everything before it has been saved. */
  changeNow<T extends Changed | undefined>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const { outbox } = this;
      do await outbox.send();
      while (outbox.waiting.length > 0 && outbox.problem === '');
      if (outbox.waiting.length > 0) throw new Error(outbox.problem);
      const result = await work();
      if (result) this.show(result);
      return result;
    });
  }

  /** Returns false if it was refused, which the page says. */
  async tryToMake<A extends AddressOf<'change'>>(
    address: A,
    body: RequestTo<A>,
    message?: string,
  ): Promise<boolean> {
    try {
      await this.changeNow(() => change(address, body) as Promise<ResponseOf<A> & Changed>);
      if (message !== undefined) notify(message);
      return true;
    } catch (error) {
      explain(error);
      return false;
    }
  }

  /** Edits pictures that nobody else has changed since the change `base`. */
  editImages(ids: string[], base: number, edit: ImageEdit | Promise<ImageEdit | undefined>): Promise<void> {
    return this.#inTurn(async () => {
      const known = await edit;
      if (known) await this.outbox.add({ ids, base, edit: known });
    });
  }

  /** What was done last, also if it is not saved yet. */
  undoLast(): Promise<void> {
    return this.#inTurn(async () => {
      const { waiting } = this.outbox;
      const undone = new Set(waiting.map((edit) => ('undoes' in edit ? edit.undoes : undefined)));
      const last = waiting.findLast((edit) => !('undoes' in edit || undone.has(edit.id)));
      const undoes = last?.id ?? this.#steps.find(({ id }) => !undone.has(id))?.id;
      if (undoes === undefined) notify('There is nothing to undo.');
      else await this.outbox.add({ undoes });
    });
  }

  /** Undoes any changes, one after the other. Returns false if one was refused, which the page says. */
  async undo(numbers: number[]): Promise<boolean> {
    const results: Undone[] = [];
    try {
      for (const number of numbers) {
        const result = await this.changeNow(() => requestUndo(number, false));
        if (result.kept.count > 0) this.#passed.add(number);
        this.show(result);
        results.push(result);
      }
      this.#showUndone(results);
      if (results.length > 1) notify(describeAllUndone(results));
      return true;
    } catch (error) {
      // Somebody else may have undone it.
      await this.load().catch(() => {});
      this.#showUndone(results);
      explain(error);
      return false;
    }
  }

  /** From the trash: a picture, or the last file that it had. */
  async restore(id: string, isFormer: boolean): Promise<void> {
    const message = isFormer ? 'The former file is back.' : 'The picture is restored.';
    if (!(await this.tryToMake('/change/restore', { ids: [id] }, message))) return;
    if (isFormer) forgetPictures();
    this.markStale(!isFormer);
  }

  /** Everything on the page may be old, and there may be other pictures. */
  markStale(hasOtherPictures: boolean): void {
    for (const { onStale } of this.#listeners) onStale?.(hasOtherPictures);
  }

  #showLast(): void {
    const [last] = this.#steps;
    const isWaiting = this.outbox.waiting.length > 0;
    const button = byId<HTMLButtonElement>('undo');
    button.disabled = !last && !isWaiting;
    button.textContent = last && !isWaiting ? `Undo: ${last.label}` : 'Undo';
    button.title = this.#steps
      .slice(0, 10)
      .map(({ label }) => label)
      .join('\n');
  }

  #showWaiting(): void {
    const { waiting, problem } = this.outbox;
    const mark = byId('unsaved');
    mark.textContent = waiting.length > 0 ? `${formatNumber(waiting.length)} unsaved` : '';
    mark.title = problem && `${capitalise(problem)} Your browser keeps what is not saved, and tries again.`;
    mark.classList.toggle('trouble', problem !== '');
    this.#showLast();
    for (const { onRated } of this.#listeners) onRated?.();
  }

  /** One after the other: each change may depend on those before it, and an undo on which one is the last. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  #onAnswers(answers: Answer[], changed: Changed): void {
    const edited = new Set(answers.flatMap(({ edit }) => ('ids' in edit ? edit.ids : [])));
    const edits = answers.flatMap(({ edit }) => ('edit' in edit ? edit.edit : []));
    const undone = answers.flatMap((answer) => answer.undone ?? []);
    for (const { number, kept } of undone) if (kept.count > 0) this.#passed.add(number);
    this.show(changed);
    const refused = answers.filter((answer) => answer.refused !== undefined);
    const [first] = refused;
    const others = refused.length > 1 ? ` (and ${formatNumber(refused.length - 1)} more)` : '';
    if (first) explain(new Error(`Not saved: ${first.refused}${others}`));
    if (edited.size > 0) for (const { onEdited } of this.#listeners) onEdited?.(edited, edits);
    const isOlder = answers.some((answer) => answer.isOlder);
    if (isOlder || answers.some(({ edit }) => 'undoes' in edit)) this.#showUndone(undone, isOlder);
  }

  /** Of the last one, if there are several. */
  #showUndone(results: Undone[], hasOthers = false): void {
    const last = results.at(-1);
    if (last) notify(describeUndone(last));
    if (results.some(({ replaced }) => replaced > 0)) forgetPictures();
    const hasOtherPictures = results.some(({ removed, restored }) => removed.count + restored.count > 0);
    this.markStale(hasOthers || hasOtherPictures);
  }
}

const describeUndone = ({ kept, undone }: Pick<Undone, 'kept' | 'undone'>) =>
  kept.count > 0 ? `Undone in part: ${undone}. ${describeKept(kept)}` : `Undone: ${undone}`;

function describeAllUndone(results: Undone[]): string {
  const listed = results.flatMap(({ kept }) => kept.listed);
  const count = results.reduce((sum, { kept }) => sum + kept.count, 0);
  return describeUndone({ undone: `${formatNumber(results.length)} changes`, kept: { count, listed } });
}

function describeKept({ count, listed }: Undone['kept']): string {
  const [first] = listed;
  return count === 1 ? `One thing stays as it is: ${first?.reason}.` : `${count} things stay as they are.`;
}

export const previewUndo = (number: number): Promise<Undone | undefined> =>
  requestUndo(number, true).catch((error) => {
    explain(error);
    return undefined;
  });

const requestUndo = (number: number, isPreview: boolean): Promise<Undone & Changed> =>
  change('/change/undo', { change: number, isPreview });
