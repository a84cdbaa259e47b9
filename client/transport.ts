/** One call of the service: its address, its turn, another try where it came too early, and what went wrong. */
import { ZukanError } from './error.ts';
import { Pace, pause } from './pace.ts';

export interface ZukanOptions {
  /** Where the service is. A page that the service sends itself need not say. */
  origin?: string | undefined;
  /** Where the API is there. */
  prefix?: string | undefined;
  /** An access token, for what is not open to all. */
  token?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Is told how many seconds a call that was refused (429) waits until it is tried again. */
  onWait?: ((seconds: number) => void) | undefined;
}

export interface Calling {
  signal?: AbortSignal | undefined;
}

export type Query = Record<string, string | number | readonly string[] | undefined>;

export interface Success {
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of the service promise its shape, see types.ts
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  meta: any;
  /** Of a list, how long it is. */
  total: number;
  /** Of what goes on, where. */
  cursor: string | undefined;
}

/** Who has to wait for longer is told so instead. */
const MAX_WAIT_S = 60;
/** Ten refusals are a block of an hour: who is refused so often shares the limit with someone, and had better stop. */
const MAX_TRIES = 5;

export class Transport {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #onWait: (seconds: number) => void;
  readonly #pace = new Pace();
  /** What the service said last of how long to wait. */
  #interval = 0;

  constructor({ origin = '', prefix = '/api', token, fetch, onWait }: ZukanOptions) {
    if (origin === '' && !fetch && !('location' in globalThis))
      throw new TypeError("There is no page to take the address from: new Zukan({ origin: 'https://…' })");
    this.#base = origin.replace(/\/+$/, '') + prefix;
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.#onWait = onWait ?? (() => {});
  }

  ask(path: string, query: Query, { signal }: Calling): Promise<Success> {
    return this.#pace.run(() => this.#tryUntilLetIn(this.#base + path + queryText(query), signal), signal);
  }

  async #tryUntilLetIn(url: string, signal: AbortSignal | undefined): Promise<Success> {
    for (let tries = 1; ; tries++) {
      const response = await this.#send(url, signal);
      const seconds = Math.max(1, secondsIn(response, 'Retry-After'));
      if (response.status !== 429 || seconds > MAX_WAIT_S || tries === MAX_TRIES) return readAnswer(response);
      // What is not read would keep the connection.
      await response.body?.cancel();
      this.#onWait(seconds);
      await pause(seconds * 1000, signal);
    }
  }

  async #send(url: string, signal: AbortSignal | undefined): Promise<Response> {
    try {
      const response = await this.#fetch(url, { headers: this.#headers, ...(signal && { signal }) });
      this.#interval = moderate(secondsIn(response, 'X-RateLimit-Reset'));
      return response;
    } finally {
      // Who goes away before the answer has been counted all the same.
      this.#pace.holdFor(this.#interval);
    }
  }
}

/** What is not told in digits, or not at all, is no wait. */
function secondsIn({ headers }: Response, name: string): number {
  const text = headers.get(name) ?? '';
  return /^[0-9]+$/.test(text) ? Number(text) : 0;
}

/** Nobody waits in silence for the end of a block: the next call asks, and is told. */
function moderate(seconds: number): number {
  return seconds > MAX_WAIT_S ? 0 : seconds;
}

async function readAnswer(response: Response): Promise<Success> {
  const { status, headers } = response;
  const text = await response.text();
  const { success, data, meta, message } = parsed(text);
  if (response.ok && success === true) {
    const total = Number(headers.get('X-Total-Count'));
    return { data, meta, total, cursor: headers.get('X-Next-Cursor') ?? undefined };
  }
  const explanation = response.ok
    ? 'The answer is none of zukan: is the address right?'
    : `Status ${status}.`;
  const told = typeof message === 'string' ? message : explanation;
  throw new ZukanError(status, told, headers.get('X-Request-Id') ?? '');
}

/** Whatever stands between us and the service may answer in its own way. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return parameters.size > 0 ? `?${parameters}` : '';
}
