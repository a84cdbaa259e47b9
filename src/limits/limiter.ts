/** Where the rate limit's state lives: in memory or in Redis. */
import type { Decision } from '../access/rate.ts';

export interface Limiter {
  /** Connects, as far as that is possible now. */
  start(): Promise<void>;
  decide(client: string): Promise<Decision>;
  /** Why it works, but not as configured, and what that means. Anyone may read it. */
  degradedReason(): string | undefined;
  close(): Promise<void>;
}
