/** Metrics on the decisions of the rate limiter, and on the clients that this process has seen blocked. */
import type { Decision } from '../../access/rate.ts';
import type { Clock } from '../../clock.ts';
import type { Metric } from '../../metrics.ts';

/** Bounds the memory for blocked clients; more are not counted. */
const MAX_BLOCKED_CLIENTS = 100_000;

export class LimiterCounters {
  #allowed = 0;
  #refused = 0;
  #blocked = 0;
  #exempt = 0;
  /** The end of each client's block. Expired entries are deleted when the metrics are read. */
  readonly #blockedUntil = new Map<string, number>();

  countExempt(): void {
    this.#exempt++;
  }

  count(client: string, { isAllowed, isBlocked, wait }: Decision, clock: Clock): void {
    if (isAllowed) this.#allowed++;
    else if (!isBlocked) this.#refused++;
    else {
      this.#blocked++;
      if (this.#blockedUntil.size < MAX_BLOCKED_CLIENTS) this.#blockedUntil.set(client, clock() + wait);
    }
  }

  metrics(now: number): Metric[] {
    for (const [client, until] of this.#blockedUntil) if (until <= now) this.#blockedUntil.delete(client);
    const outcome = (name: string, value: number) => ({ labels: { outcome: name }, value });
    return [
      {
        name: 'zukan_limiter_decisions_total',
        type: 'counter',
        help: 'Requests by decision of the rate limiter.',
        samples: [
          outcome('allowed', this.#allowed),
          outcome('refused', this.#refused),
          outcome('blocked', this.#blocked),
          outcome('exempt', this.#exempt),
        ],
      },
      {
        name: 'zukan_limiter_blocked_clients',
        type: 'gauge',
        help: 'Blocked clients that this process has refused.',
        samples: [{ value: this.#blockedUntil.size }],
      },
    ];
  }
}
