/** How a list says where its other pages are. */
import type { Window } from '../model.ts';
import type { Call } from './call.ts';

/** The total, and links to the next and the previous page where there is one. Every other parameter is kept. */
export function pageHeaders({ query, prefix, path }: Call<Window>, total: number): Record<string, string> {
  const { limit, offset } = query;
  const link = (window: Window, rel: string) => {
    const parameters = Object.entries({ ...query, ...window }).map(
      ([name, value]) => `${name}=${encodeURIComponent(value)}`,
    );
    return `<${prefix}${path}?${parameters.join('&')}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (offset + limit < total) links.push(link({ offset: offset + limit, limit }, 'next'));
  // What lies before this page, without any of it: less than a whole page where there is not more.
  const before = Math.min(offset, total);
  if (before > 0)
    links.push(link({ offset: Math.max(0, before - limit), limit: Math.min(limit, before) }, 'prev'));
  const headers: Record<string, string> = { 'X-Total-Count': String(total) };
  if (links.length > 0) headers.Link = links.join(', ');
  return headers;
}
