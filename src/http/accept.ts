/** Content negotiation: the weights in Accept and Accept-Encoding. */

/** The rest of a header is ignored. Browsers send less than 200 characters, and parsing 16 KB could take 3 ms. */
const MAX_LENGTH = 1000;
const MAX_RANGES = 100;
const weightIn = /;\s*q=([^;\s]*)/;

/** The weight of each name in lower case. Parameters other than `q` are ignored. */
export function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.slice(0, MAX_LENGTH).toLowerCase().split(',', MAX_RANGES)) {
    const semicolon = part.indexOf(';');
    const name = (semicolon < 0 ? part : part.slice(0, semicolon)).trim();
    const weight = semicolon < 0 ? '1' : (weightIn.exec(part)?.[1] ?? '1');
    weights.set(name, Number(weight) || 0);
  }
  return weights;
}

/**
 * The type that the client would rather have; undefined without a preference. Of equal weights, the more specific range
 * decides, so `text/html, *\/*` prefers HTML, as browsers do when they open a page.
 */
export function preferredType(accept = ''): 'html' | 'json' | undefined {
  const weights = parseWeights(accept);
  const html = findRange(weights, ['text/html', 'text/*', '*/*']);
  const json = findRange(weights, ['application/json', 'application/*', '*/*']);
  if (html.weight !== json.weight) return html.weight > json.weight ? 'html' : 'json';
  if (html.weight === 0 || html.rank === json.rank) return undefined;
  return html.rank < json.rank ? 'html' : 'json';
}

/** Without a preference, as of curl, the response is JSON. */
export function prefersHtml(accept?: string): boolean {
  return preferredType(accept) === 'html';
}

/** The weight of the first range that the header has, 0 if it has none of them. */
function findRange(weights: Map<string, number>, ranges: string[]): { weight: number; rank: number } {
  const rank = ranges.findIndex((range) => weights.has(range));
  return { rank, weight: rank < 0 ? 0 : (weights.get(ranges[rank] as string) as number) };
}
