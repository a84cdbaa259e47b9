/** Undoes changes. The button undoes those of the studio, the last one first, and others are undone from a list. */
import type { AddressOf, RequestTo, ResponseOf, Step, Undone } from '../../src/studio/contract.ts';
import { byId } from '../dom.ts';
import { change, get } from './api.ts';
import { explain, hideProgress, notify, showProgress } from './notices.ts';
import { forgetPictures } from './picture-address.ts';

type Listener = (hasOtherPictures: boolean) => void;

let steps: Step[] = [];
let listeners: Listener[] = [];
let lastChange: Promise<unknown> = Promise.resolve();
/** How many changes wait or run, and whether the last one that ended added a step or undid one. */
let [underWay, hasStepped] = [0, true];
/** Part of them has to stay, so that the button goes on with the one before. */
const passed = new Set<number>();

/** Called after something was undone, because everything on the page may be old. */
export function onUndone(listener: Listener): void {
  listeners = [...listeners, listener];
}

export function showSteps(current: Step[]): void {
  steps = current.filter(({ id }) => !passed.has(id));
  const [last] = steps;
  const button = byId<HTMLButtonElement>('undo');
  button.disabled = !last;
  button.textContent = last ? `Undo: ${last.label}` : 'Undo';
  button.title = steps
    .slice(0, 10)
    .map(({ label }) => label)
    .join('\n');
}

/** Makes one change after the other: each may depend on those before it, and an undo on which one is the last. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  underWay++;
  const done = lastChange.then(async () => {
    const [before] = steps;
    try {
      return await work();
    } finally {
      hasStepped = steps[0]?.id !== before?.id;
      underWay--;
    }
  });
  lastChange = done.catch(() => {});
  return done;
}

/** Makes a change in its turn, and shows it as the last step. */
export function makeStep<A extends AddressOf<'change'>>(
  address: A,
  body: RequestTo<A>,
): Promise<ResponseOf<A>> {
  return inTurn(async () => {
    const result = await change(address, body);
    showSteps(result.steps);
    return result;
  });
}

/** The last step once everything before has been saved, for someone who is faster than the server. */
export function undoLast(): Promise<void> {
  const isEarly = underWay > 0;
  return inTurn(async () => {
    const [last] = steps;
    if (!last) notify('There is nothing to undo.');
    // If what was meant did not happen, the page has said why.
    else if (!isEarly || hasStepped) await undoNow(last.id);
  });
}

/** Returns false if it was refused, which the page says. */
export const undo = (number: number): Promise<boolean> => inTurn(() => undoNow(number));

async function undoNow(number: number): Promise<boolean> {
  const result = await call(number, false);
  if (result) {
    const { removed, restored, kept, replaced, undone } = result;
    if (kept.count > 0) passed.add(number);
    showSteps(result.steps);
    if (replaced > 0) forgetPictures();
    notify(kept.count > 0 ? `Undone in part: ${undone}. ${describeKept(kept)}` : `Undone: ${undone}`);
    for (const listener of listeners) listener(removed.count + restored.count > 0);
  } else {
    // Somebody else may have undone it.
    await loadSteps().catch(() => {});
    for (const listener of listeners) listener(false);
  }
  return result !== undefined;
}

export const previewUndo = (number: number): Promise<Undone | undefined> => call(number, true);

async function call(number: number, isPreview: boolean): Promise<Undone | undefined> {
  try {
    return await change('/change/undo', { change: number, isPreview }, showProgress);
  } catch (error) {
    explain(error);
    return undefined;
  } finally {
    hideProgress();
  }
}

function describeKept({ count, listed }: Undone['kept']): string {
  const [first] = listed;
  return count === 1 ? `One thing stays as it is: ${first?.reason}.` : `${count} things stay as they are.`;
}

export async function loadSteps(): Promise<void> {
  showSteps(await get('/data/steps', {}));
}
