/** What is logged: one JSON line for each request, and errors. Never a query: a link's signature is a secret. */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

export class RequestLog extends LogController {
  readonly #clientOf: (request: FastifyRequest) => string;

  constructor(clientOf: (request: FastifyRequest) => string) {
    super({ requestIdLogLabel: 'request' });
    this.#clientOf = clientOf;
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { method } = request;
    const client = this.#clientOf(request);
    const ms = Math.round(reply.elapsedTime * 100) / 100;
    request.log.info({ method, path: pathOf(request), status: reply.statusCode, ms, client }, 'request');
  }
}

export const loggerOptions = (level: string) => ({
  level,
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: { level: (label: string) => ({ level: label }) },
});

export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] as string;
}
