/** Calls of the studio's server. */
import type {
  Address,
  AddressOf,
  RefusalDetails,
  RequestTo,
  ResponseOf,
} from '../../../src/studio/contract.ts';
import { explain, hideProgress, showProgress } from './notices.ts';

/** The server refused. `details` may have the state that it is in. */
export class Refused extends Error {
  readonly status: number;
  readonly details: RefusalDetails;
  constructor(status: number, message: string, details: RefusalDetails) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Work of which only the last one counts. */
export class LastWork {
  #request = new AbortController();

  abort(): void {
    this.#request.abort();
  }

  /** Aborts the one before. */
  async start(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.abort();
    this.#request = new AbortController();
    await work(this.#request.signal).catch(explain);
  }
}

export async function get<A extends AddressOf<'query'>>(
  address: A,
  query: RequestTo<A>,
  signal?: AbortSignal,
): Promise<ResponseOf<A>> {
  return (await open(addressWith(address, query), signal ? { signal } : {})).json();
}

/** The ids of pictures, 16 bytes each. */
export async function getIds(query: URLSearchParams, signal: AbortSignal): Promise<Uint8Array> {
  const response = await open(`/data/images?${query}`, { signal });
  return new Uint8Array(await response.arrayBuffer());
}

export async function post<A extends AddressOf<'lookup'>>(
  address: A,
  body: RequestTo<A>,
  signal?: AbortSignal,
): Promise<ResponseOf<A>> {
  return (await send(address, body, signal)).json();
}

/** Resolves when the change is saved. Until then, the page shows the progress, which the server reports line by line. */
export async function change<A extends AddressOf<'change'>>(
  address: A,
  body: RequestTo<A>,
  signal?: AbortSignal,
): Promise<ResponseOf<A>> {
  const { body: bytes } = await send(address, body, signal);
  const reader = (bytes as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The studio stopped before it was finished.');
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line);
        if ('error' in message) throw new Refused(message.status, message.error, message);
        if ('result' in message) return message.result;
        showProgress(message);
      }
    }
  } finally {
    hideProgress();
  }
}

/** Sends a picture. */
export async function upload<A extends AddressOf<'upload'>>(
  address: A,
  query: RequestTo<A>,
  file: Blob,
): Promise<ResponseOf<A>> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  return (await open(addressWith(address, query), { method: 'POST', headers, body: file })).json();
}

/** Ends the session of a remote studio. */
export async function signOut(): Promise<undefined> {
  await send('/sign-out', {});
}

/** Lists become repeated parameters. */
function addressWith<A extends Address>(address: A, query: RequestTo<A>): string {
  const parameters = Object.entries(query as Record<string, string | string[]>).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, item]),
  );
  return `${address}?${new URLSearchParams(parameters)}`;
}

function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return open(path, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
}

async function open(path: string, options: RequestInit): Promise<Response> {
  const response = await fetch(path, options).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new Error('The studio does not respond. Is it still running?');
  });
  if (response.ok) return response;
  const details = await response.json().catch(() => ({}));
  throw new Refused(response.status, details.error ?? response.statusText, details);
}
