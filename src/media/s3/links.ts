/** The addresses of a bucket: its location, and links to its keys that need no request. */
import type { LinkSigner, Validity } from '../../access/links.ts';
import type { SignLink } from '../../catalogue/documents/image-document.ts';
import type { CredentialProvider, Credentials } from './credentials.ts';
import { encodePath, Signer } from './sigv4.ts';

// The location of a bucket, and the addresses of its keys.

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

export function resolveAddress({ bucket, prefix, region, endpoint }: S3Location): S3Address {
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
