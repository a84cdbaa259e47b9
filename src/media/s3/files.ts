/** Image files in a bucket of Amazon S3 or of an S3-compatible server. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Clock, DAY_MS } from '../../lib/clock.ts';
import { inParallel } from '../../lib/concurrency.ts';
import { Unavailable } from '../../lib/metrics.ts';
import { type Files, type Journal, type OpenFile, OWNER_KEY, type Upload } from '../files.ts';
import { dryRunUpload, openJournals, startJournal, trackKeys } from '../journal.ts';
import { openStaging } from '../staging.ts';
import {
  createClient,
  S3Error,
  type S3Location,
  type S3Options,
  type SendRequest,
  startRealTimer,
  TIMEOUT_MS,
} from './client.ts';

export type { S3Location };

const MAX_CONCURRENT_REMOVALS = 16;
/** Between two requests that see whether the bucket responds: one per health check would cost money. */
const CHECK_MS = 30_000;

/** The journals and the staging table are in a local folder. */
export function openBucket(
  location: S3Location,
  journalFolder: string,
  options: S3Options = {},
  clock: Clock = Date.now,
): Files {
  const send = createClient(location, options);
  const staging = openStaging(join(journalFolder, 'prepared.db'), clock);

  const findHeaders = async (key: string): Promise<Headers | undefined> => {
    try {
      return await send({ method: 'HEAD', key }, async ({ headers }) => headers);
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return undefined;
      throw error;
    }
  };

  const removeOne = async (key: string): Promise<void> => {
    try {
      await send({ method: 'DELETE', key }, (response) => response.arrayBuffer());
    } catch (error) {
      // Some servers respond with an error if the object is already gone.
      if (!(error instanceof S3Error) || error.code !== 'NoSuchKey') throw error;
    }
  };

  /** Of `verify`. */
  let checkAt = 0;
  let outage: Unavailable | undefined;

  return {
    staging,

    async open(key: string): Promise<OpenFile | undefined> {
      const headers = await findHeaders(key);
      if (!headers) return undefined;
      return {
        size: Number(headers.get('content-length')),
        eTag: readETag(headers),
        isRecent: isRecent(headers),
        stream: (start, end) => streamRange(send, key, start, end, options),
        close: async () => {},
      };
    },

    async verify() {
      await location.credentials.get();
      if (clock() >= checkAt) {
        checkAt = clock() + CHECK_MS;
        // Not awaited: nobody waits for a bucket that hangs. A bucket that refuses may refuse this request only.
        const note = (error?: unknown) => {
          outage = error instanceof Unavailable ? error : undefined;
        };
        findHeaders(OWNER_KEY).then(() => note(), note);
      }
      if (outage) throw outage;
    },

    async remove(keys) {
      await inParallel(keys, MAX_CONCURRENT_REMOVALS, removeOne);
      staging.forget(keys);
    },

    keys: () => listKeys(send, location.prefix),

    async owner() {
      try {
        const text = await send({ method: 'GET', key: OWNER_KEY }, (response) => response.text());
        return text.trim() || undefined;
      } catch (error) {
        if (error instanceof S3Error && error.status === 404 && error.code !== 'NoSuchBucket')
          return undefined;
        throw error;
      }
    },

    async setOwner(identity) {
      const bytes = Buffer.from(`${identity}\n`);
      const sums = { hash: hash('sha256', bytes), md5: hash('md5', bytes) };
      await putObject(send, OWNER_KEY, 'text/plain', { bytes, ...sums });
    },

    beginUpload: async () => createUpload(send, findHeaders, await startJournal(journalFolder)),
    dryRunUpload: () =>
      dryRunUpload(async (key, bytes, { hash }) => {
        const existing = await findHeaders(key);
        const digest = md5(bytes);
        return existing && isIdentical(existing, bytes.length, digest, hash) ? readETag(existing) : digest;
      }),
    ...openJournals(journalFolder, staging),
  };
}

/** Without both times, it may be. */
function isRecent(headers: Headers): boolean {
  const [now, stored] = ['date', 'last-modified'].map((name) => Date.parse(headers.get(name) ?? ''));
  return !((now as number) - (stored as number) >= DAY_MS);
}

