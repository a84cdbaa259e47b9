/**
 * Who may use the studio. The server asks an Access about every request, and does not know which one: local-access.ts is for
 * the operator at this machine, remote-access.ts for people who sign in with a password.
 */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { isForeign } from '../access/browsers.ts';
import type { PageFile } from './page.ts';
import { StudioError } from './requests.ts';

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
