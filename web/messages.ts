/** Messages to the visitor: announcements for screen readers, toasts and errors. */
import { ZukanError } from '../client/index.ts';
import { byId, el } from './dom.ts';
import { formatWait } from './text.ts';

const TOAST_MS = 5000;
const TICK_MS = 200;
/** The client does not wait longer by itself. */
const MAX_WAIT_S = 60;

/** Read out by screen readers, invisible on the page. */
export function announce(text: string): void {
  byId('status').textContent = text;
}

let timer: ReturnType<typeof setInterval> | undefined;

/** Counts down to the retry of a refused request. Screen readers read it once, not every second. */
export function showRetryCountdown(seconds: number): void {
  hideToast();
  const { elements, tick } = createCountdown(seconds, hideToast);
  openToast('Too many requests. Retrying in ', ...elements);
  timer = setInterval(tick, TICK_MS);
}

/** `tick` updates the time left, and calls `end` when it is over. */
function createCountdown(seconds: number, end: () => void) {
  const endsAt = performance.now() + seconds * 1000;
  const visible = el('span', { 'aria-hidden': 'true' });
  const spoken = el('span', { class: 'visually-hidden' }, formatWait(seconds));
  const tick = () => {
    const left = (endsAt - performance.now()) / 1000;
    const text = formatWait(left);
    if (visible.textContent !== text) visible.textContent = text;
    if (left <= 0) end();
  };
  tick();
  return { elements: [visible, spoken], tick };
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
  (document.querySelector('dialog[open] #viewer, #category-dialog[open]') ?? document.body).append(toast);
  toast.classList.add('shown');
}

export function hideToast(): void {
  clearInterval(timer);
  byId('toast').classList.remove('shown');
}

/** The service did not answer: the visitor or the service is offline. */
export function isUnreachable(error: unknown): boolean {
  return !(error instanceof ZukanError) || error.status === 0;
}

export function explainError(error: unknown): string {
  if (!isUnreachable(error)) return (error as ZukanError).message;
  if (!navigator.onLine) return 'You are offline. This continues when you are back online.';
  return 'Cannot reach the service. Check your connection.';
}

/** Offers a retry where that may help, and retries when the visitor is online again or no longer blocked. */
export function createErrorMessage(error: unknown, retry: () => void): HTMLElement {
  const { status = 0, retryAfter = 0 } = error instanceof ZukanError ? error : {};
  const canRetry = [0, 429].includes(status) || status >= 500;
  const button = el('button', { type: 'button', class: 'button', click: retry }, 'Try again');
  const message = el('div', { class: 'problem', role: 'alert' }, ...(canRetry ? [button] : []));
  const retryIfShown = () => {
    if (message.isConnected) retry();
  };
  message.prepend(
    retryAfter > MAX_WAIT_S
      ? explainBlock(retryAfter, message, retryIfShown)
      : el('p', {}, explainError(error)),
  );
  if (isUnreachable(error)) addEventListener('online', retryIfShown, { once: true });
  return message;
}

function explainBlock(seconds: number, message: HTMLElement, retry: () => void): HTMLElement {
  const stop = () => clearInterval(interval);
  const { elements, tick } = createCountdown(seconds, () => {
    stop();
    retry();
  });
  const interval = setInterval(() => (message.isConnected ? tick() : stop()), 1000);
  return el('p', {}, 'You are blocked for too many requests. This continues in ', ...elements, '.');
}
