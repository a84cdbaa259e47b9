/** How a list says where its other pages are. */
import type { Window } from '../../catalogue/types.ts';
import type { Call } from './call.ts';

/** The total, and links to the next and the previous page where there is one. */
export function pageHeaders(call: Call<Window>, total: number): Record<string, string> {
  const { limit, offset } = call.query;
  const links: string[] = [];
  if (offset + limit < total) links.push(pageLink(call, { limit, offset: offset + limit }, 'next'));
  // What lies before this page, without any of it: less than a whole page where there is not more.
  const before = Math.min(offset, total);
  if (before > 0)
    links.push(
      pageLink(call, { limit: Math.min(limit, before), offset: Math.max(0, before - limit) }, 'prev'),
    );
  const headers: Record<string, string> = { 'X-Total-Count': String(total) };
  if (links.length > 0) headers.Link = links.join(', ');
  return headers;
}

type Values = Record<string, string | number | readonly string[]>;

/** The same call with other values of these parameters. Every other one is kept. */
export function pageLink({ query, prefix, path, id }: Call<object>, changed: Values, rel: string): string {
  const all: Values = { ...query, ...changed };
  const given = Object.entries(all).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  const parameters = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `<${prefix}${path.replace('{id}', id)}?${parameters.join('&')}>; rel="${rel}"`;
}
