/** Messages to the visitor: announcements for screen readers, toasts and errors. */
import { ZukanError } from '../client/index.ts';
import { byId, el } from './dom.ts';

const TOAST_MS = 5000;

/** Read out by screen readers, invisible on the page. */
export function announce(text: string): void {
  byId('status').textContent = text;
}

let timer: ReturnType<typeof setInterval> | undefined;

/** Counts down to the retry of a refused request. Screen readers read it once, not every second. */
export function showRetryCountdown(seconds: number): void {
  hideToast();
  const end = performance.now() + seconds * 1000;
  const visible = el('span', { 'aria-hidden': 'true' });
  const spoken = el('span', { class: 'visually-hidden' }, `in ${seconds} s`);
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    visible.textContent = `in ${Math.max(1, left)} s`;
    if (left <= 0) hideToast();
  };
  tick();
  openToast('Too many requests. Retrying ', visible, spoken);
  timer = setInterval(tick, 200);
}

export function showToast(text: string): void {
  hideToast();
  openToast(text);
  timer = setInterval(hideToast, TOAST_MS);
}

function openToast(...content: (Node | string)[]): void {
  const toast = byId('toast');
  toast.replaceChildren(...content);
  // Outside an open dialog it would be neither visible nor read out.
  (document.querySelector('dialog[open] #viewer') ?? document.body).append(toast);
  toast.classList.add('shown');
}

export function hideToast(): void {
  clearInterval(timer);
  byId('toast').classList.remove('shown');
}

export function explainError(error: unknown): string {
  if (error instanceof ZukanError && error.status > 0) return error.message;
  if (!navigator.onLine) return 'You are offline.';
  return 'Cannot reach the service. Check your connection.';
}

/** Offers a retry where that may help. */
export function createErrorMessage(error: unknown, retry: () => void): HTMLElement {
  const canRetry = !(error instanceof ZukanError) || [0, 429].includes(error.status) || error.status >= 500;
  const button = el('button', { type: 'button', class: 'button', click: retry }, 'Try again');
  return el(
    'div',
    { class: 'problem', role: 'alert' },
    el('p', {}, explainError(error)),
    ...(canRetry ? [button] : []),
  );
}
