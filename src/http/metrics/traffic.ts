/** What was asked for and how it was answered, by route. Addresses are as many as anyone likes; routes are a few. */
import type { Metric } from '../../metrics.ts';
import { Histogram } from './histogram.ts';

export class RouteTraffic {
  readonly statuses = new Map<number, number>();
  readonly durations = new Histogram();

  /** Each request comes by here: it must take no time. */
  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durations.record(ms / 1000);
  }
}

export class Traffic {
  readonly #routes = new Map<string, RouteTraffic>();
  readonly #malformed = new Map([400, 408, 431].map((status) => [status, 0]));
  /** Of what no route knows. */
  readonly unknown = this.of('unknown');

  of(route: string): RouteTraffic {
    const known = this.#routes.get(route) ?? new RouteTraffic();
    this.#routes.set(route, known);
    return known;
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
        help: 'Requests that were answered.',
        samples: routes.flatMap(([route, { statuses }]) => byStatus(statuses, { route })),
      },
      {
        name: 'zukan_http_request_duration_seconds',
        type: 'histogram',
        help: 'From the head of a request to the answer being handed over, of files to its end.',
        samples: routes.flatMap(([route, { durations }]) => durations.samples({ route })),
      },
      {
        name: 'zukan_http_malformed_requests_total',
        type: 'counter',
        help: 'Connections refused because what came was not HTTP, too large or too slow.',
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
