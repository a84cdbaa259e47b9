/** Short messages and the progress of long changes. */
import type { Progress } from '../../src/studio/contract.ts';
import { byId } from '../dom.ts';
import { capitalise } from './text.ts';

const SHOWN_MS = 5000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function notify(message: string): void {
  const toast = byId('toast');
  toast.textContent = message;
  // A modal dialog hides everything else from screen readers.
  const note = document.querySelector('dialog[open] .note');
  if (note) note.textContent = message;
  toast.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => toast.classList.remove('shown'), SHOWN_MS);
}

export function explain(error: unknown): void {
  if ((error as Error).name === 'AbortError') return;
  notify(capitalise((error as Error).message));
}

export function showProgress(progress: Progress): void {
  const isWaiting = 'waiting' in progress;
  if (isWaiting) notify('Waiting for another command to finish…');
  const { done, total } = isWaiting ? { done: 0, total: 0 } : progress;
  const bar = byId('progress');
  bar.hidden = total === 0;
  const share = total === 0 ? 0 : done / total;
  bar.setAttribute('aria-valuenow', String(Math.round(100 * share)));
  (bar.firstElementChild as HTMLElement).style.transform = `scaleX(${share})`;
}

export function hideProgress(): void {
  byId('progress').hidden = true;
}
