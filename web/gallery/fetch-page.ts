/** Fetches pages of this site: scripts take tiles, suggestions and details from them, so the server alone writes HTML. */

/** The number of pages that are kept, so stepping back and forth asks for none of them again. */
const MAX_KEPT = 20;

/** Scripts in it never run, and its pictures load only when they are on the page. */
export async function fetchPage(address: string, signal: AbortSignal | null = null): Promise<Document> {
  const response = await fetch(address, { headers: { Accept: 'text/html' }, signal });
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Keeps the latest pages. Each call returns a copy, because the caller moves elements out of it. */
export function createPageCache(): (address: string) => Promise<Document> {
  const pages = new Map<string, Promise<Document>>();
  return async (address) => {
    const page = pages.get(address) ?? fetchPage(address);
    pages.delete(address);
    pages.set(address, page);
    const [oldest] = pages.keys();
    if (pages.size > MAX_KEPT && oldest !== undefined) pages.delete(oldest);
    try {
      return (await page).cloneNode(true) as Document;
    } catch (error) {
      pages.delete(address);
      throw error;
    }
  };
}
