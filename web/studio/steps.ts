/** Makes changes and undoes them, one after the other. The button undoes one's own, the last one first. */
import type {
  AddressOf,
  Changed,
  ImageEdit,
  RequestTo,
  ResponseOf,
  Step,
  Undone,
} from '../../src/studio/contract.ts';
import { byId } from '../dom.ts';
import { change, get } from './api.ts';
import { explain, hideProgress, notify, showProgress } from './notices.ts';
import { type Answer, Outbox } from './outbox.ts';
import { forgetPictures } from './picture-address.ts';
import { capitalise, formatNumber } from './text.ts';

interface Listener {
  /** Pictures are rated, but this is not saved yet. */
  onRated?(): void;
  /** Pictures were edited, or were not because somebody else had changed them. */
  onEdited?(ids: Set<string>, edits: ImageEdit[]): void;
  /** Everything on the page may be old. */
  onUndone?(hasOtherPictures: boolean): void;
}

let steps: Step[] = [];
let listeners: Listener[] = [];
/** The number of the last change that the steps are of. */
let lastChange = 0;
let turn: Promise<unknown> = Promise.resolve();
/** Part of them has to stay, so that the button goes on with the one before. */
const passed = new Set<number>();
export const outbox = new Outbox({ onWaiting: showWaiting, onAnswers });

export function listen(listener: Listener): void {
  listeners = [...listeners, listener];
}

export function showSteps(changed: Changed): void {
  // A response that was on its way while others came.
  if (changed.last < lastChange) return;
  lastChange = changed.last;
  steps = changed.steps.filter(({ id }) => !passed.has(id));
  showLast();
}

function showLast(): void {
  const [last] = steps;
  const isWaiting = outbox.waiting.length > 0;
  const button = byId<HTMLButtonElement>('undo');
  button.disabled = !last && !isWaiting;
  button.textContent = last && !isWaiting ? `Undo: ${last.label}` : 'Undo';
  button.title = steps
    .slice(0, 10)
    .map(({ label }) => label)
    .join('\n');
}

function showWaiting(): void {
  const { waiting, problem } = outbox;
  const mark = byId('unsaved');
  mark.textContent = waiting.length > 0 ? `${formatNumber(waiting.length)} unsaved` : '';
  mark.title = problem && `${capitalise(problem)} Your browser keeps what is not saved, and tries again.`;
  mark.classList.toggle('trouble', problem !== '');
  showLast();
  for (const { onRated } of listeners) onRated?.();
}

/** One after the other: each change may depend on those before it, and an undo on which one is the last. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

/** Makes a change that does not wait in the browser, once everything before it has been saved. */
export function changeNow<T extends Changed | undefined>(work: () => Promise<T>): Promise<T> {
  return inTurn(async () => {
    do await outbox.send();
    while (outbox.waiting.length > 0 && outbox.problem === '');
    if (outbox.waiting.length > 0) throw new Error(outbox.problem);
    const result = await work();
    if (result) showSteps(result);
    return result;
  });
}

export function makeStep<A extends AddressOf<'change'>>(
  address: A,
  body: RequestTo<A>,
): Promise<ResponseOf<A> & Changed> {
  return changeNow(() => change(address, body) as Promise<ResponseOf<A> & Changed>);
}

/** Edits pictures that nobody else has changed since the change `base`. */
export function editImages(
  ids: string[],
  base: number,
  edit: ImageEdit | Promise<ImageEdit | undefined>,
): Promise<void> {
  return inTurn(async () => {
    const known = await edit;
    if (known) await outbox.add({ ids, base, edit: known });
  });
}

/** What was done last, also if it is not saved yet. */
export function undoLast(): Promise<void> {
  return inTurn(async () => {
    const { waiting } = outbox;
    const undone = new Set(waiting.map((edit) => ('undoes' in edit ? edit.undoes : undefined)));
    const last = waiting.findLast((edit) => !('undoes' in edit || undone.has(edit.id)));
    const undoes = last?.id ?? steps.find(({ id }) => !undone.has(id))?.id;
    if (undoes === undefined) notify('There is nothing to undo.');
    else await outbox.add({ undoes });
  });
}

function onAnswers(answers: Answer[], changed: Changed): void {
  const edited = new Set(answers.flatMap(({ edit }) => ('ids' in edit ? edit.ids : [])));
  const edits = answers.flatMap(({ edit }) => ('edit' in edit ? edit.edit : []));
  const undone = answers.flatMap((answer) => answer.undone ?? []);
  for (const { number, kept } of undone) if (kept.count > 0) passed.add(number);
  showSteps(changed);
  const refused = answers.filter((answer) => answer.refused !== undefined);
  const [first] = refused;
  const others = refused.length > 1 ? ` (and ${formatNumber(refused.length - 1)} more)` : '';
  if (first) explain(new Error(`Not saved: ${first.refused}${others}`));
  if (edited.size > 0) for (const { onEdited } of listeners) onEdited?.(edited, edits);
  const isOlder = answers.some((answer) => answer.isOlder);
  if (isOlder || answers.some(({ edit }) => 'undoes' in edit)) tellUndone(undone, isOlder);
}

/** Of the last one, if there are several. */
function tellUndone(results: Omit<Undone, keyof Changed>[], hasOthers = false): void {
  const last = results.at(-1);
  if (last) notify(describeUndone(last));
  if (results.some(({ replaced }) => replaced > 0)) forgetPictures();
  const hasOtherPictures = results.some(({ removed, restored }) => removed.count + restored.count > 0);
  for (const { onUndone } of listeners) onUndone?.(hasOthers || hasOtherPictures);
}

const describeUndone = ({ kept, undone }: Pick<Undone, 'kept' | 'undone'>) =>
  kept.count > 0 ? `Undone in part: ${undone}. ${describeKept(kept)}` : `Undone: ${undone}`;

function describeKept({ count, listed }: Undone['kept']): string {
  const [first] = listed;
  return count === 1 ? `One thing stays as it is: ${first?.reason}.` : `${count} things stay as they are.`;
}

/** Undoes any change. Returns false if it was refused, which the page says. */
export async function undo(number: number): Promise<boolean> {
  try {
    const result = await changeNow(() => requestUndo(number, false));
    if (result.kept.count > 0) passed.add(number);
    showSteps(result);
    tellUndone([result]);
    return true;
  } catch (error) {
    explain(error);
    // Somebody else may have undone it.
    await loadSteps().catch(() => {});
    tellUndone([]);
    return false;
  }
}

export const previewUndo = (number: number): Promise<Undone | undefined> =>
  requestUndo(number, true).catch((error) => {
    explain(error);
    return undefined;
  });

const requestUndo = (number: number, isPreview: boolean): Promise<Undone> =>
  change('/change/undo', { change: number, isPreview }, showProgress).finally(hideProgress);

/** Returns the number of the last change of all. */
export async function loadSteps(): Promise<number> {
  const changed = await get('/data/steps', {});
  showSteps(changed);
  return changed.last;
}

/** Sends what an earlier page left behind. What is done meanwhile follows it. */
export const resume = (): Promise<void> => inTurn(() => outbox.resume());
