/** Sends one call: builds its URL, waits for its turn, retries after 429 and reads the response. */
import { baseAddress } from './address.ts';
import { ZukanError } from './error.ts';
import type { CallOptions, ZukanOptions } from './options.ts';
import { isNearBlock, type Pace, readCount, readPace, retryDelay, spacingOf } from './pace.ts';
import { formatQuery, type Query } from './query.ts';
import { RequestQueue, systemTimer, type Timer } from './queue.ts';

export interface Success {
  // biome-ignore lint/suspicious/noExplicitAny: the service's schemas define its structure, see types.ts
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: see data
  meta: any;
  /** The length of the whole list. */
  total: number;
  cursor: string | undefined;
  /** Whether there is a next page. */
  hasMore: boolean;
}

/** The client does not wait longer than this; it throws the 429 instead. */
const MAX_WAIT_S = 60;
const MAX_TRIES = 5;
/** How long refusals count. */
const REST_MS = 3_600_000;

export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #onWait: (seconds: number) => void;
  readonly #timer: Timer;
  readonly #random: () => number;
  readonly #queue: RequestQueue;
  /** As the last response announced it. */
  #pace: Pace = { wait: 0, interval: 0, refusals: 0 };
  /** Sends nothing before. */
  #restsUntil = 0;

  constructor(
    { origin = '', prefix = '/api', token, fetch, onWait }: ZukanOptions,
    timer = systemTimer,
    random = Math.random,
  ) {
    // Deno has the property, but leaves it undefined.
    if (origin === '' && !fetch && (globalThis as { location?: unknown }).location === undefined)
      throw new TypeError("Outside a web page, pass the address: new Zukan({ origin: 'https://…' })");
    this.#base = baseAddress(origin, prefix);
    if (token === '')
      throw new TypeError('The token is empty. Leave it out for calls without one; is a variable not set?');
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const send = fetch ?? ((...request) => globalThis.fetch(...request));
    this.#fetch = (url, init) => explainFailure(send(url, init), url, init?.signal);
    this.#onWait = onWait ?? (() => {});
    this.#timer = timer;
    this.#random = random;
    this.#queue = new RequestQueue(timer);
  }

  url(path: string, query: Query): string {
    return this.#base + path + formatQuery(query);
  }

  get(path: string, query: Query, { signal }: CallOptions): Promise<Success> {
    const url = this.url(path, query);
    return this.#queue.run(() => this.#sendWithRetries(url, signal), signal);
  }

  async #sendWithRetries(url: string, signal: AbortSignal | undefined): Promise<Success> {
    let address = url;
    for (let tries = 1; ; tries++) {
      const response = await this.#send(address, signal);
      // Sent too soon after the redirect to an entry that another one was merged into. That is not asked for again.
      if (response.redirected) address = response.url;
      const seconds = Math.max(1, readCount(response.headers, 'Retry-After'));
      if (response.status !== 429 || seconds > MAX_WAIT_S || tries === MAX_TRIES)
        return readResponse(response, url, signal);
      // An unread body would keep the connection busy.
      await response.body?.cancel();
      this.#throwNearBlock();
      const delay = retryDelay(this.#pace, seconds * 1000, this.#random());
      this.#onWait(Math.ceil(delay / 1000));
      await this.#timer.sleep(delay, signal);
    }
  }

  async #send(url: string, signal: AbortSignal | undefined): Promise<Response> {
    this.#throwNearBlock();
    const sentAt = this.#timer.now();
    // The service counts an aborted request too.
    let wait = this.#pace.interval;
    try {
      const response = await this.#fetch(url, { headers: this.#headers, ...(signal && { signal }) });
      this.#pace = readPace(response.headers);
      if (isNearBlock(this.#pace)) this.#restsUntil = this.#timer.now() + REST_MS;
      // Do not wait silently for the end of a block: the next call gets the error.
      const isBlocked = readCount(response.headers, 'X-RateLimit-Reset') > MAX_WAIT_S;
      wait = isBlocked || isNearBlock(this.#pace) ? 0 : this.#pace.wait;
      return response;
    } finally {
      this.#queue.holdUntil(this.#timer.now() + wait, sentAt, spacingOf(this.#pace));
    }
  }

  #throwNearBlock(): void {
    const seconds = Math.ceil((this.#restsUntil - this.#timer.now()) / 1000);
    if (seconds <= 0) return;
    const message =
      'Not sent, because one more refusal would block this address for an hour. Run fewer programs, or use ' +
      `a token without a limit. Try again in ${seconds} s.`;
    throw new ZukanError(429, message, '', undefined, seconds);
  }
}

/** A failed connection is a `ZukanError`, too. Aborting is not a failure. */
async function explainFailure<T>(
  work: Promise<T>,
  url: unknown,
  signal: AbortSignal | null | undefined,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted) throw error;
    // Node hides the reason in the cause.
    const { message, cause } = error as Error;
    const reason = (cause instanceof Error && cause.message) || message;
    throw new ZukanError(0, `No response from ${String(url).replace(/\?.*/s, '')}: ${reason}`, '', error);
  }
}

async function readResponse(
  response: Response,
  url: string,
  signal: AbortSignal | undefined,
): Promise<Success> {
  const { status, headers } = response;
  const text = await explainFailure(response.text(), url, signal);
  const { success, data, meta, message } = parseJson(text);
  if (response.ok && success === true) {
    const total = Number(headers.get('X-Total-Count'));
    const hasMore = headers.get('Link')?.includes('rel="next"') ?? false;
    return { data, meta, total, cursor: headers.get('X-Next-Cursor') ?? undefined, hasMore };
  }
  const fallback = response.ok ? 'Unexpected response: is this a zukan server?' : `Status ${status}.`;
  const explanation = typeof message === 'string' ? message : fallback;
  const retryAfter = readCount(headers, 'Retry-After') || undefined;
  throw new ZukanError(status, explanation, headers.get('X-Request-Id') ?? '', undefined, retryAfter);
}

/** A proxy in between may send something else than JSON. */
function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
