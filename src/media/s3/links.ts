/** Links to a bucket: presigned GET URLs, made without a request. */
import type { LinkSigner, Validity } from '../../access/link-signer.ts';
import type { SignLink } from '../../catalogue/image-document.ts';
import { resolveAddress, type S3Address, type S3Location } from './location.ts';
import { Signer } from './sigv4.ts';

export class S3Links implements LinkSigner {
  /** One week, the maximum that S3 accepts. */
  readonly maxLifetime = 604_800;
  readonly #address: S3Address;
  readonly #signer: Signer;
  /** The last signer: most links of the same minute have the same validity. */
  #latest: { begins: number; expires: number; signLink: SignLink } | undefined;

  constructor(location: S3Location) {
    this.#address = resolveAddress(location);
    this.#signer = new Signer(location);
  }

  /** The origin does not matter, because links lead to the bucket. */
  signer(_origin: string, { begins, expires }: Validity): SignLink {
    if (this.#latest?.begins !== begins || this.#latest.expires !== expires)
      this.#latest = { begins, expires, signLink: this.#signLink(begins, expires) };
    return this.#latest.signLink;
  }

  #signLink(begins: number, expires: number): SignLink {
    const { origin, host, keyPath } = this.#address;
    const presigned = this.#signer.presigner(host, begins, expires);
    const iso = new Date(expires * 1000).toISOString();
    return (_fileName, key) => ({ url: origin + presigned(keyPath(key)), expires: iso });
  }
}
