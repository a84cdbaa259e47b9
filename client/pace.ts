/** How fast the service lets this client send requests, as the headers of a response announce it. */

/** Times are in milliseconds. */
export interface Pace {
  /** The time to wait before the next request. */
  wait: number;
  /** The time that a request uses up; 0 without a limit. Wait as long after a request whose response is lost. */
  interval: number;
}

export function readPace(headers: Headers): Pace {
  const reset = readCount(headers, 'X-RateLimit-Reset') * 1000;
  const policy = /;q=([1-9][0-9]*);w=([0-9]+)$/.exec(headers.get('RateLimit-Policy') ?? '');
  const interval = policy ? (Number(policy[2]) * 1000) / Number(policy[1]) : reset;
  // A client that is not counted has all requests left, any other has used one.
  const isCounted = headers.get('X-RateLimit-Remaining') !== headers.get('X-RateLimit-Limit');
  // The reset is in whole seconds. Unless the client is blocked, it is never longer than the interval.
  return { wait: Math.min(reset, interval), interval: isCounted ? interval : 0 };
}

/** 0 when the header is missing or not a whole number. */
export function readCount(headers: Headers, name: string): number {
  const text = headers.get(name) ?? '';
  return /^[0-9]+$/.test(text) ? Number(text) : 0;
}
