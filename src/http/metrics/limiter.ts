/** What the rate limit decided, and who is blocked as far as this process has seen. */

import type { Decision } from '../../access/rate.ts';
import type { Clock } from '../../clock.ts';
import type { Metric } from '../../metrics.ts';

/** More blocked clients than this are not remembered, and so not counted. */
const MAX_BLOCKED = 100_000;

export class LimiterCounters {
  #allowed = 0;
  #refused = 0;
  #blocked = 0;
  #exempt = 0;
  /** Until when each is. Who is no longer is forgotten when someone asks how many there are. */
  readonly #blockedUntil = new Map<string, number>();

  countExempt(): void {
    this.#exempt++;
  }

  count(client: string, { isAllowed, isBlocked, wait }: Decision, clock: Clock): void {
    if (isAllowed) this.#allowed++;
    else if (!isBlocked) this.#refused++;
    else {
      this.#blocked++;
      if (this.#blockedUntil.size < MAX_BLOCKED) this.#blockedUntil.set(client, clock() + wait);
    }
  }

  metrics(now: number): Metric[] {
    for (const [client, until] of this.#blockedUntil) if (until <= now) this.#blockedUntil.delete(client);
    const outcome = (name: string, value: number) => ({ labels: { outcome: name }, value });
    return [
      {
        name: 'zukan_limiter_decisions_total',
        type: 'counter',
        help: 'Calls by what the rate limit made of them.',
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
        help: 'Clients that are blocked now, as far as this process has refused them.',
        samples: [{ value: this.#blockedUntil.size }],
      },
    ];
  }
}
