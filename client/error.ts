/** An answer that is no success, in the words of the service. */
export class ZukanError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** What the log of the service knows the request by; empty where there was no request. */
  readonly requestId: string;

  constructor(status: number, message: string, requestId: string) {
    super(message);
    this.name = 'ZukanError';
    this.status = status;
    this.requestId = requestId;
  }
}
