/** Uploads to a bucket: skips objects that are already there, and verifies what the server stored. */
import { hash } from 'node:crypto';
import { inParallel } from '../../lib/parallel.ts';
import type { Journal, Upload } from '../files.ts';
import type { SendRequest } from './client.ts';

const MAX_CONCURRENT_LOOKUPS = 16;

interface Bucket {
  send: SendRequest;
  /** The headers of an object, or undefined if it does not exist. */
  findHeaders(key: string): Promise<Headers | undefined>;
}

export function createUpload({ send, findHeaders }: Bucket, journal: Journal): Upload {
  const [added, takenOver, released] = [new Set<string>(), new Set<string>(), new Set<string>()];
  return {
    async put(key, bytes, { hash, mimetype }) {
      const existing = await findHeaders(key);
      const digest = md5(bytes);
      if (existing && isIdentical(existing, bytes.length, digest, hash)) return readETag(existing);
      if (!existing) {
        added.add(key);
        await journal.add(key);
      }
      const response = await putObject(send, key, mimetype, { bytes, hash, md5: digest });
      if (isMd5(response) && readETag(response) !== digest)
        throw new Error(`S3 stored different bytes under ${key} than it was sent; import again`);
      return readETag(response);
    },

    async takeOver(keys) {
      for (const key of keys) takenOver.add(key);
      await Promise.all(keys.map((key) => journal.add(key)));
      return [];
    },

    async release(keys) {
      await Promise.all(keys.map((key) => journal.add(key)));
      for (const key of keys) released.add(key);
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

    newKeys: () => [...added.union(takenOver)],
    releasedKeys: () => journal.withoutShared(released),
    finish: () => journal.finish(),
    abandon: () => journal.abandon(),
  };
}

/** Returns the headers of the response. */
export function putObject(
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

export function createDryRunUpload({ findHeaders }: Bucket): Upload {
  return {
    async put(key, bytes, { hash }) {
      const existing = await findHeaders(key);
      const digest = md5(bytes);
      return existing && isIdentical(existing, bytes.length, digest, hash) ? readETag(existing) : digest;
    },
    takeOver: async (keys) => keys,
    release: async () => {},
    flush: async () => {},
    findLost: async () => [],
    newKeys: () => [],
    releasedKeys: async () => [],
    finish: async () => {},
    abandon: async () => {},
  };
}

/** Without quotes and the `W/` of a weak entity tag. */
export function readETag(headers: Headers): string {
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
