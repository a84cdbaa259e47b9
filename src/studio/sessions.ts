/** Sessions of people who signed in, and how often they may try to. Both are in memory and bounded. */
import type { Clock } from '../lib/clock.ts';
import { digest, type NewSecret } from './access.ts';
import type { Person } from './passwords.ts';

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
