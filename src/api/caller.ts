/** The client of a call, as the catalogue needs it for calls that may take long. Most calls never ask. */

import { ApiError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Caller } from '../store/contract/catalogue.ts';
import type { Services } from './services.ts';

/** Never sent. nginx's status for requests whose client disconnected, for the log and the metrics. */
const CLIENT_CLOSED_REQUEST = 499;

export class RequestCaller implements Caller {
  readonly #services: Services;
  readonly #exchange: Exchange;
  #signal: AbortSignal | undefined;

  constructor(services: Services, exchange: Exchange) {
    this.#services = services;
    this.#exchange = exchange;
  }

  get client(): string {
    return this.#services.clientOf(this.#exchange.request);
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    this.#signal ??= watchConnection(this.#exchange);
    return this.#signal;
  }
}

function watchConnection({ request, response }: Exchange): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new ApiError(CLIENT_CLOSED_REQUEST, 'The client disconnected.'));
  if (request.socket.destroyed) abort();
  else response.once('close', abort);
  return controller.signal;
}
