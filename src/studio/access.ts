/**
 * Who may use the studio. The server asks an Access about every request, and does not know which one: the operator of this
 * machine, here, or people who sign in with a password (remote-access.ts).
 */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { hostName, isAddress, isForeign, isLoopbackName } from '../access/clients.ts';
import { openedPage, type PageFile, refusedPage, StudioError } from './requests.ts';

export interface Session {
  /** Who signed in; undefined: the person who runs the studio. */
  user: string | undefined;
}

/** A page instead of what was asked for. */
export interface Reply {
  status: number;
  page: PageFile;
  headers?: Record<string, string>;
}

export interface Access {
  /** Cookies of a host are sent to all of its ports, so studios need different names for theirs. */
  port: number;
  /** Of every response. */
  readonly headers: Record<string, string>;
  /** Trusted: a connection of theirs may be anybody's. */
  readonly proxies: BlockList;
  /** What to do if there is no session. */
  readonly advice: string;
  /** Throws if the connection itself must not be used. Nothing else of the request has been looked at. */
  checkConnection(request: IncomingMessage): void;
  /** Answers requests that start or end a session, and those for the page without one. Undefined for all others. */
  enter(request: IncomingMessage, url: URL): Promise<Reply | undefined>;
  session(request: IncomingMessage): Session | undefined;
  /** The origin of the studio's own page, as the browser that sent the request knows it. */
  originOf(request: IncomingMessage): string;
}

export type NewSecret = () => string;
/** 256 bits. */
export const newSecret: NewSecret = () => randomBytes(32).toString('base64url');

/** What is kept of a secret. Comparing digests tells nothing about the secret, however long it takes. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** All of this name: anyone who can set cookies can add some. Node bounds the size of the header. */
export function readCookies({ cookie = '' }: IncomingHttpHeaders, name: string): string[] {
  const prefix = `${name}=`;
  return cookie.split(';').flatMap((part) => {
    const text = part.trim();
    return text.startsWith(prefix) ? text.slice(prefix.length) : [];
  });
}

/** Throws unless a page of the studio itself sent the request, with a body of this type. */
export function checkPost({ headers }: IncomingMessage, origin: string, type: string): void {
  if (isForeign(headers) || headers.origin !== origin)
    throw new StudioError(403, 'the request does not come from the studio');
  const [given = ''] = (headers['content-type'] ?? '').split(';');
  if (given.trim().toLowerCase() !== type) throw new StudioError(403, `the content type must be ${type}`);
}

// Access for the operator of this machine. The address of the studio has a secret that works once and is exchanged for a
// session cookie. The address in the Host header must be one of this server, so that no other site can reach it through its
// own name (DNS rebinding), and changes must come from the studio's own page.

export class LocalAccess implements Access {
  readonly headers = {};
  readonly proxies = new BlockList();
  readonly advice = 'open the address that the studio prints';
  port = 0;
  readonly #newSecret: NewSecret;
  readonly #listenHost: string;
  /** Undefined if it was used. */
  #secret: string | undefined;
  readonly #sessions = new Set<string>();

  constructor(listenHost: string, newSecret: NewSecret) {
    this.#listenHost = listenHost;
    this.#newSecret = newSecret;
  }

  /** A secret for one visit. The one before is no longer valid. */
  issueSecret(): string {
    const secret = this.#newSecret();
    this.#secret = digest(secret);
    return secret;
  }

  checkConnection({ headers }: IncomingMessage): void {
    if (!this.isOwnHost(headers))
      throw new StudioError(421, 'this is not an address of the studio: open the one that it printed');
  }

  /** Whatever its port: a tunnel may have another one. */
  isOwnHost({ host = '' }: IncomingHttpHeaders): boolean {
    const name = hostName(host);
    if (name === undefined) return false;
    if (isLoopbackName(name)) return true;
    return !isLoopbackName(this.#listenHost) && (isAddress(name) || name === this.#listenHost.toLowerCase());
  }

  /** The address with the secret may come from another place: a terminal, a chat or a bookmark. */
  async enter(request: IncomingMessage, { pathname, searchParams }: URL): Promise<Reply | undefined> {
    if (request.method !== 'GET') return undefined;
    if (pathname === '/open') return this.#open(searchParams.get('secret') ?? '');
    return pathname === '/' && !this.session(request) ? { status: 401, page: refusedPage } : undefined;
  }

  session({ headers }: IncomingMessage): Session | undefined {
    const values = readCookies(headers, this.#cookieName);
    return values.some((value) => this.#sessions.has(digest(value))) ? { user: undefined } : undefined;
  }

  originOf({ headers }: IncomingMessage): string {
    return `http://${headers.host}`;
  }

  get #cookieName(): string {
    return `zukan-studio-${this.port}`;
  }

  #open(secret: string): Reply {
    if (digest(secret) !== this.#secret) return { status: 403, page: refusedPage };
    this.#secret = undefined;
    const session = this.#newSecret();
    this.#sessions.add(digest(session));
    const cookie = `${this.#cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    return { status: 200, page: openedPage, headers: { 'Set-Cookie': cookie } };
  }
}
