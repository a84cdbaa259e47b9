/**
 * The HTTP server of the studio: checks every request, reads bodies of bounded size, and sends the results of handlers. It
 * shares nothing with the public server, whose responses anyone may read.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { isForeign } from '../access/browsers.ts';
import { EditError } from '../changes/errors.ts';
import { RecordError } from '../import/problems.ts';
import { refuseChange, type StudioAccess } from './access.ts';
import { type Address, endpoints, type RequestTo, type ResponseOf } from './contract.ts';
import { HTML, openedPage, type PageFile, refusedPage } from './page.ts';
import { readQuery, readRequest, StudioError } from './requests.ts';
import type { Progress } from './responses.ts';

/** The ids of 200,000 images. */
const MAX_BODY_BYTES = 8_000_000;
const JSON_TYPE = 'application/json; charset=utf-8';
const LINES_TYPE = 'application/x-ndjson';
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** What a handler knows besides the request. */
export interface Call {
  /** Tells the page how far a change is. */
  report: OnProgress;
  /** The bytes of an upload. */
  bytes: Readable;
}

export type OnProgress = (progress: Progress) => void;

export interface StudioRoutes {
  page(): Promise<PageFile>;
  asset(name: string): Promise<PageFile | undefined>;
  picture(
    id: string,
    size: number | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Requests are valid. Results become JSON, and buffers are sent as they are. */
  handlers: { [A in Address]: (request: RequestTo<A>, call: Call) => Promise<ResponseOf<A>> };
}

export interface StudioServer {
  server: Server;
  listen(address: { host: string; port: number }): Promise<AddressInfo>;
}

export function createStudioServer(access: StudioAccess, routes: StudioRoutes): StudioServer {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    handle(access, routes, request, response).catch((error) => sendError(error, response));
  });
  return {
    server,
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
      const address = server.address() as AddressInfo;
      access.cookieName = `zukan-studio-${address.port}`;
      return address;
    },
  };
}

async function handle(
  access: StudioAccess,
  routes: StudioRoutes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method } = request;
  if (!access.isOwnHost(headers))
    throw new StudioError(421, 'this is not an address of the studio: open the one that it printed');
  const url = URL.parse(request.url ?? '', 'http://studio');
  if (!url || (method !== 'GET' && method !== 'POST'))
    throw new StudioError(405, 'the method must be GET or POST');
  const { pathname: path, searchParams: query } = url;
  if (method === 'GET') {
    // These come from other places: a terminal, a chat or a bookmark.
    if (path === '/open') return open(access, query.get('secret') ?? '', response);
    if (path === '/' && !access.hasSession(headers)) return sendFile(response, refusedPage, 401);
    if (path === '/') return sendFile(response, await routes.page());
    // Browsers that do not say so send no cookie either (SameSite).
    if (isForeign(headers)) throw new StudioError(403, 'the request does not come from the studio');
    const name = /^\/assets\/([\w.-]+)$/.exec(path)?.[1];
    const asset = name === undefined ? undefined : await routes.asset(name);
    if (asset) return sendFile(response, asset);
  }
  const address = Object.hasOwn(endpoints, path) ? (path as Address) : undefined;
  const form = address && endpoints[address].form;
  if (method === 'POST') {
    const refusal = refuseChange(
      headers,
      form === 'upload' ? 'application/octet-stream' : 'application/json',
    );
    if (refusal !== undefined) throw new StudioError(403, refusal);
  }
  if (!access.hasSession(headers))
    throw new StudioError(401, 'the session has ended: open the address that the studio prints');
  const [, id, size] = /^\/picture\/([0-9a-f-]{36})(?:\/([1-9]\d{0,4}))?$/.exec(path) ?? [];
  if (method === 'GET' && id !== undefined)
    return routes.picture(id, size === undefined ? undefined : Number(size), request, response);
  if (!address || (form === 'query') !== (method === 'GET'))
    throw new StudioError(404, 'there is nothing at this address');
  const isQuery = form === 'query' || form === 'upload';
  const fields = isQuery ? readQuery(address, query) : readRequest(address, await readBody(request));
  await run(address, fields, routes.handlers, request, response);
}

function open(access: StudioAccess, secret: string, response: ServerResponse): void {
  const session = access.openSession(secret);
  if (session === undefined) {
    sendFile(response, refusedPage, 403);
    return;
  }
  response.setHeader('Set-Cookie', `${access.cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`);
  sendFile(response, openedPage);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const tooLarge = new StudioError(413, 'the request is too large: select fewer pictures');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new StudioError(400, 'the request is not JSON');
  }
}

/** The response to a change is a line for each report, and a last one with the result or the error. */
async function run<A extends Address>(
  address: A,
  fields: RequestTo<A>,
  handlers: StudioRoutes['handlers'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const report = (line: object) => {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': LINES_TYPE });
    response.write(`${JSON.stringify(line)}\n`);
  };
  const result = await handlers[address](fields, { report, bytes: request });
  if (endpoints[address].form === 'change') {
    report({ result });
    response.end();
    return;
  }
  const isBinary = Buffer.isBuffer(result);
  response.writeHead(200, { 'Content-Type': isBinary ? 'application/octet-stream' : JSON_TYPE });
  response.end(isBinary ? result : JSON.stringify(result));
}

function sendFile(response: ServerResponse, { type, text }: PageFile, status = 200): void {
  response.writeHead(status, { 'Content-Type': type, ...(type === HTML && { 'X-Frame-Options': 'DENY' }) });
  response.end(text);
}

function sendError(error: unknown, response: ServerResponse): void {
  const { status, message, details } = toStudioError(error);
  const body = JSON.stringify({ error: message, status, ...details });
  if (response.headersSent) {
    // A picture cannot end with a message.
    if (response.getHeader('Content-Type') !== LINES_TYPE) response.destroy();
    else response.end(`${body}\n`);
    return;
  }
  // The rest of a body that was refused is not read.
  const isUnread = !response.req.complete;
  response.writeHead(status, { 'Content-Type': JSON_TYPE, ...(isUnread && { Connection: 'close' }) });
  response.end(body);
}

function toStudioError(error: unknown): StudioError {
  if (error instanceof StudioError) return error;
  const isRefusal = error instanceof EditError || error instanceof RecordError;
  return new StudioError(isRefusal ? 422 : 500, (error as Error).message);
}
