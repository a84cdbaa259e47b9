/** Recognises requests that another site makes through the browser of somebody who may do more than that site. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

const hostSyntax = /^([\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The host of a Host header in lower case, without the port; undefined if it is none. */
export function hostName(host: string): string | undefined {
  return hostSyntax.exec(host)?.[1]?.toLowerCase();
}

export const isLoopbackName = (name: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(name);

/** No name server can point an IP address elsewhere. */
export const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/** Whether another page caused the request. */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Returns a function that says whether a client may read what is for `isAllowed` networks, but not for their browsers' pages. */
export function monitorCheck<Request extends { headers: IncomingHttpHeaders }>(
  isAllowed: (request: Request) => boolean,
  publicUrl: string | undefined,
): (request: Request) => boolean {
  const ownName = publicUrl && new URL(publicUrl).hostname;
  return (request) => isAllowed(request) && !mayBeAnotherSite(request.headers, ownName);
}

/**
 * Whether the request may come from a page of another site: directly, or through a name that its owner pointed at this
 * machine (DNS rebinding). Then a browser takes the page for one of ours, but it sends that name as Host. Names that are not
 * known here are refused to browsers only, which always send Accept-Language and let no page remove it: Prometheus
 * may use any name.
 */
function mayBeAnotherSite(headers: IncomingHttpHeaders, ownName: string | undefined): boolean {
  if (isForeign(headers) || headers.origin !== undefined) return true;
  const name = hostName(headers.host ?? '');
  if (name !== undefined && (name === ownName || isLoopbackName(name) || isAddress(name))) return false;
  return headers['accept-language'] !== undefined || headers['sec-fetch-site'] !== undefined;
}
