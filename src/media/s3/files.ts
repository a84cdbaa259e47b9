/** Image files in a bucket of Amazon S3 or of an S3-compatible server. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Clock, DAY_MS } from '../../lib/clock.ts';
import { Unavailable } from '../../lib/errors.ts';
import { inParallel } from '../../lib/parallel.ts';
import { type Files, type OpenFile, OWNER_KEY } from '../files.ts';
import { describeLeftovers, handleAbandoned, readJournals, sortJournals, startJournal } from '../journal.ts';
import { openPrepared } from '../prepared.ts';
import {
  createClient,
  S3Error,
  type S3Options,
  type SendRequest,
  startRealTimer,
  TIMEOUT_MS,
} from './client.ts';
import type { S3Location } from './location.ts';
import { createDryRunUpload, createUpload, putObject, readETag } from './upload.ts';

export type { S3Location };

const MAX_CONCURRENT_REMOVALS = 16;

/** The journals and the list of prepared files are in a local folder. */
export function openBucket(
  location: S3Location,
  journalFolder: string,
  options: S3Options = {},
  clock: Clock = Date.now,
): Files {
  const send = createClient(location, options);
  const prepared = openPrepared(join(journalFolder, 'prepared.db'), clock);

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

  const bucket = { send, findHeaders };
  return {
    prepared,

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

    // Clients read from the bucket themselves, and a request per second would cost money.
    verify: async () => {
      await location.credentials.get();
    },

    async remove(keys) {
      await inParallel(keys, MAX_CONCURRENT_REMOVALS, removeOne);
      prepared.forget(keys);
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

    startJournal: () => startJournal(journalFolder),
    beginUpload: async () => createUpload(bucket, await startJournal(journalFolder)),
    dryRunUpload: () => createDryRunUpload(bucket),
    journaledKeys: () => readJournals(journalFolder),
    findLeftovers: async () => describeLeftovers(await sortJournals(journalFolder), prepared),
    handleAbandoned: async (work, onFailure) =>
      handleAbandoned(await sortJournals(journalFolder), prepared, work, onFailure),
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
