/** A failed call, with the message of the service, or the reason why there was no response. */
export class ZukanError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Identifies the request in the service's log; empty if there was no response. */
  readonly requestId: string;
  /** The seconds to wait before the next request, if the service says so. */
  readonly retryAfter: number | undefined;
  /** The system's code of a failed connection, such as `ECONNREFUSED`. Browsers do not tell. */
  readonly code: string | undefined;

  constructor(status: number, message: string, requestId: string, cause?: unknown, retryAfter?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ZukanError';
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.code = findCode(cause);
  }
}

/** `fetch` wraps the error of the system. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : findCode(cause);
}
