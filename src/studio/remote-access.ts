/**
 * Access from elsewhere: people sign in with a name and a password, over HTTPS only, and get a session that expires.
 * docs/studio.md has the threat model.
 */
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { clientReader, originReader } from '../access/clients.ts';
import type { Clock } from '../lib/clock.ts';
import { Budget } from '../lib/concurrency.ts';
import {
  type Access,
  checkPost,
  digest,
  type NewSecret,
  type Reply,
  readCookies,
  type Session,
} from './access.ts';
import { findPerson, type Person } from './passwords.ts';
import { readBytes, StudioError, signInPage } from './requests.ts';

// Sessions of people who signed in, and how often they may try to. Both are in memory and bounded.

export const IDLE_MS = 30 * 60_000;
export const MAX_SESSION_MS = 12 * 3_600_000;
/** Of a person. Somebody with a password cannot end the sessions of others. */
const MAX_SESSIONS = 10;

interface OpenSession {
  person: Person;
  openedAt: number;
  usedAt: number;
}

export class Sessions {
  readonly #clock: Clock;
  readonly #newSecret: NewSecret;
  /** By the digest of the secret, the oldest one first. */
  readonly #open = new Map<string, OpenSession>();

  constructor(clock: Clock, newSecret: NewSecret) {
    this.#clock = clock;
    this.#newSecret = newSecret;
  }

