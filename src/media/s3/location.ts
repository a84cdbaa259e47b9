/** The location of a bucket, and the addresses of its keys. */
import type { CredentialProvider } from './credentials.ts';
import { encodePath } from './sigv4.ts';

export interface S3Location {
  bucket: string;
  region: string;
  /** The start of every key in the bucket: empty, or ending with a slash. */
  prefix: string;
  /** The origin of an S3-compatible server; undefined for Amazon. */
  endpoint: string | undefined;
  credentials: CredentialProvider;
}

export interface S3Address {
  origin: string;
  host: string;
  bucketPath: string;
  keyPath(key: string): string;
}

/** Amazon's certificates cover `<bucket>.s3…` only if the name has no dot. */
const hostName = /^[a-z0-9-]+$/;

export function resolveAddress({ bucket, prefix, region, endpoint }: S3Location): S3Address {
  const hasOwnHost = endpoint === undefined && hostName.test(bucket);
  const amazon = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const { origin, host } = new URL(endpoint ?? `https://${hasOwnHost ? `${bucket}.` : ''}${amazon}`);
  const bucketPath = hasOwnHost ? '/' : `/${encodePath(bucket)}/`;
  const start = bucketPath + encodePath(prefix);
  return { origin, host, bucketPath, keyPath: (key) => start + encodePath(key) };
}