/** Sends the request at the first read. Destroying the stream, or a timeout between two chunks, aborts it. */
function streamRange(
  send: SendRequest,
  key: string,
  start: number,
  end: number,
  { timeout = TIMEOUT_MS, startTimer = startRealTimer }: S3Options,
): Readable {
  const abort = new AbortController();
  const { signal } = abort;

  const request = async () => {
    const range = { method: 'GET', key, headers: { range: `bytes=${start}-${end}` }, signal } as const;
    const { headers, body } = await send(range, async (response) => response);
    const length = Number(headers.get('content-length'));
    if (!body || length !== end - start + 1)
      throw new Error(`S3 sent ${length} bytes of ${key} instead of ${end - start + 1}`);
    return body.getReader();
  };

  let reader: ReturnType<typeof request> | undefined;
  const readChunk = async (): Promise<Uint8Array | null> => {
    reader ??= request();
    const chunks = await reader;
    const stopTimer = startTimer(timeout, () =>
      abort.abort(new Error(`no more bytes within ${timeout / 1000} s`)),
    );
    try {
      return (await chunks.read()).value ?? null;
    } catch (error) {
      throw new Unavailable(`S3 stopped in the middle of ${key}: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      stopTimer();
    }
  };

  return new Readable({
    read() {
      readChunk().then(
        (bytes) => this.push(bytes),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      abort.abort();
      done(error);
    },
  });
}

/** The keys of a bucket, page by page. */
async function* listKeys(send: SendRequest, prefix: string): AsyncGenerator<string, void> {
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const page = await send({ method: 'GET', query }, (response) => response.text());
    if (!page.includes('<ListBucketResult')) throw new Error('S3 sent an invalid list of objects');
    // Servers that do not support the encoding do not return its name.
    const isEncoded = readElements(page, 'EncodingType')[0] === 'url';
    for (const text of readElements(page, 'Key')) {
      const key = isEncoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
      if (key.startsWith(prefix) && isVisible(key.slice(prefix.length))) yield key.slice(prefix.length);
    }
    token = readElements(page, 'NextContinuationToken')[0];
    if (token === undefined && readElements(page, 'IsTruncated')[0] === 'true')
      throw new Error('S3 sent a truncated list of objects without a continuation token');
  } while (token !== undefined);
}

/** Neither hidden nor an empty object that a console created to show a folder. */
function isVisible(key: string): boolean {
  return key !== '' && !key.endsWith('/') && !key.split('/').some((segment) => segment.startsWith('.'));
}

function readElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) =>
    decodeEntities(text ?? ''),
  );
}

const namedEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(amp|lt|gt|quot|apos));/g,
    (_whole, hex, decimal, name) => {
      if (name) return namedEntities[name] as string;
      return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
    },
  );
}

// Uploads to a bucket: skips objects that are already there, and verifies what the server stored.

const MAX_CONCURRENT_LOOKUPS = 16;

/** `findHeaders` returns the headers of an object, or undefined if it does not exist. */
function createUpload(
  send: SendRequest,
  findHeaders: (key: string) => Promise<Headers | undefined>,
  journal: Journal,
): Upload {
  const { added, addNew, takeOver, ...tracked } = trackKeys(journal);
  return {
    ...tracked,

    async put(key, bytes, { hash, mimetype }) {
      const existing = await findHeaders(key);
      const digest = md5(bytes);
      if (existing && isIdentical(existing, bytes.length, digest, hash)) return readETag(existing);
      if (!existing) await addNew(key);
      const response = await putObject(send, key, mimetype, { bytes, hash, md5: digest });
      if (isMd5(response) && readETag(response) !== digest)
        throw new Error(`S3 stored different bytes under ${key} than it was sent; import again`);
      return readETag(response);
    },

    async takeOver(keys) {
      await takeOver(keys);
      return [];
    },

    // S3 confirms an object only when it is durable.
    flush: async () => {},

    // A request for each new object would take as long as storing it, and no other command removes these keys.
    async findLost(keys) {
      const lost: string[] = [];
      await inParallel(new Set(keys).difference(added), MAX_CONCURRENT_LOOKUPS, async (key) => {
        if (!(await findHeaders(key))) lost.push(key);
      });
      return lost;
    },
  };
}

/** Returns the headers of the response. */
function putObject(
  send: SendRequest,
  key: string,
  mimetype: string,
  { bytes, hash, md5 }: { bytes: Uint8Array; hash: string; md5: string },
): Promise<Headers> {
  const headers = {
    'content-md5': Buffer.from(md5, 'hex').toString('base64'),
    'content-type': mimetype,
    'x-amz-meta-sha256': hash,
  };
  const request = { method: 'PUT', key, headers, body: { bytes, hash } } as const;
  return send(request, async (response) => {
    await response.arrayBuffer();
    return response.headers;
  });
}

/** Without quotes and the `W/` of a weak entity tag. */
function readETag(headers: Headers): string {
  const eTag = headers.get('etag')?.replace(/^W\//, '').replaceAll('"', '');
  if (!eTag) throw new Error('S3 sent no ETag');
  return eTag;
}

function isIdentical(existing: Headers, size: number, digest: string, hash: string): boolean {
  if (Number(existing.get('content-length')) !== size) return false;
  return isMd5(existing) ? readETag(existing) === digest : existing.get('x-amz-meta-sha256') === hash;
}

/** Whether the ETag is the MD5 of the bytes. It is not for multipart uploads or with customer-managed encryption keys. */
function isMd5(headers: Headers): boolean {
  const encryption = headers.get('x-amz-server-side-encryption') ?? 'AES256';
  return encryption === 'AES256' && /^[0-9a-f]{32}$/.test(readETag(headers));
}

const md5 = (bytes: Uint8Array) => hash('md5', bytes);
