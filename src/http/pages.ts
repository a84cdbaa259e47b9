/** How a list says where its other pages are. */
import type { Call } from './call.ts';

interface PageQuery {
  limit: number;
  offset: number;
}

/** The total, and links to the next and the previous page where there is one. Every other parameter is kept. */
export function pageHeaders({ query, prefix, path }: Call<PageQuery>, total: number): Record<string, string> {
  const { limit, offset } = query;
  const link = (to: number, rel: string) => {
    const parameters = new URLSearchParams(
      Object.entries({ ...query, offset: to }).map(([k, v]) => [k, String(v)]),
    );
    return `<${prefix}${path}?${parameters}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (offset + limit < total) links.push(link(offset + limit, 'next'));
  if (offset > 0) links.push(link(Math.max(0, Math.min(offset - limit, total - limit)), 'prev'));
  const headers: Record<string, string> = { 'X-Total-Count': String(total) };
  if (links.length > 0) headers.Link = links.join(', ');
  return headers;
}
