/** An S3 bucket: where it is, links to its keys that need no request, and signed requests. */
import { hash } from 'node:crypto';
import type { LinkSigner, Validity } from '../../access/links.ts';
import type { SignLink } from '../../catalogue/documents/image-document.ts';
import type { Clock, StartTimer } from '../../lib/clock.ts';
import { Unavailable } from '../../lib/metrics.ts';
import type { CredentialProvider, Credentials } from './credentials.ts';
import { encodePath, encodeQuery, Signer } from './sigv4.ts';

export interface S3Location {
  bucket: string;
  region: string;
  /** The start of every key in the bucket: empty, or ending with a slash. */
  prefix: string;
  /** The origin of an S3-compatible server; undefined for Amazon. */
  endpoint: string | undefined;
  credentials: CredentialProvider;
}

interface S3Address {
  origin: string;
  host: string;
  bucketPath: string;
  keyPath(key: string): string;
}

/** Amazon's certificates cover `<bucket>.s3…` only if the name has no dot. */
const hostName = /^[a-z0-9-]+$/;

function resolveAddress({ bucket, prefix, region, endpoint }: S3Location): S3Address {
  const hasOwnHost = endpoint === undefined && hostName.test(bucket);
  const amazon = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const { origin, host } = new URL(endpoint ?? `https://${hasOwnHost ? `${bucket}.` : ''}${amazon}`);
  const bucketPath = hasOwnHost ? '/' : `/${encodePath(bucket)}/`;
  const start = bucketPath + encodePath(prefix);
  return { origin, host, bucketPath, keyPath: (key) => start + encodePath(key) };
}

// Links to a bucket: presigned GET URLs, made without a request.

export class S3Links implements LinkSigner {
  /** One week, the maximum that S3 accepts. */
  readonly maxLifetime = 604_800;
  readonly #location: S3Location;
  readonly #address: S3Address;
  /** The last signer: most links of the same minute have the same validity. */
  #latest: { begins: number; expires: number; credentials: Credentials; signLink: SignLink } | undefined;

  /** The credentials of the location must have been loaded. */
  constructor(location: S3Location) {
    this.#location = location;
    this.#address = resolveAddress(location);
  }

  /** The origin does not matter, because links lead to the bucket. */
  signer(_origin: string, { begins, expires }: Validity): SignLink {
    const { latest: credentials } = this.#location.credentials;
    if (!credentials) throw new Error('the credentials of S3 are not loaded');
    const last = this.#latest;
    if (last?.begins === begins && last.expires === expires && last.credentials === credentials)
      return last.signLink;
    const signLink = this.#signLink(begins, expires, credentials);
    this.#latest = { begins, expires, credentials, signLink };
    return signLink;
  }

  #signLink(begins: number, expires: number, credentials: Credentials): SignLink {
    const { origin, host, keyPath } = this.#address;
    // A link stops working when the credentials that signed it expire.
    const end = Math.min(expires, Math.floor((credentials.expires ?? Number.POSITIVE_INFINITY) / 1000));
    const signer = new Signer(this.#location.region, credentials);
    const presigned = signer.presigner(host, Math.min(begins, end - 1), end);
    const iso = new Date(end * 1000).toISOString();
    return ({ key }) => ({ url: origin + presigned(keyPath(key)), expires: iso });
  }
}

// Sends signed requests to an S3 bucket, with a timeout and retries, and with errors that say what to do.

export interface S3Options {
  clock?: Clock;
  /** How many milliseconds the server may take to respond, or to send the next bytes. */
  timeout?: number;
  /** Milliseconds until the first retry. Each further delay is three times as long. */
  retryDelay?: number;
  startTimer?: StartTimer;
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Without a key, the request is for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  /** Names in lower case. */
  headers?: Record<string, string>;
  body?: { bytes: Uint8Array; hash: string };
  signal?: AbortSignal;
}

/** Returns what `read` makes of a successful response. An error while reading is retried too. */
export type SendRequest = <T>(request: S3Request, read: (response: Response) => Promise<T>) => Promise<T>;

/** The server rejected the request. A retry would not help. */
export class S3Error extends Error {
  readonly status: number;
  /** S3's error code, if it sent one. */
  readonly code: string | undefined;

