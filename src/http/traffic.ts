/** Request metrics: by route, and by decision of the rate limiter. Not by path: clients could make up any number of those. */

import type { Decision } from '../access/rate.ts';
import { Histogram, type Metric } from '../lib/metrics.ts';

export class RouteTraffic {
  readonly statuses = new Map<number, number>();
  readonly durations = new Histogram();

  /** Runs for every request, so it must be fast. */
  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durations.record(ms / 1000);
  }
}

export class Traffic {
  readonly #routes = new Map<string, RouteTraffic>();
  readonly #malformed = new Map([400, 408, 431].map((status) => [status, 0]));
  /** For requests that match no route. */
  readonly unknown = this.of('unknown');

  of(route: string): RouteTraffic {
    const traffic = this.#routes.get(route) ?? new RouteTraffic();
    this.#routes.set(route, traffic);
    return traffic;
  }

  countMalformed(status: number): void {
    this.#malformed.set(status, (this.#malformed.get(status) ?? 0) + 1);
  }

  metrics(): Metric[] {
    const routes = [...this.#routes];
    return [
      {
        name: 'zukan_http_requests_total',
        type: 'counter',
        help: 'Requests by route and status.',
        samples: routes.flatMap(([route, { statuses }]) => byStatus(statuses, { route })),
      },
      {
        name: 'zukan_http_request_duration_seconds',
        type: 'histogram',
        help: 'Request duration in seconds; for files until the last byte is sent.',
        samples: routes.flatMap(([route, { durations }]) => durations.samples({ route })),
      },
      {
        name: 'zukan_http_malformed_requests_total',
        type: 'counter',
        help: 'Requests refused because they were not valid HTTP, too large or too slow.',
        samples: byStatus(this.#malformed),
      },
    ];
  }
}

function byStatus(statuses: Map<number, number>, labels: Record<string, string> = {}): Metric['samples'] {
  return Array.from(statuses, ([status, value]) => ({
    labels: { ...labels, status: String(status) },
    value,
  }));
}

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
