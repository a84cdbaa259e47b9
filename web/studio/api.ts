/** Calls of the studio's server. Changes report their progress line by line. */

/** A change that was made in the studio and can be undone. */
export interface Step {
  id: number;
  label: string;
  at: string;
}

export interface Counted {
  id: string;
  name: string;
  images: number;
}

export interface SelectionSummary {
  images: number;
  version: string;
  ratings: Record<string, number>;
  artists: Counted[];
  categories: Counted[];
  characters: Counted[];
  source?: { name: string; url: string };
  title?: string;
  description?: string;
  takenAt?: string;
  edited: Record<string, number>;
  details?: {
    createdAt: string;
    width: number;
    height: number;
    size: number;
    mimetype: string;
    fileName: string;
  };
}

export interface Progress {
  done?: number;
  total?: number;
  waiting?: true;
}

/** The server refused. `details` may have the state that it is in. */
export class Refused extends Error {
  readonly status: number;
  readonly details: { summary?: SelectionSummary; missing?: string[] };
  constructor(status: number, message: string, details: object) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await open(path, signal ? { signal } : {})).json();
}

export async function getBytes(path: string, signal: AbortSignal): Promise<Uint8Array> {
  return new Uint8Array(await (await open(path, { signal })).arrayBuffer());
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await send(path, body, signal)).json();
}

/** Resolves when the change is saved. */
export async function change<T>(
  path: string,
  body: unknown,
  onProgress: (progress: Progress) => void = () => {},
): Promise<T> {
  const response = await send(path, body);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let last: { result: T } | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line);
      if ('error' in message) throw new Refused(message.status, message.error, message);
      if ('result' in message) last = message;
      else onProgress(message);
    }
    if (done) break;
  }
  if (!last) throw new Error('The studio stopped before it was finished.');
  return last.result;
}

/** Sends a picture to be added. */
export async function upload<T>(query: URLSearchParams, file: Blob): Promise<T> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  return (await open(`/add/picture?${query}`, { method: 'POST', headers, body: file })).json();
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
