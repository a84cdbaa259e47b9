/**
 * Requests to an S3 bucket: signed, each with a limit of time, repeated where that can help, and with errors that say
 * what to do about them.
 */
import { hash } from 'node:crypto';
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { Unavailable } from '../../errors.ts';
import { addressOf, type S3Location } from './location.ts';
import { encodeQuery, Signer } from './sigv4.ts';

export interface S3Options {
  clock?: Clock;
  /** How many milliseconds the server may leave us without a sign of life. */
  patience?: number;
  /** Milliseconds until the second try; each further pause is three times as long. */
  pause?: number;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** The bucket itself without one. */
  key?: string;
  query?: Record<string, string>;
  /** By names in lower case. */
  headers?: Record<string, string>;
  body?: { bytes: Uint8Array; hash: string };
  signal?: AbortSignal;
}

/** Sends, and gives what `read` makes of a good answer; reading counts as part of the try. */
export type Send = <T>(request: S3Request, read: (response: Response) => Promise<T>) => Promise<T>;

/** The server answered, and asking again would not change its mind. */
export class Refused extends Error {
  readonly status: number;
  /** S3's own word for what is wrong, where it gave one. */
  readonly code: string | undefined;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const TIMEOUT_MS = 5000;
const PAUSE_MS = 100;
const MAX_TRIES = 4;
/** An upload slower than this, in bytes a millisecond, is given up: how far it has got cannot be seen. */
const MIN_UPLOAD_RATE = 100;
const passing = [429, 500, 502, 503, 504];
const HASH_OF_NOTHING = hash('sha256', '');

export function connect(location: S3Location, options: S3Options = {}): Send {
  const { clock = Date.now, patience = TIMEOUT_MS, pause = PAUSE_MS } = options;
  const { origin, host, root, pathOf } = addressOf(location);
  const signer = new Signer(location);

  const attempt: Send = async ({ method, key, query = {}, headers = {}, body, signal }, read) => {
    const path = key === undefined ? root : pathOf(key);
    const search = encodeQuery(query);
    const contentHash = body?.hash ?? HASH_OF_NOTHING;
    const signed = signer.headers({ method, host, path, query: search, headers, contentHash }, clock());
    const limit = patience + (body?.bytes.length ?? 0) / MIN_UPLOAD_RATE;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${limit / 1000} s`)), limit);
    try {
      const response = await fetch(`${origin}${path}${search && `?${search}`}`, {
        method,
        // Not signed, as proxies may change it; without it they may compress, and the size would be another.
        headers: { ...signed, 'accept-encoding': 'identity' },
        body: (body?.bytes as Uint8Array<ArrayBuffer> | undefined) ?? null,
        // A signature is good for one host only.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      if (response.ok) return await read(response);
      throw failureOf(response, await response.text(), `${method} ${key ?? '(list)'}`);
    } catch (error) {
      if (error instanceof Refused || error instanceof Unavailable) throw error;
      throw new Unavailable(`S3 at ${origin} cannot be reached: ${reasonOf(error as Error)}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  };

  const failureOf = ({ status, headers }: Response, text: string, what: string): Error => {
    const [code, said] = [elementIn(text, 'Code'), elementIn(text, 'Message')];
    const answer = [status, code, said && `(${said})`].filter(Boolean).join(' ');
    const message = `S3 at ${origin} answered ${answer} to ${what} in the bucket "${location.bucket}"`;
    if (passing.includes(status)) return new Unavailable(message);
    const region = headers.get('x-amz-bucket-region') ?? elementIn(text, 'Region') ?? location.region;
    const advice = region === location.region ? adviceFor(status, code) : `its region is ${region}`;
    return new Refused(status, code, advice ? `${message}: ${advice}` : message);
  };

  return async (request, read) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(request, read);
      } catch (error) {
        const isOver = tries === MAX_TRIES || request.signal?.aborted;
        if (!(error instanceof Unavailable) || isOver) throw error;
        await pauseFor(pause * 3 ** (tries - 1));
      }
    }
  };
}

function adviceFor(status: number, code: string | undefined): string | undefined {
  if (code === 'NoSuchBucket') return 'there is no such bucket';
  if (code === 'RequestTimeTooSkewed') return 'set the clock of this machine';
  if (status >= 300 && status < 400) return 'the bucket is elsewhere; check its region and the endpoint';
  if (status !== 403) return undefined;
  return (
    'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that they are allowed s3:ListBucket on the bucket and ' +
    's3:GetObject, s3:PutObject and s3:DeleteObject on what is in it'
  );
}

/** The text of an XML element, on one line and not too long, for people. */
function elementIn(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml) ?? [];
  return text?.replace(/\s+/g, ' ').slice(0, 300);
}

/** Why fetch failed: it hides that one or two errors deep. */
function reasonOf(error: Error): string {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause ? cause.code || cause.message : error.message;
}
