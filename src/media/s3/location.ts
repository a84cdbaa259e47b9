/** Where a bucket is, and the address that each of its keys has there. */
import { encodePath, type Signatory } from './sigv4.ts';

export interface S3Location extends Signatory {
  bucket: string;
  /** What every key in the bucket begins with: empty, or with a slash at its end. */
  prefix: string;
  /** The origin of a server that is not Amazon's. */
  endpoint: string | undefined;
}

export interface S3Address {
  origin: string;
  host: string;
  /** The path of the bucket itself. */
  root: string;
  pathOf(key: string): string;
}

/** A certificate of Amazon's covers a bucket's own host only if there is no dot in the name. */
const hostable = /^[a-z0-9-]+$/;

export function addressOf({ bucket, prefix, region, endpoint }: S3Location): S3Address {
  const hasHost = endpoint === undefined && hostable.test(bucket);
  const amazon = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const { origin, host } = new URL(endpoint ?? `https://${hasHost ? `${bucket}.` : ''}${amazon}`);
  const root = hasHost ? '/' : `/${encodePath(bucket)}/`;
  const start = root + encodePath(prefix);
  return { origin, host, root, pathOf: (key) => start + encodePath(key) };
}
