/** Parses a query string into names and values. `node:querystring` would be slower. */

export type RawQuery = ReadonlyMap<string, string | string[]>;

const empty: RawQuery = new Map();

/** `name[]` or `name[0]`, as many libraries write the values of a list. */
const bracketed = /^([^[\]]*)\[[0-9]*\]$/;

const PLUS = 0x2b;
const SPACE = 0x20;
/** No endpoint takes more than 20, and a list fits into one. */
export const MAX_PARAMETERS = 100;

export function hasTooManyParameters(search: string): boolean {
  let count = 1;
  for (let at = search.indexOf('&'); at >= 0; at = search.indexOf('&', at + 1))
    if (++count > MAX_PARAMETERS) return true;
  return false;
}

/**
 * A name that is repeated or has brackets gets a list of values, in order of appearance; the index in the brackets does
 * not matter. A name or value with invalid escapes stays as it is. Parameters after the first `MAX_PARAMETERS` are left out.
 */
export function parseQuery(search: string): RawQuery {
  if (search === '') return empty;
  const query = new Map<string, string | string[]>();
  // Splitting the text would take 1 to 2 µs more of CPU time, even if it has one parameter only.
  for (let [start, count] = [0, 0]; start < search.length && count < MAX_PARAMETERS; count++) {
    const ampersand = search.indexOf('&', start);
    const part = search.slice(start, ampersand < 0 ? search.length : ampersand);
    start += part.length + 1;
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
  return decodeEscapes(text.includes('+') ? replacePluses(text) : text);
}

/** On bytes, because `replaceAll` takes long for a text of nothing but pluses. */
function replacePluses(text: string): string {
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === PLUS) bytes[index] = SPACE;
  return bytes.toString();
}

/** Cuts off what may be the query of a link in a path: its question mark was escaped, or replaced by something else. */
export function withoutSignature(path: string): string {
  const start = path.search(/%(25)*3f|signature/i);
  return start < 0 ? path : path.slice(0, start);
}

/** UTF-8 without overlong forms and surrogates, as RFC 3629 defines it. */
const next = '%[89ab][\\da-f]';
const characters = [
  '%[0-7][\\da-f]',
  `%(?:c[2-9a-f]|d[\\da-f])${next}`,
  `%e0%[ab][\\da-f]${next}`,
  `%(?:e[1-9a-cef])(?:${next}){2}`,
  `%ed%[89][\\da-f]${next}`,
  `%f0%[9ab][\\da-f](?:${next}){2}`,
  `%f[1-3](?:${next}){3}`,
  `%f4%8[\\da-f](?:${next}){2}`,
];
const valid = new RegExp(`^[^%]*(?:(?:${characters.join('|')})[^%]*)*$`, 'i');

/**
 * A text with invalid escapes stays as it is. It is recognised before it is decoded, because an exception is slow, and a client
 * can send thousands of invalid escapes.
 */
export function decodeEscapes(text: string): string {
  return text.includes('%') && valid.test(text) ? decodeURIComponent(text) : text;
}
