/** How a list says where its other pages are. */
import type { Window } from '../model.ts';
import type { Call } from './call.ts';

/** The total, and links to the next and the previous page where there is one. Every other parameter is kept. */
export function pageHeaders(
  { query, prefix, path, id }: Call<Window>,
  total: number,
): Record<string, string> {
  const { limit, offset, ...others } = query as Window & Record<string, string | number>;
  const link = (window: Window, rel: string) => {
    let parameters = `limit=${window.limit}&offset=${window.offset}`;
    for (const name in others) parameters += `&${name}=${encodeURIComponent(others[name] as string)}`;
    return `<${prefix}${path.replace('{id}', id)}?${parameters}>; rel="${rel}"`;
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
