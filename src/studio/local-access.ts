/**
 * Access for the operator of this machine. The address of the studio has a secret that works once and is exchanged for a
 * session cookie. The address in the Host header must be one of this server, so that no other site can reach it through its
 * own name (DNS rebinding), and changes must come from the studio's own page.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { hostName, isAddress, isLoopbackName } from '../access/browsers.ts';
import { type Access, digest, type NewSecret, type Reply, readCookies, type Session } from './access.ts';
import { openedPage, refusedPage } from './page.ts';
import { StudioError } from './requests.ts';

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
