/**
 * How fast the service lets this client send requests, as the headers of a response announce it. All programs at one address
 * share its limit and its refusals, ten of which within an hour block the address. Each refusal, also of another program,
 * doubles the time between the requests of every client, which then keeps to turns of its own.
 */

/** Times are in milliseconds. */
export interface Pace {
  /** The time to wait before the next request. */
  wait: number;
  /** The time that a request uses up; 0 without a limit. Wait as long after a request whose response is lost. */
  interval: number;
  /** Of this address within the last hour. */
  refusals: number;
}

const REFUSALS_TO_BLOCK = 10;
/** How many intervals lie between turns at most. */
const MAX_INTERVALS = 32;

export function readPace(headers: Headers): Pace {
  const reset = readCount(headers, 'X-RateLimit-Reset') * 1000;
  const policy = /;q=([1-9][0-9]*);w=([0-9]+)$/.exec(headers.get('RateLimit-Policy') ?? '');
  const interval = policy ? (Number(policy[2]) * 1000) / Number(policy[1]) : reset;
  // A client that is not counted has all requests left, any other has used one.
  const isCounted = headers.get('X-RateLimit-Remaining') !== headers.get('X-RateLimit-Limit');
  // The reset is in whole seconds. Unless the client is blocked, it is never longer than the interval.
  const wait = Math.min(reset, interval);
  const left = readCount(headers, 'X-RateLimit-Refusals-Left') || REFUSALS_TO_BLOCK;
  return { wait, interval: isCounted ? interval : 0, refusals: REFUSALS_TO_BLOCK - left };
}

/** The next refusal would be the tenth. */
export function isNearBlock({ refusals }: Pace): boolean {
  return refusals >= REFUSALS_TO_BLOCK - 1;
}

/** The time between the turns of this client; 0 if it has none. */
export function spacingOf(pace: Pace): number {
  if (pace.refusals === 0 || isNearBlock(pace)) return 0;
  return pace.interval * Math.min(MAX_INTERVALS, 2 ** (pace.refusals + 1));
}

/**
 * How long to wait after a refusal. Programs that start at the same time are refused one after the other, so each knows another
 * number of refusals and returns at another time. `random` is in [0, 1).
 */
export function retryDelay({ interval, refusals }: Pace, retryAfter: number, random: number): number {
  return retryAfter + (interval || 1000) * (2.5 * Math.max(1, refusals) + 1.5 * random);
}

/** 0 when the header is missing or not a whole number. */
export function readCount(headers: Headers, name: string): number {
  const text = headers.get(name) ?? '';
  return /^[0-9]+$/.test(text) ? Number(text) : 0;
}
