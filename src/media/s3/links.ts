/** Links to a bucket: presigned GET URLs, made without a request. */
import type { LinkSigner, Validity } from '../../access/links.ts';
import type { SignLink } from '../../catalogue/documents/image-document.ts';
import type { Credentials } from './credentials.ts';
import { resolveAddress, type S3Address, type S3Location } from './location.ts';
import { Signer } from './sigv4.ts';

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
