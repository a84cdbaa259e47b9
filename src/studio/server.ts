/**
 * The HTTP server of the studio: checks every request, reads bodies of bounded size, and sends the results of handlers. It
 * shares nothing with the public server, whose responses anyone may read.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, BlockList, Server as NetServer, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isForeign, ownerOf } from '../access/clients.ts';
import { EditError } from '../changes/entries.ts';
import { RecordError } from '../import/records/lines.ts';
import { type Access, checkPost, type Session } from './access.ts';
import { type Address, endpoints, type Progress, type RequestTo, type ResponseOf } from './contract.ts';
import {
  HTML,
  type PageFile,
  type PictureAddress,
  readJson,
  readQuery,
  readRequest,
  StudioError,
} from './requests.ts';

const MAX_UPLOAD_MS = 3_600_000;
/** How long a client without a session may neither send nor read anything. */
const MAX_IDLE_MS = 60_000;
/** How long the TLS handshake may take, and the header of a request, also of the first one. */
const MAX_HEADER_MS = 5000;
const CHECK_INTERVAL_MS = 1000;
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
export interface Call extends Session {
  /** Tells the page how far a change is. */
  report: OnProgress;
  /** The bytes of an upload. */
  bytes: Readable;
  /** Aborted when the page disconnects. */
  signal: AbortSignal;
}

type OnProgress = (progress: Progress) => void;

/** Requests are valid. Results become JSON, and buffers are sent as they are. */
export type Handlers<Among extends Address = Address> = {
  [A in Among]: (request: RequestTo<A>, call: Call) => Promise<ResponseOf<A>>;
};

export interface StudioRoutes {
  /** A file of the page, which is `index.html` itself. */
  asset(name: string): Promise<PageFile | undefined>;
  picture(address: PictureAddress, request: IncomingMessage, response: ServerResponse): Promise<void>;
  handlers: Handlers;
}

/** PEM. */
export interface TlsFiles {
  cert: Buffer;
  key: Buffer;
}

/** With `tls`, the server speaks HTTPS. */
export function createStudioServer(access: Access, routes: StudioRoutes, tls?: TlsFiles) {
  const connections = new Connections();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...access.headers }))
      response.setHeader(name, value);
    handle(access, connections, routes, request, response).catch((error) => sendError(error, response));
  };
  const timeouts = { headersTimeout: MAX_HEADER_MS, connectionsCheckingInterval: CHECK_INTERVAL_MS };
  const server = tls
    ? createTlsServer(
        { ...tls, ...timeouts, minVersion: 'TLSv1.2', handshakeTimeout: MAX_HEADER_MS },
        onRequest,
      )
    : createServer(timeouts, onRequest);
  // A picture of 256 MB may take long to arrive. Without a session, nothing of a body is waited for.
  server.requestTimeout = MAX_UPLOAD_MS;
  server.timeout = MAX_IDLE_MS;
  // A page goes on with a connection that has a session.
  server.keepAliveTimeout = MAX_IDLE_MS;
  connections.watch(server, access.proxies);
  return {
    server,
    async listen({ host, port }: { host: string; port: number }): Promise<AddressInfo> {
      server.listen(port, host);
      await once(server, 'listening');
      const address = server.address() as AddressInfo;
      access.port = address.port;
      return address;
    },
  };
}

async function handle(
  access: Access,
  connections: Connections,
  routes: StudioRoutes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  access.checkConnection(request);
  const session = access.session(request);
  connections.setSession(request.socket, session !== undefined);
  const { headers, method } = request;
  const url = URL.parse(request.url ?? '', 'http://studio');
  if (!url || (method !== 'GET' && method !== 'POST'))
    throw new StudioError(405, 'the method must be GET or POST');
  const entered = await access.enter(request, url);
  if (entered) return sendFile(response, entered.page, entered.status, entered.headers);
  const { pathname: path, searchParams: query } = url;
  if (method === 'GET') {
    // A bookmark comes from another place too. Browsers that do not say so send no cookie either (SameSite).
    if (path !== '/' && isForeign(headers))
      throw new StudioError(403, 'the request does not come from the studio');
    const name = path === '/' ? 'index.html' : /^\/assets\/([\w.-]+)$/.exec(path)?.[1];
    const asset = name === undefined ? undefined : await routes.asset(name);
    if (asset) return sendFile(response, asset);
  }
  const address = Object.hasOwn(endpoints, path) ? (path as Address) : undefined;
  const form = address && endpoints[address].form;
  if (method === 'POST') {
    // No form of another site can send these types.
    const type = form === 'upload' ? 'application/octet-stream' : 'application/json';
    checkPost(request, access.originOf(request), type);
  }
  if (!session) throw new StudioError(401, `the session has ended: ${access.advice}`);
  // A change may wait long for another command.
  response.setTimeout(0);
  const [, id, former, size] =
    /^\/picture\/([0-9a-f-]{36})(\/former)?(?:\/([1-9]\d{0,4}))?$/.exec(path) ?? [];
  if (method === 'GET' && id !== undefined) {
    const address = {
      id,
      size: size === undefined ? undefined : Number(size),
      isFormer: former !== undefined,
    };
    return routes.picture(address, request, response);
  }
  if (!address || (form === 'query') !== (method === 'GET'))
    throw new StudioError(404, 'there is nothing at this address');
  const isQuery = form === 'query' || form === 'upload';
  const fields = isQuery ? readQuery(address, query) : readRequest(address, await readJson(request));
  await run(address, fields, routes.handlers, session, request, response);
}