  /** Returns the secret of a new session. */
  start(person: Person): string {
    const secret = this.#newSecret();
    const now = this.#clock();
    for (const [key, session] of this.#open) if (isOver(session, now)) this.#open.delete(key);
    const own = [...this.#open].filter(([, session]) => session.person.name === person.name);
    const [oldest] = own;
    if (oldest && own.length >= MAX_SESSIONS) this.#open.delete(oldest[0]);
    this.#open.set(digest(secret), { person, openedAt: now, usedAt: now });
    return secret;
  }

  /** Who has this session. Undefined if it has ended, or if the person's password has changed since. */
  find(secret: string, people: Person[]): Person | undefined {
    const key = digest(secret);
    const session = this.#open.get(key);
    if (!session) return undefined;
    const now = this.#clock();
    const { name, hash } = session.person;
    const isKnown = people.some((person) => person.name === name && person.hash === hash);
    if (isOver(session, now) || !isKnown) {
      this.#open.delete(key);
      return undefined;
    }
    session.usedAt = now;
    return session.person;
  }

  end(secret: string): void {
    this.#open.delete(digest(secret));
  }
}

function isOver({ openedAt, usedAt }: OpenSession, now: number): boolean {
  return now - usedAt >= IDLE_MS || now - openedAt >= MAX_SESSION_MS;
}

export const WINDOW_MS = 15 * 60_000;
export const MAX_ATTEMPTS = 5;
/** Of all clients together. */
export const MAX_ALL_ATTEMPTS = 100;
const MAX_CLIENTS = 10_000;

/** Counts attempts to sign in within a window of time, by client and in all. */
export class Attempts {
  readonly #clock: Clock;
  #all: number[] = [];
  /** The times of attempts, by client; the client that tried longest ago first. */
  readonly #clients = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many milliseconds the client has to wait; 0: it may try, which counts at once. */
  take(client: string): number {
    const now = this.#clock();
    const recent = (times: number[]) => times.filter((time) => now - time < WINDOW_MS);
    this.#all = recent(this.#all);
    const own = recent(this.#clients.get(client) ?? []);
    const waits = [
      own.length >= MAX_ATTEMPTS ? WINDOW_MS - (now - (own[0] as number)) : 0,
      this.#all.length >= MAX_ALL_ATTEMPTS ? WINDOW_MS - (now - (this.#all[0] as number)) : 0,
    ];
    const wait = Math.max(...waits);
    if (wait > 0) return wait;
    this.#all.push(now);
    this.#clients.delete(client);
    const [oldest] = this.#clients.keys();
    if (oldest !== undefined && this.#clients.size >= MAX_CLIENTS) this.#clients.delete(oldest);
    this.#clients.set(client, [...own, now]);
    return 0;
  }

  /**
   * The last attempt of the client was right, so it does not count. Those before it do: otherwise somebody with a password
   * could try those of others without end.
   */
  forgive(client: string): void {
    const time = this.#clients.get(client)?.pop();
    const index = time === undefined ? -1 : this.#all.indexOf(time);
    if (index >= 0) this.#all.splice(index, 1);
  }
}

/** A name and a password, however they are encoded. */
const MAX_FORM_BYTES = 4096;
const MAX_FORM_MS = 10_000;
/** Each takes a core and 32 MB for a while. At most two at a time, and a few that wait. */
const MAX_CHECKS = 2;
const MAX_WAITING = 8;
/** A year. Browsers then never use HTTP for this host name. */
const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000' };
/** Only this page has a form. With no-referrer, browsers would not say where the form comes from. */
const SIGN_IN_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
};

const EMPTY = { type: 'text/plain', text: '' };

export interface RemoteAccessOptions {
  /** Whether the server itself speaks HTTPS. If not, a trusted proxy must. */
  hasTls: boolean;
  trustedProxies: BlockList;
  /** The people who may sign in now. */
  people(): Person[];
  /** Tells the operator, in one line. */
  onEvent(text: string): void;
  clock: Clock;
  newSecret: NewSecret;
  /** How long a form may take to arrive. */
  maxFormMs?: number;
}

export class RemoteAccess implements Access {
  readonly advice = 'reload the page to sign in';
  readonly headers: Record<string, string>;
  readonly proxies: BlockList;
  port = 0;
  readonly #options: RemoteAccessOptions;
  readonly #sessions: Sessions;
  readonly #attempts: Attempts;
  readonly #clientOf: ReturnType<typeof clientReader>;
  readonly #forwardedOrigin: ReturnType<typeof originReader>;
  readonly #checks = new Budget(MAX_CHECKS, MAX_WAITING);
  /** Why the passwords could not be read the last time. */
  #problem = '';

  constructor(options: RemoteAccessOptions) {
    const { hasTls, trustedProxies, clock, newSecret } = options;
    this.#options = options;
    this.proxies = trustedProxies;
    this.headers = hasTls ? STRICT_TRANSPORT : {};
    this.#sessions = new Sessions(clock, newSecret);
    this.#attempts = new Attempts(clock);
    this.#clientOf = clientReader(trustedProxies);
    this.#forwardedOrigin = originReader(undefined, trustedProxies);
  }

  checkConnection(request: IncomingMessage): void {
    if (!this.originOf(request).startsWith('https:'))
      throw new StudioError(403, 'the studio is for HTTPS only: use its address that begins with https');
  }

  originOf(request: IncomingMessage): string {
    const { hasTls } = this.#options;
    return hasTls ? `https://${request.headers.host}` : this.#forwardedOrigin(request);
  }

  async enter(request: IncomingMessage, { pathname }: URL): Promise<Reply | undefined> {
    if (request.method === 'POST' && pathname === '/sign-in') return this.#signIn(request);
    if (request.method === 'POST' && pathname === '/sign-out') return this.#signOut(request);
    if (request.method !== 'GET' || pathname !== '/' || this.session(request)) return undefined;
    return refuse(401, '');
  }

  session(request: IncomingMessage): Session | undefined {
    const secrets = readCookies(request.headers, this.#cookieName);
    if (secrets.length === 0) return undefined;
    const people = this.#readPeople();
    for (const secret of secrets) {
      const person = this.#sessions.find(secret, people);
      if (person) return { user: person.name };
    }
    return undefined;
  }

  /** What is wrong with the file is for the operator, and not for everyone who can send a request. */
  #readPeople(): Person[] {
    try {
      const people = this.#options.people();
      this.#problem = '';
      return people;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#problem) this.#options.onEvent(`nobody can sign in: ${message}`);
      this.#problem = message;
      throw new StudioError(503, 'nobody can sign in at the moment: the terminal of the studio says why');
    }
  }

  /** The prefix makes browsers refuse cookies of this name from other hosts and from HTTP. */
  get #cookieName(): string {
    return `__Host-zukan-studio-${this.port}`;
  }

  /** Refuses in the order of what it costs: nothing of the body is read for a client that must wait. */
  async #signIn(request: IncomingMessage): Promise<Reply> {
    checkPost(request, this.originOf(request), 'application/x-www-form-urlencoded');
    const client = this.#clientOf(request);
    const wait = this.#attempts.take(client);
    if (wait > 0) return mustWait(wait);
    const form = new URLSearchParams((await this.#readForm(request)).toString());
    if (this.#checks.isFull) return mustWait(1000);
    const [name, password] = [form.get('name') ?? '', form.get('password') ?? ''];
    const person = await this.#checks.spend(1, async () => findPerson(this.#readPeople(), name, password));
    if (!person) {
      // Not the name that was entered: it could be the password by mistake.
      this.#options.onEvent(`wrong name or password from ${client}`);
      return refuse(403, 'The name or the password is wrong.');
    }
    this.#attempts.forgive(client);
    this.#endSessions(request);
    this.#options.onEvent(`${person.name} signed in from ${client}`);
    const headers = { 'Set-Cookie': this.#cookie(this.#sessions.start(person)), Location: '/' };
    return { status: 303, page: EMPTY, headers };
  }

  #signOut(request: IncomingMessage): Reply {
    checkPost(request, this.originOf(request), 'application/json');
    const user = this.session(request)?.user;
    this.#endSessions(request);
    if (user !== undefined) this.#options.onEvent(`${user} signed out`);
    // Pictures stay in the cache of a browser for some minutes.
    const headers = { 'Set-Cookie': `${this.#cookie('')}; Max-Age=0`, 'Clear-Site-Data': '"cache"' };
    return { status: 200, page: EMPTY, headers };
  }

  #endSessions({ headers }: IncomingMessage): void {
    for (const secret of readCookies(headers, this.#cookieName)) this.#sessions.end(secret);
  }

  #cookie(value: string): string {
    return `${this.#cookieName}=${value}; Secure; HttpOnly; SameSite=Strict; Path=/`;
  }

  async #readForm(request: IncomingMessage): Promise<Buffer> {
    const tooSlow = new StudioError(408, 'the request took too long');
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(tooSlow), this.#options.maxFormMs ?? MAX_FORM_MS);
    try {
      return await Promise.race([readBytes(request, MAX_FORM_BYTES, 'the request is too large'), promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function mustWait(ms: number): Reply {
  const minutes = Math.ceil(ms / 60_000);
  const text = `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
  const reply = refuse(429, text);
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(Math.ceil(ms / 1000)) } };
}

function refuse(status: number, message: string): Reply {
  return { status, page: signInPage(message), headers: SIGN_IN_HEADERS };
}
