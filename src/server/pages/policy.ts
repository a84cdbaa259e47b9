/** What the pages allow a browser to load and to run. */
import type { IncomingMessage } from 'node:http';
import type { Services } from '../../api/services.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

const CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** For pages without scripts. */
export const PAGE_POLICY = `default-src 'none'; style-src 'self'; img-src 'self'; ${CLOSED}`;

/** Allows only our own files, the API, and images from the origin of this client's links. */
export function scriptPolicy(
  { links, originOf }: Services,
  request: IncomingMessage,
): Record<string, string> {
  const { url } = links.signer(originOf(request), { begins: 0, expires: 1 })({ fileName: '-', key: '-' });
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    `img-src 'self' ${new URL(url).origin}`,
    CLOSED,
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' };
}
