/**
 * Who may use the studio. Its address has a secret that works once and is exchanged for a session cookie. The address in
 * the Host header must be an address of this server, so that no other site can reach it through its own name (DNS
 * rebinding), and changes must come from the studio's own page.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hostName, isAddress, isForeign, isLoopbackName } from '../access/browsers.ts';

export type NewSecret = () => string;
export const newSecret: NewSecret = () => randomBytes(32).toString('base64url');

export class StudioAccess {
  readonly #newSecret: NewSecret;
  readonly #listenHost: string;
  /** A digest, because comparing those takes the same time for every input. Empty if it was used. */
  #secret: Buffer[] = [];
  readonly #sessions = new Set<Buffer>();
  /** Cookies of a host are sent to all of its ports, so two studios need different names. */
  cookieName = 'zukan-studio';

  constructor(listenHost: string, newSecret: NewSecret) {
    this.#listenHost = listenHost;
    this.#newSecret = newSecret;
  }

  /** A secret for one visit. The one before is no longer valid. */
  issueSecret(): string {
    const secret = this.#newSecret();
    this.#secret = [digest(secret)];
    return secret;
  }

  /** Exchanges a secret for the value of a session cookie. Undefined if it is wrong or was used before. */
  openSession(secret: string): string | undefined {
    if (!includes(this.#secret, secret)) return undefined;
    this.#secret = [];
    const session = this.#newSecret();
    this.#sessions.add(digest(session));
    return session;
  }

  hasSession({ cookie = '' }: IncomingHttpHeaders): boolean {
    const prefix = `${this.cookieName}=`;
    const values = cookie.split(';').flatMap((part) => {
      const text = part.trim();
      return text.startsWith(prefix) ? text.slice(prefix.length) : [];
    });
    // Any program on this machine can add cookies of this name. They open nothing, and Node bounds the size of the header.
    return values.some((value) => includes(this.#sessions, value));
  }

  /** Whatever its port: a tunnel may have another one. */
  isOwnHost({ host = '' }: IncomingHttpHeaders): boolean {
    const name = hostName(host);
    if (name === undefined) return false;
    if (isLoopbackName(name)) return true;
    return !isLoopbackName(this.#listenHost) && (isAddress(name) || name === this.#listenHost.toLowerCase());
  }
}

/** Why a request must not change anything; undefined if it may. No form can send the types. */
export function refuseChange(
  headers: IncomingHttpHeaders,
  type: 'application/json' | 'application/octet-stream',
): string | undefined {
  if (isForeign(headers) || headers.origin !== `http://${headers.host}`)
    return 'the request does not come from the studio';
  const [given = ''] = (headers['content-type'] ?? '').split(';');
  if (given.trim().toLowerCase() !== type) return `the content type must be ${type}`;
  return undefined;
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function includes(digests: Iterable<Buffer>, text: string): boolean {
  const wanted = digest(text);
  return [...digests].some((candidate) => timingSafeEqual(candidate, wanted));
}
