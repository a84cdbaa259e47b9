/** A failed request, with the message of the service. */
export class ZukanError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** Identifies the request in the service's log; empty when no request was sent. */
  readonly requestId: string;

  constructor(status: number, message: string, requestId: string) {
    super(message);
    this.name = 'ZukanError';
    this.status = status;
    this.requestId = requestId;
  }
}
