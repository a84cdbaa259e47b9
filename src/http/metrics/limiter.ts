/** Metrics on the decisions of the rate limiter. */
import type { Decision } from '../../access/rate.ts';
import type { Metric } from '../../lib/metrics.ts';

export class LimiterCounters {
  #allowed = 0;
  #refused = 0;
  #blocked = 0;
  #exempt = 0;

  countExempt(): void {
    this.#exempt++;
  }

  count({ isAllowed, isBlocked }: Decision): void {
    if (isAllowed) this.#allowed++;
    else if (isBlocked) this.#blocked++;
    else this.#refused++;
  }

  /** `blockedClients` is the number of clients that the limiter knows to be blocked. */
  metrics(blockedClients: number): Metric[] {
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
        across: 'max',
        help: 'Blocked clients that this process has refused.',
        samples: [{ value: blockedClients }],
      },
    ];
  }
}
