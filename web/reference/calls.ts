/** Calls this server for the reader, with the reader's token: one call at a time, and no sooner than the rate limit allows. */
import { type Pace, readCount, readPace } from '../../client/pace.ts';
import { RequestQueue, systemTimer } from '../../client/queue.ts';
import { byId, el } from '../dom.ts';

export interface Answer {
  /** 302 if the call redirects: then nothing else is known. */
  status: number;
  headers: Headers;
  text: string;
}

const queue = new RequestQueue(systemTimer);
/** As the last response announced it. Until then, the usual limit is assumed. */
let pace: Pace = { wait: 1000, interval: 1000, refusals: 0 };
let openAt = 0;

/** How long the next call has to wait, in milliseconds. */
export function remainingWait(): number {
  return Math.max(0, openAt - systemTimer.now());
}

function hold(milliseconds: number): void {
  openAt = systemTimer.now() + milliseconds;
  queue.holdUntil(openAt);
}

/** The token stays on this origin: redirects are not followed, and the page may not connect to another one. */
export function call(path: string, token: string, signal: AbortSignal): Promise<Answer> {
  const headers = { Accept: 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  return queue.run(async () => {
    let wait = pace.interval;
    try {
      const response = await fetch(path, { headers, signal, redirect: 'manual' });
      if (response.type === 'opaqueredirect') return { status: 302, headers: new Headers(), text: '' };
      pace = readPace(response.headers);
      const isRefused = response.status === 429;
      wait = isRefused ? Math.max(1, readCount(response.headers, 'Retry-After')) * 1000 : pace.wait;
      return { status: response.status, headers: response.headers, text: await response.text() };
    } finally {
      hold(wait);
    }
  }, signal);
}

let pictures = 0;

/** Undefined if it is no picture: then `call` tells why. Browsers send no token with a picture. */
export function loadPicture(path: string, signal: AbortSignal): Promise<HTMLImageElement | undefined> {
  return queue.run(async () => {
    // A page loads a picture only once from an address. The server ignores the parameter.
    const src = `${path}${path.includes('?') ? '&' : '?'}_=${pictures++}`;
    const picture = el('img', { src, alt: 'The image that this call returns' });
    try {
      await picture.decode();
      return picture;
    } catch {
      return undefined;
    } finally {
      hold(pace.interval);
    }
  }, signal);
}

// The token for the calls of this page. It exists only in its field, so it is gone with the page.

const field = byId<HTMLInputElement>('token-field');
const forget = byId<HTMLButtonElement>('forget-token');

export function initToken(): void {
  const update = () => {
    forget.disabled = field.value === '';
  };
  field.addEventListener('input', update);
  forget.addEventListener('click', () => {
    field.value = '';
    update();
    field.focus();
  });
  // A page from the browser's cache would show the token to anyone who goes back to it.
  addEventListener('pagehide', () => {
    field.value = '';
  });
  addEventListener('pageshow', update);
}

/** Empty if there is none. Throws what is wrong with it: other characters cannot be sent in a header. */
export function readToken(): string {
  const token = field.value.trim();
  if (!/^[\x21-\x7e]*$/.test(token)) throw new Error('A token has only letters and digits. Check the token.');
  return token;
}
