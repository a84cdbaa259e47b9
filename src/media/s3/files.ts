/** Image bytes in a bucket of Amazon S3, or of a server that speaks its protocol. */
import { Readable } from 'node:stream';
import { Unavailable } from '../../errors.ts';
import type { Files, OpenFile } from '../files.ts';
import { journalled, removeJournals, startJournal } from '../journal.ts';
import { connect, Refused, type S3Options, type Send, TIMEOUT_MS } from './client.ts';
import { listKeys } from './list.ts';
import type { S3Location } from './location.ts';
import { dryRunUploadTo, eTagOf, uploadTo } from './upload.ts';

export type { S3Location };

/** The journals of intakes are kept in a local folder. */
export function openBucket(location: S3Location, journalFolder: string, options: S3Options = {}): Files {
  const send = connect(location, options);

  const find = async (key: string): Promise<Headers | undefined> => {
    try {
      return await send({ method: 'HEAD', key }, async ({ headers }) => headers);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  };

  const remove = async (key: string): Promise<void> => {
    try {
      await send({ method: 'DELETE', key }, (response) => response.arrayBuffer());
    } catch (error) {
      // Some servers complain that what is to be gone is gone.
      if (!(error instanceof Refused) || error.code !== 'NoSuchKey') throw error;
    }
  };

  const bucket = { send, find };
  return {
    async open(key: string): Promise<OpenFile | undefined> {
      const headers = await find(key);
      if (!headers) return undefined;
      return {
        size: Number(headers.get('content-length')),
        eTag: eTagOf(headers),
        stream: (start, end) => streamOf(send, key, start, end, options.patience ?? TIMEOUT_MS),
        close: async () => {},
      };
    },

    remove,
    keys: () => listKeys(send, location.prefix),
    beginUpload: async () => uploadTo(bucket, await startJournal(journalFolder)),
    dryRunUpload: () => dryRunUploadTo(bucket),
    abandonedKeys: () => journalled(journalFolder),
    clearAbandoned: () => removeJournals(journalFolder),
  };
}

/** Asks for the bytes when they are read, and gives up when the reader does, or when none come for too long. */
function streamOf(send: Send, key: string, start: number, end: number, patience: number): Readable {
  const stop = new AbortController();
  const { signal } = stop;

  const begin = async () => {
    const request = { method: 'GET', key, headers: { range: `bytes=${start}-${end}` }, signal } as const;
    const { headers, body } = await send(request, async (response) => response);
    const length = Number(headers.get('content-length'));
    if (!body || length !== end - start + 1)
      throw new Error(`S3 sent ${length} bytes of ${key} where ${end - start + 1} were asked for`);
    return body.getReader();
  };

  let reader: ReturnType<typeof begin> | undefined;
  const next = async (): Promise<Uint8Array | null> => {
    reader ??= begin();
    const chunks = await reader;
    const timer = setTimeout(
      () => stop.abort(new Error(`no more bytes within ${patience / 1000} s`)),
      patience,
    );
    try {
      return (await chunks.read()).value ?? null;
    } catch (error) {
      throw new Unavailable(`S3 broke off in the middle of ${key}: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  };

  return new Readable({
    read() {
      next().then(
        (bytes) => this.push(bytes),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      stop.abort();
      done(error);
    },
  });
}
