/** Short messages, the progress of long changes, and numbers and sizes as texts. */
import type { Kind, Progress } from '../../../src/studio/contract.ts';
import { byId } from '../../dom.ts';

// Short messages and the progress of long changes.

const SHOWN_MS = 5000;

export function notify(message: string): void {
  const toast = byId('toast');
  const text = document.createTextNode(message);
  toast.replaceChildren(text);
  // A modal dialog hides everything else from screen readers.
  const note = document.querySelector('dialog[open] .note');
  if (note) note.textContent = message;
  toast.classList.add('shown');
  setTimeout(() => {
    // Otherwise another message has followed.
    if (text.isConnected) toast.classList.remove('shown');
  }, SHOWN_MS);
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

// Numbers and sizes as texts, and lists in texts.

export const plurals: Record<Kind, string> = {
  artist: 'artists',
  category: 'categories',
  character: 'characters',
  album: 'albums',
};
export const KINDS = Object.keys(plurals) as Kind[];

const numbers = new Intl.NumberFormat('en');

export const formatNumber = (value: number): string => numbers.format(value);

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function countPictures(count: number): string {
  return count === 1 ? '1 picture' : `${formatNumber(count)} pictures`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, name] = bytes < 1e7 ? [1e3, 'KB'] : bytes < 1e10 ? [1e6, 'MB'] : [1e9, 'GB'];
  return `${formatNumber(Math.round(bytes / unit))} ${name}`;
}

/** The names of a list that is separated by commas or lines. */
export function splitNames(text: string): string[] {
  return [...new Set(text.split(/[,;\n\r\t]+/).map((name) => name.trim()))].filter(Boolean);
}
