/** What the page says of itself: how many were found, that it waits, what went wrong. */
import { ZukanError } from '../client/index.ts';
import { byId, el } from './dom.ts';

/** For screen readers: what has come. */
export function announce(text: string): void {
  byId('status').textContent = text;
}

let ticking: ReturnType<typeof setInterval> | undefined;

/** Counts down to when a refused call is made again. It is read out once, and not every second. */
export function showWait(seconds: number): void {
  endWait();
  const ends = performance.now() + seconds * 1000;
  const count = el('span', { 'aria-hidden': 'true', class: 'count' });
  const spoken = el('span', { class: 'unseen' }, `in ${seconds} s`);
  const tick = () => {
    const left = Math.ceil((ends - performance.now()) / 1000);
    count.textContent = `in ${Math.max(1, left)} s`;
    if (left <= 0) endWait();
  };
  tick();
  pop('Too many requests. Going on ', count, spoken);
  ticking = setInterval(tick, 200);
}

/** For a moment, over whatever is open. */
export function tell(text: string): void {
  endWait();
  pop(text);
  ticking = setInterval(endWait, 5000);
}

function pop(...content: (Node | string)[]): void {
  const toast = byId('toast');
  toast.replaceChildren(...content);
  // What lies outside an open dialog is neither seen nor read out.
  (document.querySelector('dialog[open]') ?? document.body).append(toast);
  toast.classList.add('shown');
}

export function endWait(): void {
  clearInterval(ticking);
  byId('toast').classList.remove('shown');
}

/** In the API's own words where it has any. */
export function explain(error: unknown): string {
  if (error instanceof ZukanError) return error.message;
  if (!navigator.onLine) return 'You are offline.';
  return 'The service cannot be reached. Is the connection all right?';
}

/** What went wrong, with another try where that may help. */
export function problem(error: unknown, retry: () => void): HTMLElement {
  const mayHelp = !(error instanceof ZukanError) || error.status >= 500 || error.status === 429;
  const again = el('button', { type: 'button', class: 'button', click: retry }, 'Try again');
  return el(
    'div',
    { class: 'problem', role: 'alert' },
    el('p', {}, explain(error)),
    ...(mayHelp ? [again] : []),
  );
}
