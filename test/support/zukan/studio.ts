/** A studio on a real port, and a client that behaves like its page. */
import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { startStudio } from '../../../src/cli/serving/studio.ts';
import type { Config } from '../../../src/config/config.ts';
import {
  type Applied,
  endpoints,
  type SelectionSummary,
  type WaitingEdit,
} from '../../../src/studio/contract.ts';

/** An `import` would also load fetch and HTTP/2, which takes 0.06 to 0.1 seconds of CPU time. */
const { request } = process.getBuiltinModule('node:http');

export interface StudioAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape they are about to check
  json: any;
}

type Headers = Record<string, string>;

export interface TestStudio {
  origin: string;
  newAddress(): string;
  /** Any request, with these headers only. */
  send(path: string, headers?: Headers, body?: string | Buffer, method?: string): Promise<StudioAnswer>;
  /** The headers of the page in a browser with a session. */
  signIn(): Promise<Headers>;
  get(path: string): Promise<StudioAnswer>;
  /** `onChunk` gets the response while it arrives. */
  post(path: string, body: unknown, onChunk?: (text: string) => void): Promise<StudioAnswer>;
  /** A change that must succeed: its result. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape they are about to check
  change(path: string, body: unknown): Promise<any>;
  /** Edits of a page, or undos of them, in one request; those of `edit` are of a page of their own. */
  apply(edits: WaitingEdit[]): Promise<Applied[]>;
  /** Edits images that are as they were after the change `base`; without it, as they are now. */
  edit(ids: string[], edit: object, base?: number): Promise<Applied>;
  /** What the button of the page undoes, the last one first. */
  steps(): Promise<{ id: number; label: string }[]>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape they are about to check
  undo(change: number, isPreview?: boolean): Promise<any>;
  summary(ids: string[]): Promise<SelectionSummary>;
  ids(query?: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function openStudio(config: Config): Promise<TestStudio> {
  const running = await startStudio(config, { host: '127.0.0.1', port: 0 });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await running[Symbol.asyncDispose]();
    isOpen = false;
  };
  after(close);
  const { origin } = new URL(running.newAddress());
  const { host } = new URL(origin);
  const send: TestStudio['send'] = (path, headers = {}, body = '', method = body ? 'POST' : 'GET') =>
    sendRequest(new URL(path, origin), headers, body, method);
  const signIn = async () => {
    const { pathname, search } = new URL(running.newAddress());
    const { headers } = await send(pathname + search, { Host: host });
    const [cookie = ''] = String(headers['set-cookie']).split(';');
    return { Host: host, Cookie: cookie, Origin: origin, 'Content-Type': 'application/json' };
  };
  let own: Promise<Headers> | undefined;
  const session = () => {
    own ??= signIn();
    return own;
  };
  const studio: TestStudio = {
    origin,
    newAddress: () => running.newAddress(),
    send,
    signIn,
    close,
    get: async (path) => send(path, await session()),
    post: async (path, body, onChunk) =>
      sendRequest(new URL(path, origin), await session(), JSON.stringify(body), 'POST', onChunk),
    async change(path, body) {
      const { status, text } = await studio.post(path, body);
      const last = JSON.parse(text.trim().split('\n').at(-1) as string);
      if (status !== 200 || !('result' in last)) throw new Error(`${status}: ${text}`);
      return last.result;
    },
    async apply(edits) {
      const { catalogue, user = '' } = (await studio.get('/data/session')).json;
      return (await studio.change('/change/images', { catalogue, user, edits })).applied;
    },
    async edit(ids, edit, base) {
      const { last } = (await studio.get('/data/steps')).json;
      const [applied] = await studio.apply([{ id: `${randomUUID()}-1`, ids, base: base ?? last, edit }]);
      return applied as Applied;
    },
    steps: async () => (await studio.get('/data/steps')).json.steps,
    undo: (change, isPreview = false) => studio.change('/change/undo', { change, isPreview }),
    summary: async (ids) => (await studio.post('/data/summary', { ids })).json,
    async ids(query = '') {
      const { bytes } = await studio.get(`/data/images?${query}`);
      return Array.from({ length: bytes.length / 16 }, (_, index) =>
        toId(bytes.subarray(index * 16, index * 16 + 16).toString('hex')),
      );
    },
  };
  return studio;
}

/** Every address of the contract, and a picture, so that a new address is attacked as soon as it is declared. */
export function everyAddress(id: string) {
  const pictures = [`/picture/${id}`, `/picture/${id}/256`].map((path) => ({ path, form: 'query' }));
  const declared = Object.entries(endpoints).map(([path, { form }]) => ({ path, form: form as string }));
  return [...declared, ...pictures].map(({ path, form }) => ({
    path,
    send(studio: Pick<TestStudio, 'send'>, headers: Headers) {
      const type = form === 'upload' ? 'application/octet-stream' : 'application/json';
      const isGet = form === 'query';
      return studio.send(
        path,
        { ...headers, 'Content-Type': type },
        isGet ? '' : '{}',
        isGet ? 'GET' : 'POST',
      );
    },
  }));
}

function toId(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function sendRequest(
  url: URL,
  headers: Headers,
  body: string | Buffer,
  method: string,
  onChunk: (text: string) => void = () => {},
): Promise<StudioAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port, pathname, search } = url;
    const outgoing = request(
      { host, port, path: pathname + search, headers, method, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', reject);
        incoming.on('data', (chunk) => {
          chunks.push(chunk);
          onChunk(String(chunk));
        });
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const isJson = incoming.headers['content-type']?.startsWith('application/json');
          const json = isJson ? JSON.parse(text) : undefined;
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes, text, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