/** The response to a change is a line for each report, and a last one with the result or the error. */
async function run<A extends Address>(
  address: A,
  fields: RequestTo<A>,
  handlers: Handlers,
  session: Session,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const report = (line: object) => {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': LINES_TYPE });
    response.write(`${JSON.stringify(line)}\n`);
  };
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const { signal } = disconnected;
  const result = await handlers[address](fields, { ...session, report, bytes: request, signal });
  if (endpoints[address].form === 'change') {
    report({ result });
    response.end();
    return;
  }
  const isBinary = Buffer.isBuffer(result);
  response.writeHead(200, { 'Content-Type': isBinary ? 'application/octet-stream' : JSON_TYPE });
  response.end(isBinary ? result : JSON.stringify(result));
}

function sendFile(
  response: ServerResponse,
  { type, text }: PageFile,
  status = 200,
  headers: Record<string, string> = {},
): void {
  const framing = type === HTML && { 'X-Frame-Options': 'DENY' };
  response.writeHead(status, { 'Content-Type': type, ...closeIfUnread(response), ...framing, ...headers });
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
  response.writeHead(status, { 'Content-Type': JSON_TYPE, ...closeIfUnread(response) });
  response.end(body);
}

/** The rest of a body that nobody asked for is not read. */
function closeIfUnread({ req }: ServerResponse): Record<string, string> {
  return req.complete ? {} : { Connection: 'close' };
}

export function toStudioError(error: unknown): StudioError {
  if (error instanceof StudioError) return error;
  const isRefusal = error instanceof EditError || error instanceof RecordError;
  return new StudioError(isRefusal ? 422 : 500, (error as Error).message);
}

// Connections without a session can neither use up all connections nor keep others from getting in.

const MAX_CONNECTIONS = 500;
/**
 * Without a session, of an address or the /64 network of an IPv6 address. Behind it may be somebody else, whose new connection has
 * time for its first request until so many more have come.
 */
const MAX_PER_OWNER = 200;

interface Connection {
  socket: Pick<Socket, 'destroy'>;
  /** Undefined: a proxy's, which has many clients. */
  owner: string | undefined;
  hasSession: boolean;
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

/** With TLS, a request has another socket than its connection, with the same ends. */
const nameOf = ({ remoteAddress, remotePort, localAddress }: Ends) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

export class Connections {
  readonly #max: number;
  readonly #maxPerOwner: number;
  /** The oldest first. */
  readonly #open = new Map<string, Connection>();

  constructor(max = MAX_CONNECTIONS, maxPerOwner = MAX_PER_OWNER) {
    this.#max = max;
    this.#maxPerOwner = maxPerOwner;
  }

  watch(server: NetServer, proxies: BlockList): void {
    server.on('connection', (socket) => {
      const name = nameOf(socket);
      socket.once('close', () => this.remove(name, socket));
      this.add(name, socket, ownerOf(socket, proxies));
    });
  }

  /** If the owner has too many without a session, its oldest goes; if there are too many in all, the oldest of whoever has most. */
  add(name: string, socket: Connection['socket'], owner: string | undefined): void {
    this.#open.set(name, { socket, owner, hasSession: false });
    const without = [...this.#open].filter(([, { hasSession }]) => !hasSession);
    const byOwner = Map.groupBy(without, ([, connection]) => connection.owner);
    const own = byOwner.get(owner) ?? [];
    if (owner !== undefined && own.length > this.#maxPerOwner) this.#drop(own);
    else if (this.#open.size > this.#max)
      this.#drop([...byOwner.values()].reduce((most, other) => (other.length > most.length ? other : most)));
  }

  #drop([first]: [string, Connection][]): void {
    if (!first) return;
    const [name, { socket }] = first;
    this.#open.delete(name);
    socket.destroy();
  }

  /** Whether the latest request had a session. */
  setSession(socket: Ends, hasSession: boolean): void {
    const connection = this.#open.get(nameOf(socket));
    if (connection) connection.hasSession = hasSession;
  }

  /** Another connection may have the name by now. */
  remove(name: string, socket: Connection['socket']): void {
    if (this.#open.get(name)?.socket === socket) this.#open.delete(name);
  }
}
