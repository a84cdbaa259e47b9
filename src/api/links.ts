/** The links in a response: those to files, and those to other pages in its headers. */
import { linkValidity } from '../access/links.ts';
import type { SignLink } from '../catalogue/documents/image-document.ts';
import type { Window } from '../catalogue/types.ts';
import type { Call } from './endpoint.ts';

/** Signs the links of one response, which all expire together: after `expiry` seconds, or else at the default time. */
export function linkSigner(call: Call<unknown>, expiry?: number): SignLink {
  const { services, origin, now } = call;
  const validity = linkValidity(now, expiry ?? services.linkLifetime, expiry !== undefined);
  return services.links.signer(origin, validity, expiry === undefined);
}

/** The total, and links to the next and the previous page. */
export function pageHeaders(call: Call<Window>, total: number): Record<string, string> {
  const { limit, offset } = call.query;
  const links: string[] = [];
  if (offset + limit < total) links.push(pageLink(call, { limit, offset: offset + limit }, 'next'));
  // The previous page ends where this one starts, so the first page may be shorter than the limit.
  const before = Math.min(offset, total);
  if (before > 0)
    links.push(
      pageLink(call, { limit: Math.min(limit, before), offset: Math.max(0, before - limit) }, 'prev'),
    );
  const headers: Record<string, string> = { 'X-Total-Count': String(total) };
  if (links.length > 0) headers.Link = links.join(', ');
  return headers;
}

/** The cursor of the next page, and the link to it. */
export function cursorHeaders(call: Call<object>, cursor: string): Record<string, string> {
  return { 'X-Next-Cursor': cursor, Link: pageLink(call, { cursor }, 'next') };
}

type Values = Record<string, string | number | readonly string[]>;

function pageLink(call: Call<object>, changes: Values, rel: string): string {
  return `<${pageUrl(call, changes)}>; rel="${rel}"`;
}

/** The address of the same call with some parameters changed. */
export function pageUrl(call: Call<object>, changes: Values): string {
  const values: Values = { ...call.query, ...changes };
  let search = '';
  for (const name in values) {
    const text = String(values[name]);
    // An empty list is left out, as the parameter was.
    if (text === '' && Array.isArray(values[name])) continue;
    search += `${search === '' ? '' : '&'}${name}=${encodeURIComponent(text)}`;
  }
  return addressOf(call, call.id, search);
}

/** The address of the same endpoint for an id, with a query that is escaped already. */
export function addressOf({ origin, prefix, path }: Call<unknown>, id: string, search: string): string {
  return `${origin}${prefix}${path.replace('{id}', id)}${search === '' ? '' : `?${search}`}`;
}