  constructor(status: number, code: string | undefined, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const TIMEOUT_MS = 5000;
const RETRY_DELAY_MS = 100;
const MAX_ATTEMPTS = 4;
/** In bytes per millisecond. The progress of an upload is not visible, so its timeout grows with its size. */
const MIN_UPLOAD_RATE = 100;
const retryableStatuses = [429, 500, 502, 503, 504];
const EMPTY_HASH = hash('sha256', '');

export const startRealTimer: StartTimer = (milliseconds, onElapsed) => {
  const timer = setTimeout(onElapsed, milliseconds);
  return () => clearTimeout(timer);
};

export function createClient(location: S3Location, options: S3Options = {}): SendRequest {
  const { clock = Date.now, timeout = TIMEOUT_MS, retryDelay = RETRY_DELAY_MS } = options;
  const { startTimer = startRealTimer } = options;
  const { origin, host, bucketPath, keyPath } = resolveAddress(location);
  let signer: Signer | undefined;

  const attempt = async <T>(
    { method, key, query = {}, headers = {}, body, signal }: S3Request,
    read: (response: Response) => Promise<T>,
    credentials: Credentials,
  ): Promise<T> => {
    if (signer?.credentials !== credentials) signer = new Signer(location.region, credentials);
    const path = key === undefined ? bucketPath : keyPath(key);
    const search = encodeQuery(query);
    const contentHash = body?.hash ?? EMPTY_HASH;
    const signed = signer.headers({ method, host, path, query: search, headers, contentHash }, clock());
    const limit = timeout + (body?.bytes.length ?? 0) / MIN_UPLOAD_RATE;
    const expired = new AbortController();
    const stopTimer = startTimer(limit, () =>
      expired.abort(new Error(`no response within ${limit / 1000} s`)),
    );
    try {
      const response = await fetch(`${origin}${path}${search && `?${search}`}`, {
        method,
        // Without this, a proxy may compress the response and change its size. It is not signed, as proxies may change it.
        headers: { ...signed, 'accept-encoding': 'identity' },
        body: (body?.bytes as Uint8Array<ArrayBuffer> | undefined) ?? null,
        // The signature is valid for one host only.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, expired.signal]) : expired.signal,
      });
      if (response.ok) return await read(response);
      throw toError(response, await response.text(), `${method} ${key ?? '(list)'}`);
    } catch (error) {
      if (error instanceof S3Error || error instanceof Unavailable) throw error;
      throw new Unavailable(`S3 at ${origin} is unreachable: ${explain(error as Error)}`, { cause: error });
    } finally {
      stopTimer();
    }
  };

  const toError = ({ status, headers }: Response, text: string, request: string): Error => {
    const [code, detail] = [readElement(text, 'Code'), readElement(text, 'Message')];
    const reason = [status, code, detail && `(${detail})`].filter(Boolean).join(' ');
    const message = `S3 at ${origin} responded ${reason} to ${request} in the bucket "${location.bucket}"`;
    if (retryableStatuses.includes(status)) return new Unavailable(message);
    const region = headers.get('x-amz-bucket-region') ?? readElement(text, 'Region') ?? location.region;
    const advice =
      region === location.region
        ? adviceFor(status, code)
        : `the bucket is in the region ${region}; set region=${region} in FILES_URL`;
    return new S3Error(status, code, advice ? `${message}: ${advice}` : message);
  };

  return async (request, read) => {
    let credentials = await getCredentials(location.credentials);
    let hasReplaced = false;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(request, read, credentials);
      } catch (error) {
        // The response to HEAD does not say why, so every rejection may be one of the credentials.
        if (error instanceof S3Error && [400, 401, 403].includes(error.status) && !hasReplaced) {
          hasReplaced = true;
          const others = await location.credentials.replace(credentials).catch(() => undefined);
          if (others) {
            credentials = others;
            continue;
          }
        }
        const isLast = attempts === MAX_ATTEMPTS || request.signal?.aborted;
        if (!(error instanceof Unavailable) || isLast) throw error;
        const delay = retryDelay * 3 ** (attempts - 1);
        await new Promise<void>((resolve) => {
          startTimer(delay, resolve);
        });
      }
    }
  };
}

async function getCredentials(provider: CredentialProvider): Promise<Credentials> {
  try {
    return await provider.get();
  } catch (error) {
    throw new Unavailable(`S3 needs credentials: ${(error as Error).message}`, { cause: error });
  }
}

function adviceFor(status: number, code: string | undefined): string | undefined {
  if (code === 'NoSuchBucket') return 'the bucket does not exist; create it, or correct FILES_URL';
  if (code === 'RequestTimeTooSkewed') return 'the clock of this machine is wrong; set it';
  if (status >= 300 && status < 400)
    return 'the bucket is at another address; check the region and the endpoint in FILES_URL';
  if (status !== 403) return undefined;
  return (
    'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or where else the credentials come from, and that they allow ' +
    's3:ListBucket on the bucket and ' +
    's3:GetObject, s3:PutObject and s3:DeleteObject on its objects'
  );
}

/** The text of an XML element, on one line and shortened, for an error message. */
function readElement(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml) ?? [];
  return text?.replace(/\s+/g, ' ').slice(0, 300);
}

/** Why fetch failed: the reason is in the cause. */
function explain(error: Error): string {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause ? cause.code || cause.message : error.message;
}
