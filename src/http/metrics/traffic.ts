/** Request metrics by route. Not by path: clients could make up any number of those. */
import type { Metric } from '../../lib/metrics.ts';
import { Histogram } from './histogram.ts';

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
