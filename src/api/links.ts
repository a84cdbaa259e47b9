/** The links to files in a response. */
import { linkValidity } from '../access/file-links.ts';
import type { SignLink } from '../catalogue/documents/image-document.ts';
import type { Call } from './endpoint.ts';

/** Signs the links of one response, which all expire together: after `expiry` seconds, or else at the default time. */
export function linkSigner({ services, now, origin }: Call<unknown>, expiry?: number): SignLink {
  const validity = linkValidity(now, expiry ?? services.linkLifetime, expiry !== undefined);
  return services.links.signer(origin, validity, expiry === undefined);
}
