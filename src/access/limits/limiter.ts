/** The interface of a rate limiter. */
import type { Decision } from '../rate.ts';

export interface Limiter {
  /** The number of requests that a client may send per second. */
  readonly perSecond: number;
  /** Tries to connect. Does not fail if that is impossible now. */
  start(): Promise<void>;
  decide(client: string): Decision | Promise<Decision>;
  /** Why the limiter does not work as configured, and what that means. Shown publicly, so it contains no secrets. */
  degradedReason(): string | undefined;
  /** How many blocked clients this process knows. */
  blockedClients(): number;
  close(): Promise<void>;
}
