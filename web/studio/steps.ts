/** The steps that can be undone. The server has them; the page shows the last one. */
import { byId } from '../dom.ts';
import { change, get, Refused, type Step } from './api.ts';
import { explain, hideProgress, notify, showProgress } from './notices.ts';
import { forgetPictures } from './picture-address.ts';

let steps: Step[] = [];
let listeners: ((step: Step) => void)[] = [];

export const currentSteps = (): Step[] => steps;

/** Called after something was undone, because everything on the page may be old. */
export function onUndone(listener: (step: Step) => void): void {
  listeners = [...listeners, listener];
}

export function showSteps(current: Step[]): void {
  steps = current;
  const [last] = steps;
  const button = byId<HTMLButtonElement>('undo');
  button.disabled = !last;
  button.textContent = last ? `Undo: ${last.label}` : 'Undo';
  button.title = steps
    .slice(0, 10)
    .map(({ label }) => label)
    .join('\n');
}

export async function undo(step = steps[0]): Promise<void> {
  if (!step) {
    notify('There is nothing to undo.');
    return;
  }
  try {
    const result = await change<{ undone: string; steps: Step[] }>(
      '/change/undo',
      { step: step.id },
      showProgress,
    );
    showSteps(result.steps);
    if (step.isReplacement) forgetPictures();
    notify(`Undone: ${result.undone}`);
  } catch (error) {
    if (error instanceof Refused && error.details.steps) showSteps(error.details.steps);
    explain(error);
  } finally {
    hideProgress();
  }
  for (const listener of listeners) listener(step);
}

export async function loadSteps(): Promise<void> {
  showSteps(await get<Step[]>('/data/steps'));
}
