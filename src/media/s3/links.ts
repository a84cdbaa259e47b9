/** Links that a bucket itself honours: presigned GETs, made without asking it. */
import type { LinkSigner, Validity } from '../../access/link-signer.ts';
import type { SignLink } from '../../catalogue/image-document.ts';
import { addressOf, type S3Address, type S3Location } from './location.ts';
import { Signer } from './sigv4.ts';

export class S3Links implements LinkSigner {
  /** A week: S3 refuses what is signed for longer. */
  readonly maxLifetime = 604_800;
  readonly #address: S3Address;
  readonly #signer: Signer;
  /** What signed last: most links of a minute are valid for the same time. */
  #latest: { begins: number; expires: number; signLink: SignLink } | undefined;

  constructor(location: S3Location) {
    this.#address = addressOf(location);
    this.#signer = new Signer(location);
  }

  /** Whoever called us, the link leads to the bucket. */
  signer(_origin: string, { begins, expires }: Validity): SignLink {
    if (this.#latest?.begins !== begins || this.#latest.expires !== expires)
      this.#latest = { begins, expires, signLink: this.#signLink(begins, expires) };
    return this.#latest.signLink;
  }

  #signLink(begins: number, expires: number): SignLink {
    const { origin, host, pathOf } = this.#address;
    const presigned = this.#signer.presigner(host, begins, expires);
    const iso = new Date(expires * 1000).toISOString();
    return (_fileName, key) => ({ url: origin + presigned(pathOf(key)), expires: iso });
  }
}
